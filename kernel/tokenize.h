// Tokenizers. Every one of them only inserts boundaries, so a token is a view into a copy of the line (lower-cased,
// entities decoded) and nothing is joined and split again.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unicode.h"
#include "utf8.h"
#include "vocabulary.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tertium {

enum class Scheme {
    none,         // white space
    mteval13a,    // mteval-v13a, sacreBLEU's default
    scalar13a,    // the same, one code point at a time: the twin that must agree
    intl,         // mteval-v14 --international-tokenization
    zh,           // 13a after setting every Chinese character apart
    character,    // every character that is not white space
    spaces,       // jiwer's words: runs of white space collapsed, then split on U+0020 only
    codepoints,   // jiwer's characters: stripped, inner spaces kept
    chrf_words,   // white space, then one punctuation mark off the end, else off the beginning
    tercom,       // tercom's Normalizer
};

struct TokenizerOptions {
    Scheme scheme = Scheme::none;
    bool lowercase = false;
    bool normalized = false, no_punct = false, asian = false;  // tercom only
};

namespace detail {

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
void visit_marked(const char* at, const char* end, Visit visit) {
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
void visit_marked(const char* at, const char* end, Visit visit) {
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
}
inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    size_t at = text.find(from);
    if (at == std::string::npos) return;
    std::string out;
    size_t done = 0;
    for (; at != std::string::npos; at = text.find(from, done)) {
        out.append(text, done, at - done).append(to);
        done = at + from.size();
    }
    text = out.append(text, done);
}

inline void decode_entities(std::string& text) {  // in this order: "&amp;lt;" ends as "<"
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
}

inline void rewrite_13a(std::string& text) {
    replace_all(text, "<skipped>", "");
    replace_all(text, "-\n", "");
    replace_all(text, "\n", " ");
    decode_entities(text);
}

// tercom's possessive: "'s" before a space becomes a word; symbols have been set apart by then.
inline void split_possessives(std::string& text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "'s") == 0) {
            const auto next = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : ' ';
            if (next == ' ' || is_13a_symbol(next)) out.push_back(' ');
        }
        out.push_back(text[i]);
    }
    text = std::move(out);
}

inline void rewrite_tercom(std::string& text) {
    replace_all(text, "\n-", "");
    replace_all(text, "\n", " ");
    decode_entities(text);
    split_possessives(text);
}

inline bool is_asian_punctuation(char32_t c) {
    return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) || (c >= 0x3014 && c <= 0x301F) ||
           (c >= 0xFF61 && c <= 0xFF65) || c == 0x30FB || c == 0xFF0E || c == 0xFF0C || c == 0xFF1F || c == 0xFF1A ||
           c == 0xFF1B || c == 0xFF01 || c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
}

// Characters that tercom's Asian support sets apart. (Its rules for kana can only match a line without the
// spaces that its own normalisation has just put around it, so they never act.)
inline bool is_asian(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x31C0 && c <= 0x31EF) ||
           (c >= 0x2E80 && c <= 0x2EFF) || (c >= 0x3200 && c <= 0x3F22) || (c >= 0xF900 && c <= 0xFAFF) ||
           (c >= 0xFE30 && c <= 0xFE4F) || is_asian_punctuation(c);
}

inline bool is_removed_punctuation(char32_t c, bool asian) {
    if (c < 0x80) return std::string_view(".,?:;!\"()").find(static_cast<char>(c)) != std::string_view::npos;
    return asian && is_asian_punctuation(c);
}

inline bool is_ascii_punctuation(char c) {
    return is_13a_symbol(static_cast<unsigned char>(c)) || c == '\'' || c == ',' || c == '-' || c == '.';
}

}  // namespace detail

// Tokenizes line after line into memory it keeps; the words stay valid until the next call.
class Tokenizer {
public:
    explicit Tokenizer(TokenizerOptions options) : options_(options) {}

    const Words& operator()(std::string_view line) {
        if (options_.lowercase)
            lower_utf8(line, text_);
        else
            text_.assign(line);
        line = padded(text_);
        words_.open(line.size() + 1);
        using namespace detail;
        switch (options_.scheme) {
            case Scheme::none: split_space(line, words_); break;
            case Scheme::mteval13a: mteval13a(line); break;
            case Scheme::scalar13a: scalar13a(strip_right(line)); break;
            case Scheme::intl: separate(strip_right(line), false, kind_intl, words_); break;
            case Scheme::zh: separate(strip_left(strip_right(line)), false, kind_zh, words_); break;
            case Scheme::character: characters(line, true); break;
            case Scheme::spaces: split_jiwer(strip_left(strip_right(line)), words_); break;
            case Scheme::codepoints: characters(strip_left(strip_right(line)), false); break;
            case Scheme::chrf_words: chrf_words(line); break;
            case Scheme::tercom: tercom(strip_right(line)); break;
        }
        return words_;
    }

private:
    // Zeros behind a text, so that whoever reads its words may read ahead (vocabulary.h).
    static std::string_view padded(std::string& text) {
        const size_t size = text.size();
        text.append(readable_bytes, '\0');
        return std::string_view(text).substr(0, size);
    }

    void mteval13a(std::string_view line) {
        if (detail::separate_13a(line, false, words_)) return;
        rewritten_ = detail::strip_right(line);  // matters before a final "-\n" only
        detail::rewrite_13a(rewritten_);
        words_.open(rewritten_.size() + 1);
        detail::separate_13a(padded(rewritten_), true, words_);
    }

    void scalar13a(std::string_view line) {
        rewritten_ = line;
        detail::rewrite_13a(rewritten_);
        detail::separate(padded(rewritten_), true, detail::kind_13a, words_);
    }

    void characters(std::string_view line, bool drop_space) {
        const char* const end = line.data() + line.size();
        for (const char* at = line.data(); at < end;) {
            const char* const here = at;
            const char32_t c = decode_utf8(at, end);
            if (!(drop_space && is_space(c))) words_.push_back(detail::view(here, at));
        }
    }

    // chrF++ (Popovic 2017): a word of more than one character gives up one final punctuation mark, else one initial.
    void chrf_words(std::string_view line) {
        pieces_.open(line.size() + 1);
        detail::split_space(line, pieces_);
        for (const std::string_view piece : pieces_) {
            const size_t first = utf8_length(static_cast<unsigned char>(piece.front()));
            if (piece.size() <= first) {
                words_.push_back(piece);
            } else if (detail::is_ascii_punctuation(piece.back())) {
                words_.push_back(piece.substr(0, piece.size() - 1));
                words_.push_back(piece.substr(piece.size() - 1));
            } else if (detail::is_ascii_punctuation(piece.front())) {
                words_.push_back(piece.substr(0, 1));
                words_.push_back(piece.substr(1));
            } else {
                words_.push_back(piece);
            }
        }
    }

    void tercom(std::string_view line) {
        if (options_.normalized) {
            rewritten_ = line;
            detail::rewrite_tercom(rewritten_);
            words_.open(rewritten_.size() + 1);
            detail::separate(padded(rewritten_), true, detail::kind_13a, words_);
            if (options_.asian) split_asian();
        } else {
            detail::split_space(line, words_);
        }
        if (options_.no_punct) remove_punctuation();
    }

    void split_asian() {
        set_aside();
        for (const std::string_view piece : pieces_)
            detail::separate(
                piece, true, [](char32_t c) { return detail::is_asian(c) ? detail::Kind::alone : detail::Kind::other; },
                words_);
    }

    void remove_punctuation() {
        size_t size = readable_bytes;
        for (const std::string_view word : words_) size += word.size();
        kept_.clear();
        kept_.reserve(size);  // the views below must not move
        set_aside();
        for (const std::string_view piece : pieces_) {
            const size_t start = kept_.size();
            const char* const end = piece.data() + piece.size();
            for (const char* at = piece.data(); at < end;) {
                const char* const here = at;
                if (!detail::is_removed_punctuation(decode_utf8(at, end), options_.asian)) kept_.append(here, at);
            }
            if (kept_.size() > start) words_.push_back(std::string_view(kept_).substr(start));
        }
        padded(kept_);
    }

    // The words become pieces that are made into words again, at most as many as they have bytes.
    void set_aside() {
        size_t bytes = 0;
        for (const std::string_view word : words_) bytes += word.size();
        std::swap(pieces_, words_);
        words_.open(bytes);
    }

    TokenizerOptions options_;
    std::string text_, rewritten_, kept_;
    Words words_, pieces_;
};

}  // namespace tertium
