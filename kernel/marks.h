// Where the words of a line end: white space and the other bytes at which a tokenizer has something to decide.
#pragma once

#include <cstdint>
#include <string_view>

#include "unicode.h"
#include "utf8.h"
#include "vocabulary.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

// Bytes at which a tokenizer has something to decide; all others just continue the word under way. White space
// beyond ASCII hides behind the lead bytes C2, E1, E2 and E3.
inline bool is_space_lead(unsigned char byte) { return byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3); }

struct Marks13a {  // everything but letters, digits, apostrophes and the harmless non-ASCII bytes
    static bool has(unsigned char byte) {
        const unsigned char letter = byte | 0x20;
        if (byte >= 0x80) return is_space_lead(byte);
        return !((letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '\'');
    }
};

struct MarksSpace {
    static bool has(unsigned char byte) { return byte <= 0x20 || is_space_lead(byte); }
};

#if defined(__SSE2__)
inline __m128i between(__m128i bytes, char low, char high) {  // unsigned low <= byte <= high
    const __m128i shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(low));
    const __m128i span = _mm_set1_epi8(static_cast<char>(high - low));
    return _mm_cmpeq_epi8(_mm_min_epu8(shifted, span), shifted);
}
inline __m128i space_leads(__m128i bytes) {
    return _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\xC2')), between(bytes, '\xE1', '\xE3'));
}
inline __m128i marks(Marks13a, __m128i bytes) {
    const __m128i letters = between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'z');
    const __m128i boring = _mm_or_si128(_mm_or_si128(letters, between(bytes, '0', '9')),
                                        _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\'')));
    const __m128i ascii = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(-1));
    return _mm_or_si128(_mm_andnot_si128(boring, ascii), space_leads(bytes));
}
inline __m128i marks(MarksSpace, __m128i bytes) { return _mm_or_si128(between(bytes, 0, 0x20), space_leads(bytes)); }

// Calls `visit` on every marked byte in order until it returns false. Sixty-four bytes behind `end` can be read: the
// end of the loop over the marks is what the processor mispredicts, so there should be few ends.
template <class Marks, class Visit>
[[gnu::always_inline]] inline void visit_marked(const char* at, const char* end, Visit visit) {
    for (; at < end; at += 64) {
        uint64_t mask = 0;
        for (size_t k = 0; k < 4; ++k) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + k);
            mask |= static_cast<uint64_t>(_mm_movemask_epi8(marks(Marks{}, bytes))) << (16 * k);
        }
        if (end - at < 64) mask &= (uint64_t{1} << (end - at)) - 1;
        for (; mask != 0; mask &= mask - 1)
            if (!visit(at + __builtin_ctzll(mask))) return;
    }
}
#else
template <class Marks, class Visit>
[[gnu::always_inline]] inline void visit_marked(const char* at, const char* end, Visit visit) {
    for (; at < end; ++at)
        if (Marks::has(static_cast<unsigned char>(*at)) && !visit(at)) return;
}
#endif

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
        const size_t length = space_length(at, end);
        if (length == 0) return true;
        const char* behind = at + length;
        while (const size_t more = behind < end ? space_length(behind, end) : 0) behind += more;
        if (*at != ' ' && behind == at + length) return true;
        if (at > word) words.push_back(view(word, at));
        word = behind;
        return true;
    });
    if (end > word) words.push_back(view(word, end));
}
}  // namespace tertium::detail
