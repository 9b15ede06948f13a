// Porter's stemmer (Porter 1980) with the changes that NLTK makes by default: a list of irregular words, short words in
// -ies and -ied, y after a consonant only, -alli before the other rules of its step. Words are lower-case ASCII.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tertium {

class PorterStemmer {
public:
    // The stem, valid until the next call.
    std::string_view operator()(std::string_view word) {
        for (const auto& [form, stem] : irregular)
            if (word == form) return stem;
        word_.assign(word);
        if (word.size() <= 2) return word_;
        read();
        plural();
        past();
        if (ends("y") && size() > 2 && consonant(size() - 2)) replace(1, "i");
        derivations();
        apply(third);
        remove_ending();
        tidy();
        return word_;
    }

private:
    struct Rule {
        std::string_view ending, replacement;
    };
    static constexpr std::pair<std::string_view, std::string_view> irregular[] = {
        {"sky", "sky"},         {"skies", "sky"},       {"dying", "die"},        {"lying", "lie"},       {"tying", "tie"},
        {"news", "news"},       {"innings", "inning"},  {"inning", "inning"},    {"outings", "outing"},  {"outing", "outing"},
        {"cannings", "canning"}, {"canning", "canning"}, {"howe", "howe"},       {"proceed", "proceed"}, {"exceed", "exceed"},
        {"succeed", "succeed"}};
    static constexpr Rule second[] = {{"ational", "ate"}, {"tional", "tion"}, {"enci", "ence"},  {"anci", "ance"},   {"izer", "ize"},
                                      {"bli", "ble"},     {"alli", "al"},     {"entli", "ent"},  {"eli", "e"},       {"ousli", "ous"},
                                      {"ization", "ize"}, {"ation", "ate"},   {"ator", "ate"},   {"alism", "al"},    {"iveness", "ive"},
                                      {"fulness", "ful"}, {"ousness", "ous"}, {"aliti", "al"},   {"iviti", "ive"},   {"biliti", "ble"},
                                      {"fulli", "ful"}};
    static constexpr Rule third[] = {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ful", ""}, {"ness", ""}};
    static constexpr std::string_view fourth[] = {"al",  "ance", "ence", "er",  "ic",  "able", "ible", "ant", "ement", "ment",
                                                  "ent", "ion",  "ou",   "ism", "ate", "iti",  "ous",  "ive", "ize"};

    size_t size() const { return word_.size(); }
    bool ends(std::string_view ending) const { return std::string_view(word_).ends_with(ending); }
    bool consonant(size_t at) const { return consonants_[at] != 0; }

    // Which letters are consonants; y is one at the beginning and after a vowel.
    void read() {
        consonants_.resize(size());
        for (size_t at = 0; at < size(); ++at) {
            const char c = word_[at];
            const bool vowel = c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
            consonants_[at] = c == 'y' ? at == 0 || consonants_[at - 1] == 0 : !vowel;
        }
    }
    void replace(size_t letters, std::string_view by) {
        word_.resize(size() - letters);
        word_.append(by);
        read();
    }
    // How many times consonants follow vowels in the first letters: Porter's m.
    size_t measure(size_t letters) const {
        size_t m = 0;
        for (size_t at = 1; at < letters; ++at) m += consonant(at) && !consonant(at - 1);
        return m;
    }
    bool has_vowel(size_t letters) const {
        for (size_t at = 0; at < letters; ++at)
            if (!consonant(at)) return true;
        return false;
    }
    // Consonant, vowel, consonant other than w, x and y; or a word of a vowel and a consonant.
    bool ends_short(size_t letters) const {
        if (letters == 2) return !consonant(0) && consonant(1);
        if (letters < 3 || !consonant(letters - 3) || consonant(letters - 2) || !consonant(letters - 1)) return false;
        const char last = word_[letters - 1];
        return last != 'w' && last != 'x' && last != 'y';
    }

    void plural() {
        if (ends("ies"))
            replace(3, size() == 4 ? "ie" : "i");
        else if (ends("sses"))
            replace(2, "");
        else if (ends("s") && !ends("ss"))
            replace(1, "");
    }

    void past() {
        if (ends("ied")) return replace(3, size() == 4 ? "ie" : "i");
        if (ends("eed")) {
            if (measure(size() - 3) > 0) replace(1, "");
            return;
        }
        const size_t letters = ends("ed") ? 2 : ends("ing") ? 3 : 0;
        if (letters == 0 || !has_vowel(size() - letters)) return;
        replace(letters, "");
        const char last = word_.back();
        if (ends("at") || ends("bl") || ends("iz"))
            replace(0, "e");
        else if (size() > 1 && word_[size() - 2] == last && consonant(size() - 1))
            replace(last == 'l' || last == 's' || last == 'z' ? 0 : 1, "");
        else if (measure(size()) == 1 && ends_short(size()))
            replace(0, "e");
    }

    // The first rule whose ending the word has; it acts where a vowel and a consonant stand before the ending.
    bool apply(std::span<const Rule> rules) {
        for (const auto& [ending, replacement] : rules)
            if (ends(ending)) {
                if (measure(size() - ending.size()) > 0) replace(ending.size(), replacement);
                return true;
            }
        return false;
    }

    void derivations() {
        if (ends("alli") && measure(size() - 4) > 0) replace(2, "");
        if (!apply(second) && ends("logi") && measure(size() - 3) > 0) replace(1, "");
    }

    void remove_ending() {
        for (const std::string_view ending : fourth)
            if (ends(ending)) {
                const size_t letters = size() - ending.size();
                const bool fits = ending != "ion" || (letters > 0 && (word_[letters - 1] == 's' || word_[letters - 1] == 't'));
                if (fits && measure(letters) > 1) replace(ending.size(), "");
                return;
            }
    }

    void tidy() {
        if (ends("e")) {
            const size_t m = measure(size() - 1);
            if (m > 1 || (m == 1 && !ends_short(size() - 1))) replace(1, "");
        }
        if (ends("ll") && measure(size() - 1) > 1) replace(1, "");
    }

    std::string word_;
    std::vector<uint8_t> consonants_;
};

}  // namespace tertium
