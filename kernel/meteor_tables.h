// What METEOR knows about words: their numbers, their synonyms, their paraphrases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "secrets.h"
#include "utf8.h"

namespace tertium {

using Symbols = std::span<const uint32_t>;

// Java's String.hashCode: all that METEOR 1.5 tells words apart by.
inline uint32_t java_hash(std::string_view word) {
    uint32_t hash = 0;
    const char* const end = word.data() + word.size();
    for (const char* at = word.data(); at < end;) {
        const char32_t c = decode_utf8(at, end);
        if (c >= 0x10000) hash = 31 * hash + (0xD800 + static_cast<uint32_t>((c - 0x10000) >> 10));
        hash = 31 * hash + (c >= 0x10000 ? 0xDC00 + static_cast<uint32_t>((c - 0x10000) & 0x3FF) : static_cast<uint32_t>(c));
    }
    return hash;
}

// Calls `visit` with every word of a line; METEOR's words are separated by these five characters.
template <class Visit>
void visit_words(std::string_view line, Visit visit) {
    const auto is_break = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v'); };
    const size_t size = line.size();
    for (size_t at = 0; at < size;) {
        while (at < size && is_break(line[at])) ++at;
        const size_t start = at;
        while (at < size && !is_break(line[at])) ++at;
        if (at > start) visit(line.substr(start, at - start));
    }
}

// Calls `visit` with every line of a text, without its end.
template <class Visit>
void visit_lines(std::string_view text, Visit visit) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end > 0 && text[end - 1] == '\r' ? end - 1 : end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// Words to numbers 0, 1, 2 ... in order of first appearance; keeps their texts.
class WordNumbers {
public:
    static constexpr uint32_t none = UINT32_MAX;

    uint32_t add(std::string_view word) {
        if (2 * starts_.size() > slots_.size()) grow();
        uint32_t& slot = slots_[locate(word)];
        if (slot == none) {
            slot = static_cast<uint32_t>(size());
            letters_.append(word);
            starts_.push_back(letters_.size());
        }
        return slot;
    }
    uint32_t find(std::string_view word) const { return slots_[locate(word)]; }
    // How many slots are looked at in vain before that of a word.
    size_t steps(std::string_view word) const {
        size_t count = 0;
        locate(word, [&] { ++count; });
        return count;
    }
    std::string_view operator[](uint32_t number) const {
        return std::string_view(letters_).substr(starts_[number], starts_[number + 1] - starts_[number]);
    }
    size_t size() const { return starts_.size() - 1; }

private:
    template <class Step = NoStep>
    size_t locate(std::string_view word, Step step = {}) const {
        const size_t mask = slots_.size() - 1;
        size_t at = hash_text(word) & mask;
        for (; slots_[at] != none && (*this)[slots_[at]] != word; at = (at + 1) & mask) step();
        return at;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), none);
        for (uint32_t k = 0; k < size(); ++k) slots_[locate((*this)[k])] = k;
    }

    std::string letters_;
    std::vector<size_t> starts_ = {0};
    std::vector<uint32_t> slots_ = std::vector<uint32_t>(256, none);
};

// Lists of numbers, one after the other.
class NumberLists {
public:
    void open(size_t lists, const std::vector<std::pair<uint32_t, uint32_t>>& pairs) {  // (list, number)
        starts_.assign(lists + 1, 0);
        for (const auto& pair : pairs) ++starts_[pair.first + 1];
        for (size_t k = 0; k < lists; ++k) starts_[k + 1] += starts_[k];
        numbers_.resize(pairs.size());
        std::vector<size_t> at(starts_.begin(), starts_.end() - 1);
        for (const auto& pair : pairs) numbers_[at[pair.first]++] = pair.second;
    }
    Symbols operator[](size_t list) const { return {numbers_.data() + starts_[list], starts_[list + 1] - starts_[list]}; }
    size_t size() const { return starts_.size() - 1; }

private:
    std::vector<size_t> starts_ = {0};
    std::vector<uint32_t> numbers_;
};

// Sets of words with a common meaning, one a line; behind an empty line, inflected forms with their base forms.
class Synonyms {
public:
    explicit Synonyms(std::string_view text) {
        std::vector<std::pair<uint32_t, uint32_t>> sets, bases;
        bool forms = false;
        visit_lines(text, [&](std::string_view line) {
            forms |= line.empty();
            uint32_t form = WordNumbers::none;
            visit_words(line, [&](std::string_view word) {
                if (!forms)
                    sets.emplace_back(words_.add(word), sets_);
                else if (form == WordNumbers::none)
                    form = forms_.add(word);
                else if (const uint32_t base = words_.find(word); base != WordNumbers::none)
                    bases.emplace_back(form, base);
            });
            sets_ += !forms;
        });
        sets_of_.open(words_.size(), sets);
        bases_of_.open(forms_.size(), bases);
    }
    size_t words() const { return words_.size(); }
    size_t sets() const { return sets_; }

    // Calls `visit` with every set of a word and of its base forms, some of them more than once.
    template <class Visit>
    void visit_sets(std::string_view word, bool english, Visit visit) const {
        const auto all = [&](uint32_t number) {
            for (const uint32_t set : sets_of_[number]) visit(set);
        };
        if (const uint32_t number = words_.find(word); number != WordNumbers::none) all(number);
        if (const uint32_t form = forms_.find(word); form != WordNumbers::none)
            for (const uint32_t base : bases_of_[form]) all(base);
        else if (english)
            if (const uint32_t base = detach(word); base != WordNumbers::none) all(base);
    }

private:
    // WordNet's rules of detachment (morphy): the first that leads to a known word.
    uint32_t detach(std::string_view word) const {
        static constexpr std::pair<std::string_view, std::string_view> rules[] = {
            {"s", ""},     {"ses", "s"},   {"xes", "x"}, {"zes", "z"}, {"ches", "ch"}, {"shes", "sh"}, {"men", "man"},
            {"ies", "y"},  {"es", "e"},    {"es", ""},   {"ed", "e"},  {"ed", ""},     {"ing", "e"},   {"ing", ""},
            {"er", ""},    {"est", ""},    {"er", "e"},  {"est", "e"}};
        const auto letters = std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); });
        if (word.ends_with("ss") || letters <= 2) return WordNumbers::none;
        std::string base;
        for (const auto& [suffix, ending] : rules) {
            if (!word.ends_with(suffix)) continue;
            base.assign(word.substr(0, word.size() - suffix.size())).append(ending);
            if (const uint32_t number = words_.find(base); number != WordNumbers::none) return number;
        }
        return WordNumbers::none;
    }

    WordNumbers words_, forms_;
    NumberLists sets_of_, bases_of_;
    uint32_t sets_ = 0;
};

// METEOR's paraphrase table: three lines an entry, a probability that nobody uses, a phrase, its paraphrase.
class Paraphrases {
public:
    explicit Paraphrases(std::string_view text) {
        size_t line_number = 0;
        uint32_t state = 0;
        std::vector<uint32_t> phrase, other;
        visit_lines(text, [&](std::string_view line) {
            if (line_number++ % 3 == 0) return;
            std::vector<uint32_t>& words = line_number % 3 == 2 ? phrase : other;
            words.clear();
            visit_words(line, [&](std::string_view word) { words.push_back(words_.add(word)); });
            if (line_number % 3 != 0 || phrase.empty() || other.empty() || phrase == other) return;
            state = 0;
            for (const uint32_t word : phrase) {
                const auto [step, fresh] = steps_.try_emplace(uint64_t{state} << 32 | word, static_cast<uint32_t>(first_.size()));
                if (fresh) {
                    first_.push_back(none);
                    last_.push_back(none);
                }
                state = step->second;
            }
            const auto entry = static_cast<uint32_t>(next_.size());
            (first_[state] == none ? first_[state] : next_[last_[state]]) = entry;
            last_[state] = entry;
            next_.push_back(none);
            letters_.insert(letters_.end(), other.begin(), other.end());
            ends_.push_back(letters_.size());
        });
    }
    size_t size() const { return next_.size(); }
    uint32_t number(std::string_view word) const { return words_.find(word); }
    Symbols operator[](uint32_t entry) const { return {letters_.data() + ends_[entry], ends_[entry + 1] - ends_[entry]}; }

    // Calls `visit(length, entry)` for every phrase that begins at `at`, shorter ones first, until it returns false.
    template <class Visit>
    void visit_phrases(Symbols words, size_t at, Visit visit) const {
        uint32_t state = 0;
        for (size_t k = at; k < words.size() && words[k] != WordNumbers::none; ++k) {
            const auto step = steps_.find(uint64_t{state} << 32 | words[k]);
            if (step == steps_.end()) return;
            state = step->second;
            for (uint32_t entry = first_[state]; entry != none; entry = next_[entry])
                if (!visit(k + 1 - at, entry)) return;
        }
    }

private:
    static constexpr uint32_t none = UINT32_MAX;

    WordNumbers words_;
    std::unordered_map<uint64_t, uint32_t, HashNumber> steps_;  // (state, word) -> state
    std::vector<uint32_t> first_ = {none}, last_ = {none};    // entries of a state
    std::vector<uint32_t> next_;                              // entry -> the next of the same phrase
    std::vector<size_t> ends_ = {0};
    std::vector<uint32_t> letters_;                           // the words of all paraphrases
};

}  // namespace tertium
