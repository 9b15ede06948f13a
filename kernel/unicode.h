// Properties of characters, as Python's str methods and the regex package see them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "unicode_tables.h"
#include "utf8.h"

namespace tertium {

// str.isspace: what str.split and str.strip treat as white space.
inline bool is_space(char32_t c) {
    if (c < 0x80) return uint64_t{0x1F0003E00} >> std::min<char32_t>(c, 0x3F) & 1;  // 9 to 13, 28 to 32: bits, not branches
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

class Unicode {
public:
    static const Unicode& tables() {
        static const Unicode instance;
        return instance;
    }
    bool is_number(char32_t c) const { return has(c, number); }
    bool is_punctuation(char32_t c) const { return has(c, punctuation); }
    bool is_symbol(char32_t c) const { return has(c, symbol); }
    bool is_cased(char32_t c) const { return has(c, cased); }
    bool is_case_ignorable(char32_t c) const { return has(c, ignorable); }
    char32_t lower(char32_t c) const { return c < lower_.size() ? lower_[c] : c; }

private:
    enum : uint8_t { number = 1, punctuation = 2, symbol = 4, cased = 8, ignorable = 16 };

    Unicode() : bits_(0x110000, 0), lower_(0x20000) {
        mark(unicode_tables::numbers, number);
        mark(unicode_tables::punctuation, punctuation);
        mark(unicode_tables::symbols, symbol);
        mark(unicode_tables::cased, cased);
        mark(unicode_tables::case_ignorable, ignorable);
        for (char32_t c = 0; c < lower_.size(); ++c) lower_[c] = c;
        for (const auto& run : unicode_tables::lower)
            for (uint32_t c = run.first; c <= run.last; c += run.step)
                lower_[c] = static_cast<char32_t>(static_cast<int32_t>(c) + run.delta);
    }
    template <size_t N>
    void mark(const unicode_tables::Range (&ranges)[N], uint8_t bit) {
        for (const auto& range : ranges)
            for (uint32_t c = range.first; c <= range.last; ++c) bits_[c] |= bit;
    }
    bool has(char32_t c, uint8_t bit) const { return c < bits_.size() && (bits_[c] & bit) != 0; }

    std::vector<uint8_t> bits_;
    std::vector<char32_t> lower_;
};

// A capital sigma is final when a cased letter stands before it and none after it, case-ignorable characters
// looked through (Unicode, SpecialCasing.txt; the rule of str.lower).
inline bool is_final_sigma(std::string_view text, const char* sigma, const char* behind) {
    const auto& tables = Unicode::tables();
    const char* at = sigma;
    bool cased_before = false;
    while (at > text.data()) {
        do --at;
        while (at > text.data() && is_continuation(static_cast<unsigned char>(*at)));
        const char* next = at;
        const char32_t c = decode_utf8(next, sigma);
        if (tables.is_case_ignorable(c)) continue;
        cased_before = tables.is_cased(c);
        break;
    }
    if (!cased_before) return false;
    const char* const end = text.data() + text.size();
    while (behind < end) {
        const char32_t c = decode_utf8(behind, end);
        if (!tables.is_case_ignorable(c)) return !tables.is_cased(c);
    }
    return true;
}

// str.lower, written to `out` (replaced).
inline void lower_utf8(std::string_view text, std::string& out) {
    out.resize(text.size());
    size_t ascii = 0;
    for (; ascii < text.size(); ++ascii) {
        const auto byte = static_cast<unsigned char>(text[ascii]);
        if (byte >= 0x80) break;
        out[ascii] = static_cast<char>(byte + (static_cast<unsigned>(byte - 'A') < 26 ? 32 : 0));
    }
    if (ascii == text.size()) return;
    out.resize(ascii);
    const auto& tables = Unicode::tables();
    const char* at = text.data() + ascii;
    const char* const end = text.data() + text.size();
    while (at < end) {
        const auto byte = static_cast<unsigned char>(*at);
        if (byte < 0x80) {
            out.push_back(static_cast<char>(byte + (static_cast<unsigned>(byte - 'A') < 26 ? 32 : 0)));
            ++at;
            continue;
        }
        const char* const start = at;
        const char32_t code = decode_utf8(at, end);
        if (code == 0x130) {
            out += "i\xCC\x87";  // the one character whose lower case is two code points
        } else if (code == 0x3A3) {
            append_utf8(out, is_final_sigma(text, start, at) ? 0x3C2 : 0x3C3);
        } else {
            const char32_t low = tables.lower(code);
            if (low == code)
                out.append(start, at);
            else
                append_utf8(out, low);
        }
    }
}

}  // namespace tertium
