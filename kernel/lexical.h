// What the learned metric `lexical` counts besides n-grams: words in common by weight and by kind, the heaviest word that
// is missing or too many, the longest common subsequence, the fewest edits, how both sides begin and end.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edits.h"
#include "segments.h"
#include "tokenize.h"
#include "types.h"
#include "unicode.h"
#include "vocabulary.h"

namespace tertium {

// How much a word counts: rare ones more than frequent ones, and one that is not in the table as much as any (1).
class WordWeights {
public:
    void add(std::string_view word, double weight) {
        if (types_.add(word) > weights_.size()) weights_.push_back(weight);  // of equal words the first
    }
    double operator[](std::string_view word) const {
        const uint32_t number = types_.find(word);
        return number == 0 ? 1.0 : weights_[number - 1];
    }

private:
    Types types_;
    std::vector<double> weights_;
};

// Length of the longest common subsequence, 64 reference symbols at a time (Hyyro 2004): a zero in the vector is a
// place where the length grows.
class CommonSubsequence {
public:
    // `symbols`: every number in the sequences is at most this.
    int64_t length(Symbols reference, Symbols output, uint32_t symbols) {
        size_t ends = 0, shorter = std::min(reference.size(), output.size());
        while (ends < shorter && reference[ends] == output[ends]) ++ends;
        reference = reference.subspan(ends);
        output = output.subspan(ends);
        shorter -= ends;
        size_t behind = 0;
        while (behind < shorter && reference[reference.size() - 1 - behind] == output[output.size() - 1 - behind]) ++behind;
        reference = reference.first(reference.size() - behind);
        output = output.first(output.size() - behind);
        const auto kept = static_cast<int64_t>(ends + behind);
        if (reference.empty() || output.empty()) return kept;
        return kept + (reference.size() <= 64 ? count_word(reference, output, symbols) : count_blocks(reference, output, symbols));
    }

private:
    int64_t count_word(Symbols reference, Symbols output, uint32_t symbols) {
        if (equal_.size() <= symbols) equal_.resize(symbols + size_t{1});
        for (size_t i = 0; i < reference.size(); ++i) equal_[reference[i]] |= uint64_t{1} << i;
        uint64_t vector = ~uint64_t{0};
        for (const uint32_t symbol : output) {
            const uint64_t hit = vector & equal_[symbol];
            vector = (vector + hit) | (vector & ~hit);
        }
        for (const uint32_t symbol : reference) equal_[symbol] = 0;
        return std::popcount(~vector & (~uint64_t{0} >> (64 - reference.size())));
    }

    int64_t count_blocks(Symbols reference, Symbols output, uint32_t symbols) {
        occurrences_.index(reference, symbols);
        const size_t blocks = (reference.size() + 63) / 64;
        vector_.assign(blocks, ~uint64_t{0});
        bits_.assign(blocks, 0);
        for (const uint32_t symbol : output) {
            const auto places = occurrences_[symbol];
            for (const size_t place : places) bits_[place / 64] |= uint64_t{1} << (place % 64);
            uint64_t carry = 0;
            for (size_t b = 0; b < blocks; ++b) {
                const uint64_t before = vector_[b], hit = before & bits_[b];
                const uint64_t half = before + hit, sum = half + carry;
                carry = (half < before) | (sum < half);
                vector_[b] = sum | (before & ~hit);
            }
            for (const size_t place : places) bits_[place / 64] = 0;
        }
        int64_t length = 0;
        for (size_t b = 0; b < blocks; ++b) {
            const size_t left = reference.size() - 64 * b;
            length += std::popcount(~vector_[b] & (left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1));
        }
        return length;
    }

    std::vector<uint64_t> equal_, vector_, bits_;
    Occurrences occurrences_;
};

// The columns that are filled, in this order. Words are those of the tokenizer `zh` (13a, Chinese characters apart),
// lower-cased except for numbers and capitalised words.
struct LexicalCounts {
    int64_t output_words = 0, reference_words = 0, matches = 0;
    int64_t output_types = 0, reference_types = 0;
    int64_t subsequence = 0;
    double output_weight = 0, reference_weight = 0, matched_weight = 0;
    double heaviest_missing = 0, heaviest_added = 0;
    int64_t longest_missing = 0, longest_added = 0;  // in characters
    int64_t output_numbers = 0, reference_numbers = 0, matched_numbers = 0;
    int64_t output_capitals = 0, reference_capitals = 0, matched_capitals = 0;  // from the second word on
    int64_t output_marks = 0, reference_marks = 0, matched_marks = 0;           // punctuation and symbols
    int64_t matched_stems = 0, matched_endings = 0;                             // the first four and the last three characters
    bool same_first = false, same_last = false, same_end = false;               // word, word, character

    int64_t output_chars = 0, reference_chars = 0;                              // white space inside counts
    int64_t char_edits = 0, lower_char_edits = 0, word_edits = 0, lower_word_edits = 0;

    static constexpr size_t columns = 33;
    void write(double* row) const {
        const auto put = [&row](auto... values) { ((*row++ = static_cast<double>(values)), ...); };
        put(output_words, reference_words, matches, output_types, reference_types, subsequence);
        put(output_weight, reference_weight, matched_weight, heaviest_missing, heaviest_added, longest_missing, longest_added);
        put(output_numbers, reference_numbers, matched_numbers, output_capitals, reference_capitals, matched_capitals);
        put(output_marks, reference_marks, matched_marks, matched_stems, matched_endings, same_first, same_last, same_end);
        put(output_chars, reference_chars, char_edits, lower_char_edits, word_edits, lower_word_edits);
    }
};

class LexicalStatistics {
public:
    explicit LexicalStatistics(const WordWeights& weights) : weights_(weights) {}

    LexicalCounts count(std::string_view output, std::string_view reference) {
        LexicalCounts counts;
        const Words& outputs = lower_output_(output);
        const Words& references = lower_reference_(reference);
        count_bags(outputs, references, counts);
        const auto stem = [](std::string_view word) { return first_characters(word, 4); };
        const auto ending = [](std::string_view word) { return last_characters(word, 3); };
        counts.matched_stems = match_forms(outputs, references, stem);
        counts.matched_endings = match_forms(outputs, references, ending);
        const auto mark = [](std::string_view word, size_t) { return is_mark(word); };
        counts.matched_marks = match_kind(outputs, references, mark, counts.output_marks, counts.reference_marks);
        counts.same_first = same(outputs, references, [](const Words& words) { return words[0]; });
        counts.same_last = same(outputs, references, [](const Words& words) { return words[words.size() - 1]; });
        counts.same_end = last_character(output) == last_character(reference);

        const Words& cased = cased_output_(output);
        const Words& others = cased_reference_(reference);
        const auto number = [](std::string_view word, size_t) { return has_number(word); };
        const auto capital = [](std::string_view word, size_t at) { return at > 0 && is_capitalised(word); };
        counts.matched_numbers = match_kind(cased, others, number, counts.output_numbers, counts.reference_numbers);
        counts.matched_capitals = match_kind(cased, others, capital, counts.output_capitals, counts.reference_capitals);
        vocabulary_.reset(cased.size() + others.size());
        const Symbols said = vocabulary_.add(cased, output_);
        const Symbols wanted = vocabulary_.add(others, reference_);
        counts.word_edits = edits_.distance(wanted, said, vocabulary_.size());

        counts.char_edits = count_character_edits(cased_characters_, output, reference);
        counts.output_chars = static_cast<int64_t>(cased_characters_.output().size());
        counts.reference_chars = static_cast<int64_t>(cased_characters_.reference().size());
        counts.lower_char_edits = count_character_edits(lower_characters_, output, reference);
        return counts;
    }

private:
    int64_t count_character_edits(Characters& characters, std::string_view output, std::string_view reference) {
        using detail::strip_left, detail::strip_right;
        characters.number<true>(strip_left(strip_right(output)), strip_left(strip_right(reference)));
        return edits_.distance(characters.reference(), characters.output(), characters.size());
    }

    struct Count {
        uint32_t output = 0, reference = 0;
        std::string_view word;
    };

    // Words in common, their weights, and what is missing or too many: word by word in order of first appearance, in
    // the output and then in the reference, so that sums of weights are always the same.
    void count_bags(const Words& outputs, const Words& references, LexicalCounts& counts) {
        vocabulary_.reset(outputs.size() + references.size());
        const Symbols said = vocabulary_.add(outputs, output_);
        const Symbols wanted = vocabulary_.add(references, reference_);
        words_.assign(vocabulary_.size() + size_t{1}, Count{});
        for (size_t k = 0; k < said.size(); ++k) {
            ++words_[said[k]].output;
            words_[said[k]].word = outputs[k];
        }
        for (size_t k = 0; k < wanted.size(); ++k) {
            ++words_[wanted[k]].reference;
            words_[wanted[k]].word = references[k];
        }
        counts.output_words = static_cast<int64_t>(said.size());
        counts.reference_words = static_cast<int64_t>(wanted.size());
        for (size_t number = 1; number < words_.size(); ++number) add(words_[number], counts);
        counts.subsequence = subsequence_.length(wanted, said, vocabulary_.size());
        counts.lower_word_edits = edits_.distance(wanted, said, vocabulary_.size());
    }

    void add(const Count& word, LexicalCounts& counts) const {
        const double weight = weights_[word.word];
        const uint32_t both = std::min(word.output, word.reference);
        counts.matches += both;
        counts.output_types += word.output > 0;
        counts.reference_types += word.reference > 0;
        counts.output_weight += weight * word.output;
        counts.reference_weight += weight * word.reference;
        counts.matched_weight += weight * both;
        if (word.output == word.reference) return;
        const bool missing = word.reference > word.output;
        double& heaviest = missing ? counts.heaviest_missing : counts.heaviest_added;
        int64_t& longest = missing ? counts.longest_missing : counts.longest_added;
        heaviest = std::max(heaviest, weight);
        longest = std::max(longest, count_characters(word.word));
    }

    // Clipped matches of what `form` makes of every word.
    template <class Form>
    int64_t match_forms(const Words& outputs, const Words& references, Form form) {
        const auto fill = [&form](const Words& words, Words& forms) {
            forms.open(words.size());
            for (const std::string_view word : words) forms.push_back(form(word));
        };
        fill(outputs, some_);
        fill(references, others_);
        return match();
    }

    // Clipped matches of the words of a kind, and how many of them each side has.
    template <class Kind>
    int64_t match_kind(const Words& outputs, const Words& references, Kind kind, int64_t& in_output, int64_t& in_reference) {
        const auto fill = [&kind](const Words& words, Words& chosen) {
            chosen.open(words.size());
            for (size_t k = 0; k < words.size(); ++k)
                if (kind(words[k], k)) chosen.push_back(words[k]);
            return static_cast<int64_t>(chosen.size());
        };
        in_output = fill(outputs, some_);
        in_reference = fill(references, others_);
        return in_output == 0 || in_reference == 0 ? 0 : match();
    }

    // Clipped matches of some_ and others_.
    int64_t match() {
        vocabulary_.reset(some_.size());
        left_.assign(some_.size() + 1, 0);
        for (const uint32_t number : vocabulary_.add(some_, output_)) ++left_[number];
        int64_t matches = 0;
        for (const uint32_t number : vocabulary_.find(others_, reference_)) {
            const bool found = left_[number] > 0;  // of number 0, words that the output does not have, none is left
            left_[number] -= found;
            matches += found;
        }
        return matches;
    }

    template <class Choose>
    static bool same(const Words& outputs, const Words& references, Choose choose) {
        if (outputs.empty() || references.empty()) return outputs.empty() && references.empty();
        return choose(outputs) == choose(references);
    }

    static int64_t count_characters(std::string_view word) {
        int64_t count = 0;
        const char* const end = word.data() + word.size();
        for (const char* at = word.data(); at < end; ++count) decode_utf8(at, end);
        return count;
    }

    static std::string_view first_characters(std::string_view word, size_t most) {
        const char* const end = word.data() + word.size();
        const char* at = word.data();
        for (size_t k = 0; k < most && at < end; ++k) decode_utf8(at, end);
        return detail::view(word.data(), at);
    }

    static std::string_view last_characters(std::string_view word, size_t most) {
        const char* at = word.data() + word.size();
        for (size_t k = 0; k < most && at > word.data(); ++k) {
            do --at;
            while (at > word.data() && is_continuation(static_cast<unsigned char>(*at)));
        }
        return detail::view(at, word.data() + word.size());
    }

    // The last character that is not white space; empty where there is none.
    static std::string_view last_character(std::string_view text) { return last_characters(detail::strip_right(text), 1); }

    static bool has_number(std::string_view word) {
        return any_character(word, [](char32_t c) { return Unicode::tables().is_number(c); });
    }
    static bool is_mark(std::string_view word) {
        const auto& tables = Unicode::tables();
        return !any_character(word, [&](char32_t c) { return !tables.is_punctuation(c) && !tables.is_symbol(c); });
    }
    // Whether it begins with a letter that has another lower case.
    static bool is_capitalised(std::string_view word) {
        const char* at = word.data();
        const char32_t c = decode_utf8(at, word.data() + word.size());
        return c == 0x130 || Unicode::tables().lower(c) != c;
    }
    template <class Is>
    static bool any_character(std::string_view word, Is is) {
        const char* const end = word.data() + word.size();
        for (const char* at = word.data(); at < end;)
            if (is(decode_utf8(at, end))) return true;
        return false;
    }

    const WordWeights& weights_;
    Tokenizer lower_output_{{Scheme::zh, true}}, lower_reference_{{Scheme::zh, true}};
    Tokenizer cased_output_{{Scheme::zh, false}}, cased_reference_{{Scheme::zh, false}};
    Vocabulary vocabulary_;
    CommonSubsequence subsequence_;
    EditDistance edits_;
    Characters cased_characters_{false, true}, lower_characters_{true, true};
    std::vector<uint32_t> output_, reference_, left_;
    std::vector<Count> words_;
    Words some_, others_;
};

}  // namespace tertium
