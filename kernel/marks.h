// Where the words of a line end: white space, and the other bytes at which a tokenizer has something to decide (the kinds
// of scan.h); all others just continue the word under way.
#pragma once

#include <cstdint>
#include <string_view>

#include "scan.h"
#include "unicode.h"
#include "utf8.h"
#include "vocabulary.h"

namespace tertium::detail {

inline std::string_view view(const char* first, const char* last) {
    return {first, static_cast<size_t>(last - first)};
}

inline std::string_view strip_left(std::string_view text) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        const char* next = at;
        if (!is_space(decode_utf8(next, end))) break;
        at = next;
    }
    return view(at, end);
}

inline std::string_view strip_right(std::string_view text) {
    const char* const begin = text.data();
    const char* end = begin + text.size();
    while (end > begin) {
        const char* at = end - 1;
        while (at > begin && end - at < 4 && is_continuation(static_cast<unsigned char>(*at))) --at;
        const char* next = at;
        if (!is_space(decode_utf8(next, end)) || next != end) break;
        end = at;
    }
    return view(begin, end);
}

// The length of the white space character at `at`, 0 if it is none.
inline size_t space_length(const char* at, const char* end) {
    const char* next = at;
    return is_space(decode_utf8(next, end)) ? static_cast<size_t>(next - at) : 0;
}

inline void split_space(std::string_view line, Words& words) {
    const char* const end = line.data() + line.size();
    const char* word = line.data();
    visit_marked<MarksSpace>(line.data(), end, [&](const char* at) {
        const size_t length = *at == ' ' ? 1 : space_length(at, end);
        if (length == 0) return true;
        if (at > word) words.push_back(view(word, at));
        word = at + length;
        return true;
    });
    if (end > word) words.push_back(view(word, end));
}

// jiwer's words: a single white space character other than U+0020 is part of a word; two or more of any kind separate.
inline void split_jiwer(std::string_view line, Words& words) {
    const char* const end = line.data() + line.size();
    const char* word = line.data();
    visit_marked<MarksSpace>(line.data(), end, [&](const char* at) {
        if (at < word) return true;  // inside a run that is already done
        const size_t length = *at == ' ' ? 1 : space_length(at, end);
        if (length == 0) return true;
        const char* behind = at + length;
        while (const size_t more = behind < end && MarksSpace::has(static_cast<unsigned char>(*behind)) ? space_length(behind, end) : 0)
            behind += more;
        if (*at != ' ' && behind == at + length) return true;
        if (at > word) words.push_back(view(word, at));
        word = behind;
        return true;
    });
    if (end > word) words.push_back(view(word, end));
}
}  // namespace tertium::detail
