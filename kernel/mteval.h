// mteval's rules for setting words and punctuation apart: 13a, zh and intl.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "marks.h"
#include "unicode.h"
#include "utf8.h"
#include "vocabulary.h"

namespace tertium::detail {

// What a character means to the separating rules of mteval.
enum class Kind : uint8_t {
    other,
    space,
    alone,  // always a token of its own
    point,  // a token of its own unless digits protect it
    digit,
    dash,   // a token of its own after a digit
};

// ASCII characters that mteval-v13a always sets apart: all punctuation but the apostrophe, comma, dash and period.
inline bool is_13a_symbol(char32_t c) {
    return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

inline Kind kind_13a(char32_t c) {
    if (c >= '0' && c <= '9') return Kind::digit;
    if (c == '.' || c == ',') return Kind::point;
    if (c == '-') return Kind::dash;
    if (is_space(c)) return Kind::space;
    return is_13a_symbol(c) ? Kind::alone : Kind::other;
}

// sacreBLEU's list of Chinese characters as it acts: two of its ranges are written with five hexadecimal digits
// after \u, which makes them U+2001-2A6D and U+2F81-2FA1.
inline bool is_chinese(char32_t c) {
    static constexpr unicode_tables::Range ranges[] = {
        {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3000, 0x303F}, {0x3100, 0x312F},
        {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x32FF}, {0x3300, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB},
        {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF},
    };
    if (c < 0x2001 || c > 0xFFEF) return false;
    for (const auto& range : ranges)
        if (c >= range.first && c <= range.last) return true;
    return false;
}

inline Kind kind_zh(char32_t c) {
    const Kind kind = kind_13a(c);
    return kind == Kind::other && is_chinese(c) ? Kind::alone : kind;
}

inline Kind kind_intl(char32_t c) {
    const auto& tables = Unicode::tables();
    if (is_space(c)) return Kind::space;
    if (tables.is_punctuation(c)) return Kind::point;
    if (tables.is_number(c)) return Kind::digit;
    return tables.is_symbol(c) ? Kind::alone : Kind::other;
}

// The rules "a point unless preceded by a digit" and "a point unless followed by a digit" are substitutions that
// consume two characters, so in a run of points every second one is passed over by the first rule. Worked out
// for a run of k points after x and before y: all become tokens, except that the last one stays with a digit y
// when it was passed over (k odd after a digit, even otherwise), and with x too when it is the only one.
inline bool last_point_stays(bool after_digit, bool before_digit, size_t run) {
    return before_digit && (run % 2 == 1) == after_digit;
}

// mteval's rules one code point at a time. `padded`: the line counts as surrounded by spaces; where it does not,
// its edges act like digits, because the two-character rules cannot match there.
template <class KindOf>
void separate(std::string_view line, bool padded, KindOf kind_of, Words& words) {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    const char* word = begin;  // where the word under way began
    const char* at = begin;
    Kind previous = padded ? Kind::space : Kind::digit;
    const auto close = [&](const char* here) {
        if (here > word) words.push_back(view(word, here));
    };
    while (at < end) {
        const char* const here = at;
        const Kind kind = kind_of(decode_utf8(at, end));
        if (kind == Kind::space) {
            close(here);
            word = at;
        } else if (kind == Kind::alone || (kind == Kind::dash && previous == Kind::digit && here > begin)) {
            close(here);
            words.push_back(view(here, at));
            word = at;
        } else if (kind == Kind::point) {
            size_t run = 1;
            const char* last = here;  // the last point of the run
            Kind next = padded ? Kind::space : Kind::digit;
            for (const char* ahead = at; ahead < end;) {
                const char* const point = ahead;
                next = kind_of(decode_utf8(ahead, end));
                if (next != Kind::point) break;
                last = point;
                at = ahead;
                ++run;
                next = padded ? Kind::space : Kind::digit;
            }
            const bool stays = last_point_stays(previous == Kind::digit, next == Kind::digit, run);
            if (!(stays && run == 1)) {
                close(here);
                const char* const stop = stays ? last : at;
                for (const char* point = here; point < stop;) {
                    const char* behind = point;
                    decode_utf8(behind, stop);
                    words.push_back(view(point, behind));
                    point = behind;
                }
                word = stop;
            }
        }
        previous = kind;
    }
    close(end);
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_point(char c) { return c == '.' || c == ','; }

// 13a on marked bytes only. False when the line holds '&', '<' or a newline and has to be rewritten first.
inline bool separate_13a(std::string_view line, bool rewritten, Words& words) {
    const char* const begin = line.data();
    const char* const end = begin + line.size();
    const char* word = begin;
    bool plain = true;
    const auto close = [&](const char* at) {
        if (at > word) words.push_back(view(word, at));
    };
    visit_marked<Marks13a>(begin, end, [&](const char* at) {
        if (at < word) return true;  // a point of a run that is already done
        const char c = *at;
        if (c == ' ') {
            close(at);
            word = at + 1;
        } else if (is_point(c)) {
            const bool after_digit = at > begin && is_digit(at[-1]);
            if (at > begin && is_point(at[-1])) return true;  // the last point of a run, kept with a digit
            const char* stop = at + 1;
            while (stop < end && is_point(*stop)) ++stop;
            const bool stays =
                last_point_stays(after_digit, stop < end && is_digit(*stop), static_cast<size_t>(stop - at));
            if (stays && stop == at + 1) return true;
            close(at);
            if (stays) --stop;
            for (; at < stop; ++at) words.push_back(view(at, at + 1));
            word = stop;
        } else if (c == '-') {
            if (at == begin || !is_digit(at[-1])) return true;
            close(at);
            words.push_back(view(at, at + 1));
            word = at + 1;
        } else if (!rewritten && (c == '&' || c == '<' || c == '\n')) {
            return plain = false;
        } else if (is_13a_symbol(static_cast<unsigned char>(c))) {
            close(at);
            words.push_back(view(at, at + 1));
            word = at + 1;
        } else if (const size_t length = space_length(at, end); length > 0) {
            close(at);
            word = at + length;
        }
        return true;
    });
    if (plain) close(end);
    return plain;
}}  // namespace tertium::detail
