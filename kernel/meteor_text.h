// METEOR 1.5's own tokeniser (its option -norm), pass by pass: each pass sees what the one before it has written, and
// a character that one match has used up cannot begin the next, so their number and order are part of the definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "unicode.h"
#include "utf8.h"

namespace tertium {

enum class Apostrophes { right, left, both };  // it 's (English), l' homme (French), l ' uomo (others)

class MeteorNormaliser {
public:
    MeteorNormaliser(Apostrophes apostrophes, bool no_punct) : apostrophes_(apostrophes), no_punct_(no_punct) {}

    // A word whose final period is part of it: always, or before numbers only.
    void add_prefix(std::string_view word, bool numbers_only) {
        decode(word);
        prefixes_[text_] = numbers_only;
    }

    // The line in lower case, with spaces around what is set apart; written to `out` (replaced).
    void operator()(std::string_view line, std::string& out) {
        separate(line);
        separate_commas();
        quotes();
        dashes();
        apostrophes();
        periods();
        write(out);
    }

private:
    static constexpr char32_t run_dot = 0x200000;  // a period among several; no decoder makes it

    static bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
    static bool is_letter(char32_t c) {
        if (c < 0x80) return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (c < 0x180) return (c >= 0xC0 && c <= 0xD6) || (c >= 0xD8 && c <= 0xF6) || (c >= 0xF8 && c <= 0x17E);
        return (c >= 0x400 && c <= 0x527) || (c >= 0x1D00 && c <= 0x1D7F) || (c >= 0xA640 && c <= 0xA66E) ||
               (c >= 0xA67E && c <= 0xA697);
    }
    static bool is_word(char32_t c) { return is_letter(c) || is_digit(c); }
    static bool is_break(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
    static bool stays(char32_t c) {  // what the first pass does not set apart
        return is_word(c) || is_break(c) || c == 0x0B || c == '.' || c == '\'' || c == '`' || c == ',' || c == '-' ||
               c == 0x2018 || c == 0x2019;
    }
    static bool is_wide_space(char32_t c) {
        return c == 0xA0 || c == 0x1680 || c == 0x180E || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
               c == 0x3000;
    }

    void decode(std::string_view line) {
        text_.clear();
        const char* at = line.data();
        const char* const end = at + line.size();
        while (at < end) text_.push_back(decode_utf8(at, end));
    }

    void separate(std::string_view line) {
        text_.assign(1, U' ');
        const char* at = line.data();
        const char* const end = at + line.size();
        while (at < end) {
            const char32_t c = decode_utf8(at, end);
            if (c == '.' && at < end && *at == '.') {
                text_.append(2, U' ').back() = run_dot;
                for (; at < end && *at == '.'; ++at) text_.push_back(run_dot);
                text_.push_back(U' ');
            } else if (stays(c)) {
                text_.push_back(c);
            } else {
                text_.append({U' ', c, U' '});
            }
        }
        text_.push_back(U' ');
    }

    // Every `mark` between two such characters becomes `becomes`.
    template <class Before, class After>
    void between(char32_t mark, Before before, After after, std::u32string_view becomes) {
        if (text_.find(mark) == std::u32string::npos) return;
        next_.clear();
        for (size_t i = 0; i < text_.size();) {
            next_.push_back(text_[i]);
            if (i + 2 < text_.size() && text_[i + 1] == mark && before(text_[i]) && after(text_[i + 2])) {
                next_.append(becomes).push_back(text_[i + 2]);
                i += 3;
            } else {
                ++i;
            }
        }
        text_.swap(next_);
    }

    void separate_commas() {
        const auto digit = is_digit;
        const auto other = [](char32_t c) { return !is_digit(c); };
        between(U',', other, other, U" , ");
        between(U',', digit, other, U" , ");
        between(U',', other, digit, U" , ");
    }

    void quotes() {
        bool any = false;
        for (char32_t& c : text_) {
            if (c == '`' || c == 0x2018 || c == 0x2019) c = '\'';
            any |= c == '\'' || c == 0x201C || c == 0x201D;
        }
        if (!any) return;
        next_.clear();
        for (size_t i = 0; i < text_.size(); ++i) {
            const bool two = text_[i] == '\'' && i + 1 < text_.size() && text_[i + 1] == '\'';
            if (two || text_[i] == 0x201C || text_[i] == 0x201D)
                next_.append(U" \" ");
            else
                next_.push_back(text_[i]);
            i += two;
        }
        text_.swap(next_);
    }

    void dashes() {
        bool any = false;
        for (char32_t& c : text_) {
            if (c == 0x2013) c = '-';
            any |= c == '-';
        }
        if (!any) return;
        next_.clear();
        for (size_t i = 0; i < text_.size(); ++i) {
            next_.push_back(text_[i]);
            if (text_[i] == '-' && i + 1 < text_.size() && text_[i + 1] == '-') ++i;
        }
        text_.swap(next_);
        between(U'-', [](char32_t c) { return is_word(c) || c == '.'; }, is_word, U" ");
    }

    void apostrophes() {
        const auto letter = is_letter;
        const auto other = [](char32_t c) { return !is_letter(c); };
        const auto neither = [](char32_t c) { return !is_word(c); };
        if (apostrophes_ == Apostrophes::both) {
            next_.clear();
            for (const char32_t c : text_) c == '\'' ? next_.append(U" ' ") : next_.append(1, c);
            text_.swap(next_);
            return;
        }
        between(U'\'', other, other, U" ' ");
        if (apostrophes_ == Apostrophes::right) {
            between(U'\'', neither, letter, U" ' ");
            between(U'\'', letter, other, U" ' ");
            between(U'\'', letter, letter, U" '");
            between(U'\'', is_digit, [](char32_t c) { return c == 's'; }, U" '");
        } else {
            between(U'\'', other, letter, U" ' ");
            between(U'\'', letter, other, U" ' ");
            between(U'\'', letter, letter, U"' ");
        }
    }

    // Final periods become words, unless the word is known to have one or what follows goes on in lower case.
    void periods() {
        next_.clear();
        size_t at = 0;
        const auto skip = [&](size_t from, bool breaks) {
            while (from < text_.size() && is_break(text_[from]) == breaks) ++from;
            return from;
        };
        for (at = skip(at, true); at < text_.size();) {
            const size_t end = skip(at, false), following = skip(end, true);
            finish(std::u32string_view(text_).substr(at, end - at), following < text_.size() ? text_[following] : U' ');
            next_.push_back(U' ');
            at = following;
        }
        text_.swap(next_);
    }

    void finish(std::u32string_view word, char32_t following) {
        if (word.size() < 2 || word.back() != '.') {
            next_.append(word);
            return;
        }
        const std::u32string_view stem = word.substr(0, word.size() - 1);
        bool dotted = false, lettered = false;
        for (const char32_t c : stem) {
            dotted |= c == '.';
            lettered |= is_letter(c);
        }
        if (dotted && lettered) {  // U.S. as US
            for (const char32_t c : stem)
                if (c != '.') next_.push_back(c);
            return;
        }
        const auto known = prefixes_.find(key_.assign(stem));
        const bool listed = known != prefixes_.end();
        const bool goes_on = following >= 'a' && following <= 'z';
        if (goes_on || (listed && (!known->second || is_digit(following))))
            next_.append(word);
        else
            next_.append(stem).append(U" .");
    }

    void write(std::string& out) {
        raw_.clear();
        for (char32_t c : text_) {
            if (c == run_dot) c = '.';
            if (is_wide_space(c) || (no_punct_ && !is_word(c))) c = ' ';
            append_utf8(raw_, c);
        }
        std::string_view line = raw_;
        const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
        while (!line.empty() && blank(line.front())) line.remove_prefix(1);
        while (!line.empty() && blank(line.back())) line.remove_suffix(1);
        lower_utf8(line, out);
    }

    Apostrophes apostrophes_;
    bool no_punct_;
    std::unordered_map<std::u32string, bool> prefixes_;  // word -> before numbers only
    std::u32string text_, next_, key_;
    std::string raw_;
};

}  // namespace tertium
