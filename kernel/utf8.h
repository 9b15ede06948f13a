// UTF-8: strict validation, and decoding that never reads past the end whatever the bytes are.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tertium {

// Bytes in the sequence that starts with this lead byte; 1 for a byte that cannot lead.
inline size_t utf8_length(unsigned char lead) {
    if (lead < 0xC2) return 1;
    if (lead < 0xE0) return 2;
    if (lead < 0xF0) return 3;
    return lead < 0xF5 ? 4 : 1;
}

// Decodes one code point of valid UTF-8 and moves `at` behind it. A truncated or stray byte counts as itself.
inline char32_t decode_utf8(const char*& at, const char* end) {
    const auto lead = static_cast<unsigned char>(*at);
    const size_t length = utf8_length(lead);
    if (length == 1 || static_cast<size_t>(end - at) < length) {
        ++at;
        return lead;
    }
    char32_t code = lead & (0xFFu >> (length + 1));
    for (size_t k = 1; k < length; ++k) code = (code << 6) | (static_cast<unsigned char>(at[k]) & 0x3F);
    at += length;
    return code;
}

inline void append_utf8(std::string& out, char32_t code) {
    if (code < 0x80) {
        out.push_back(static_cast<char>(code));
    } else if (code < 0x800) {
        out.push_back(static_cast<char>(0xC0 | (code >> 6)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | (code >> 12)));
        out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    } else {
        out.push_back(static_cast<char>(0xF0 | (code >> 18)));
        out.push_back(static_cast<char>(0x80 | ((code >> 12) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | ((code >> 6) & 0x3F)));
        out.push_back(static_cast<char>(0x80 | (code & 0x3F)));
    }
}

inline bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The length of the valid sequence at `at`, or 0: no overlong forms, no surrogates, nothing above U+10FFFF.
inline size_t valid_sequence(const unsigned char* at, size_t left) {
    const unsigned char lead = at[0];
    if (lead < 0x80) return 1;
    const size_t length = utf8_length(lead);
    if (length == 1 || left < length) return 0;
    for (size_t k = 1; k < length; ++k)
        if (!is_continuation(at[k])) return 0;
    const unsigned char second = at[1];
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F)) return 0;
    if ((lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) return 0;
    return length;
}

// The offset of the first byte that is not valid UTF-8, or -1.
inline int64_t first_invalid_utf8(std::string_view text) {
    const auto* data = reinterpret_cast<const unsigned char*>(text.data());
    const size_t size = text.size();
    size_t at = 0;
    while (at < size) {
        uint64_t words[2];
        while (at + sizeof words <= size) {  // sixteen ASCII bytes at a time
            std::memcpy(words, data + at, sizeof words);
            if ((words[0] | words[1]) & 0x8080808080808080ULL) break;
            at += sizeof words;
        }
        const size_t stop = at + sizeof words < size ? at + sizeof words : size;
        while (at < stop) {
            const size_t length = valid_sequence(data + at, size - at);
            if (length == 0) return static_cast<int64_t>(at);
            at += length;
        }
    }
    return -1;
}

}  // namespace tertium
