// Tokenizers. Every one of them only inserts boundaries, so a token is a view into a copy of the line (lower-cased,
// entities decoded) and nothing is joined and split again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "marks.h"
#include "mteval.h"
#include "porter.h"
#include "unicode.h"
#include "utf8.h"
#include "vocabulary.h"

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
    alnum,        // runs of ASCII letters and digits, stemmed if asked: ROUGE's words
};

struct TokenizerOptions {
    Scheme scheme = Scheme::none;
    bool lowercase = false;
    bool normalized = false, no_punct = false, asian = false;  // tercom only
    bool stem = false;                                         // alnum only
};
namespace detail {

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
            case Scheme::alnum: alnum(line); break;
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

    void alnum(std::string_view line) {
        const auto counts = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
        for (auto at = line.begin(); at != line.end();) {
            const auto first = std::find_if(at, line.end(), counts);
            at = std::find_if_not(first, line.end(), counts);
            if (first != at) words_.push_back({&*first, static_cast<size_t>(at - first)});
        }
        if (!options_.stem) return;
        kept_.clear();
        kept_.reserve(line.size() + words_.size() + readable_bytes);  // the views below must not move
        words_.filter([&](std::string_view& word) {
            const size_t start = kept_.size();
            kept_.append(word.size() > 3 ? stem_(word) : word);
            word = std::string_view(kept_).substr(start);
            return true;
        });
        padded(kept_);
    }

    TokenizerOptions options_;
    PorterStemmer stem_;
    std::string text_, rewritten_, kept_;
    Words words_, pieces_;
};

}  // namespace tertium
