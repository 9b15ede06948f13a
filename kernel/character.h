// What CharacTER counts (Wang et al. 2016): phrases of the output are shifted while that lowers the word edits; what is
// left is edited character by character.
//
// Every phrase that both sides have can be shifted to where the reference has it, and in each round the shift that saves
// most is made. Columns of the distance table before the first word that a shift moves stay as they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edits.h"
#include "room.h"
#include "segments.h"
#include "tokenize.h"
#include "utf8.h"
#include "vocabulary.h"

namespace tertium {

// Word edits of orders of one output against one reference.
class ShiftSearch {
public:
    // How many words and blocks of 64 may be looked at in one segment, which takes seconds. What a sentence needs is far
    // below; a longer search is refused, because one that ends early finds too few shifts.
    static constexpr size_t most_work = size_t{1} << 31;
    // How many blocks the table of one segment may have, which takes half a gigabyte.
    static constexpr size_t most_columns = size_t{1} << 25;

    struct Shift {
        size_t first = 0, length = 0, to = 0;
        size_t place = 0;  // where the reference has the phrase
    };

    // Brings the output's words into the order after all shifts; `places` are theirs before. Returns whether the words
    // were all right from the beginning; `shifted` marks places that were moved. With `drifting` what is left to save is
    // carried on from round to round as a share of the reference, as the Python program does: where its last bits are
    // wrong, a shift that saves nothing is made as well.
    bool run(Symbols output, Symbols reference, uint32_t symbols, const std::vector<std::string_view>& texts,
             bool drifting, std::vector<uint32_t>& places, std::vector<uint8_t>& shifted) {
        reference_ = reference;
        texts_ = &texts;
        words_.assign(output.begin(), output.end());
        places.resize(output.size());
        for (uint32_t i = 0; i < places.size(); ++i) places[i] = i;
        shifted.assign(output.size(), 0);
        if (std::equal(output.begin(), output.end(), reference.begin(), reference.end())) return true;
        blocks_ = (reference.size() + 63) / 64;
        if ((output.size() + 1) * blocks_ > most_columns) refuse();
        occurrences_.index(reference, symbols);
        index_equal(symbols);
        column_.resize(blocks_);
        columns_.resize((output.size() + 1) * std::max<size_t>(blocks_, 1));
        work_ = 0;
        count_unavoidable(output, symbols);
        int64_t edits = save_columns(0);
        if (edits == 0) return true;
        Shift best;
        const auto share = [&](int64_t left) { return static_cast<double>(left) / static_cast<double>(reference.size()); };
        double left = reference.empty() ? 0 : share(edits);
        for (int64_t fewest; (fewest = find(edits, drifting && left > share(edits) ? edits + 1 : edits, best)) >= 0;) {
            const double gain = left - share(fewest);
            if (drifting && gain <= 0) break;
            left -= gain;
            for (size_t k = 0; k < best.length; ++k) shifted[places[best.first + k]] = 1;
            move(words_, best);
            move(places, best);
            edits = save_columns(std::min(best.first, best.to));
        }
        return false;
    }
    Symbols words() const { return words_; }

private:
    static constexpr size_t most_vectors = size_t{1} << 16;

    // The edits in any order: words that the other side lacks.
    void count_unavoidable(Symbols output, uint32_t symbols) {
        left_.assign(symbols + size_t{1}, 0);
        for (const uint32_t word : reference_) ++left_[word];
        size_t common = 0;
        for (const uint32_t word : output) {
            common += left_[word] > 0;
            left_[word] -= left_[word] > 0;
        }
        unavoidable_ = static_cast<int64_t>(std::max(output.size(), reference_.size()) - common);
    }

    // Where each symbol is in the reference, if there is room for a bit vector of every one.
    void index_equal(uint32_t symbols) {
        bits_.assign(blocks_, 0);
        equal_.clear();
        if ((symbols + size_t{1}) * blocks_ > most_vectors) return;
        equal_.resize((symbols + size_t{1}) * blocks_);
        for (size_t j = 0; j < reference_.size(); ++j) equal_[reference_[j] * blocks_ + j / 64] |= uint64_t{1} << (j % 64);
    }

    // Deltas of all columns of the present order, from the first that has changed; returns the edits.
    int64_t save_columns(size_t first) {
        if (first == 0) std::fill_n(columns_.begin(), blocks_, Deltas{});
        for (size_t j = first; j < words_.size(); ++j) {
            Deltas* const next = columns_.data() + (j + 1) * blocks_;
            std::copy_n(next - blocks_, blocks_, next);
            advance(next, words_[j]);
        }
        return height(columns_.data() + words_.size() * blocks_);
    }

    void advance(Deltas* column, uint32_t symbol) {
        work_ += blocks_;
        if (!equal_.empty()) {
            advance_column(column, equal_.data() + symbol * blocks_, blocks_);
            return;
        }
        const auto places = occurrences_[symbol];
        for (const size_t place : places) bits_[place / 64] |= uint64_t{1} << (place % 64);
        advance_column(column, bits_.data(), blocks_);
        for (const size_t place : places) bits_[place / 64] = 0;
        work_ += places.size();
    }

    int64_t height(const Deltas* column) const {
        auto edits = static_cast<int64_t>(words_.size());
        for (size_t b = 0; b < blocks_; ++b) {
            const size_t left = reference_.size() - 64 * b;
            const uint64_t rows = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
            edits += std::popcount(column[b].rises & rows) - std::popcount(column[b].falls & rows);
        }
        return edits;
    }

    template <class Item>
    static void move(std::vector<Item>& items, const Shift& shift) {
        const auto begin = items.begin();
        const auto first = begin + static_cast<ptrdiff_t>(shift.first), last = first + static_cast<ptrdiff_t>(shift.length);
        if (shift.to < shift.first)
            std::rotate(begin + static_cast<ptrdiff_t>(shift.to), first, last);
        else
            std::rotate(first, last, begin + static_cast<ptrdiff_t>(shift.to + shift.length));
    }

    // The shift after which the fewest edits are left, of equals the one whose words come last in the dictionary. Returns
    // how many, or -1 if after none there are fewer than `most`. In long texts those that may save most come first: mostly
    // no other can then be better, and need not be tried.
    int64_t find(int64_t edits, int64_t most, Shift& best) {
        int64_t fewest = most;
        if (most <= unavoidable_) return -1;
        int64_t above = std::numeric_limits<int64_t>::max();
        for (int64_t least = blocks_ == 1 ? 0 : above;;) {
            const int64_t rest = search(edits, most, least, above, fewest, best);
            if (rest < 0 || std::max(unavoidable_, edits - rest) > fewest) return fewest < most ? fewest : -1;
            above = least;
            least = rest / 2;
        }
    }

    // The same of shifts that can save at least so many edits and fewer than `above`. Returns how many others that can
    // save fewer can save, at most; -1 if there are none.
    int64_t search(int64_t edits, int64_t most, int64_t least, int64_t above, int64_t& fewest, Shift& best) {
        int64_t rest = -1;
        for (size_t i = 0; i < words_.size(); ++i)
            for (const size_t j : occurrences_[words_[i]]) {
                if (i == j) continue;
                Shift shift{i, 1, 0, j};
                while (i + shift.length < words_.size() && j + shift.length < reference_.size() &&
                       words_[i + shift.length] == reference_[j + shift.length])
                    ++shift.length;
                shift.to = std::min(j, words_.size() - shift.length);
                work_ += shift.length + 1;
                if (work_ > most_work) refuse();
                // Words are taken out and put in again, or those that they pass: each can save one edit twice.
                const auto saved = 2 * static_cast<int64_t>(std::min(shift.length, std::max(i, shift.to) - std::min(i, shift.to)));
                if (saved < least) rest = std::max(rest, saved);
                if (saved < least || saved >= above || std::max(unavoidable_, edits - saved) > fewest) continue;
                const int64_t left = edits_after(shift, edits);
                if (left > fewest || left == most) continue;
                if (left == fewest && !is_rather(shift, best)) continue;
                fewest = left;
                best = shift;
            }
        return rest;
    }

    [[noreturn]] void refuse() const {
        throw std::length_error("an output of " + std::to_string(words_.size()) + " words has too many phrases to shift against its reference of " +
                                std::to_string(reference_.size()));
    }

    int64_t edits_after(const Shift& shift, int64_t edits) {
        switch (equal_.empty() ? 0 : blocks_) {
            case 1: return edits_after_in<1>(shift, edits);
            case 2: return edits_after_in<2>(shift, edits);
            case 3: return edits_after_in<3>(shift, edits);
            default: return edits_after_in<0>(shift, edits);
        }
    }

    // With a column of so many blocks, which the compiler keeps in registers; 0: of any number. Behind the words that a
    // shift moves, the table may be as it was: then so is its end.
    template <size_t known>
    int64_t edits_after_in(const Shift& shift, int64_t edits) {
        const size_t from = shift.first, to = shift.to, length = shift.length, blocks = known > 0 ? known : blocks_;
        const size_t first = std::min(from, to), behind = std::max(from, to) + length;
        std::array<Deltas, known> near;
        Deltas* const column = known > 0 ? near.data() : column_.data();
        const uint64_t* const equal = equal_.data();
        const uint32_t* const words = words_.data();
        std::copy_n(columns_.data() + first * blocks, blocks, column);
        const auto step = [&](size_t k) {
            if constexpr (known > 0)
                advance_column(near.data(), equal + words[k] * known, known);
            else
                advance(column, words[k]);
        };
        const bool back = to < from;
        const size_t passed = back ? to : from + length, passed_end = back ? from : to + length;
        const std::pair<size_t, size_t> phrase{from, from + length}, between{passed, passed_end};
        for (const auto& [begin, end] : {back ? phrase : between, back ? between : phrase})
            for (size_t k = begin; k < end; ++k) step(k);
        if (known > 0) work_ += (words_.size() - first) * known;
        for (size_t j = behind; j < words_.size(); ++j) {
            if (std::equal(column, column + blocks, columns_.data() + j * blocks)) return edits;
            step(j);
        }
        return height(column);
    }

    // Whether a shift makes a list of words that is greater than the best so far makes; of equal lists, the first shift.
    bool is_rather(const Shift& shift, const Shift& best) {
        trial_.assign(words_.begin(), words_.end());
        move(trial_, shift);
        rival_.assign(words_.begin(), words_.end());
        move(rival_, best);
        const size_t first = std::min({shift.first, shift.to, best.first, best.to});
        work_ += trial_.size();
        const auto [one, other] = std::mismatch(trial_.begin() + static_cast<ptrdiff_t>(first), trial_.end(), rival_.begin() + static_cast<ptrdiff_t>(first));
        if (one == trial_.end()) return std::pair(shift.first, shift.place) < std::pair(best.first, best.place);
        return (*texts_)[*one] > (*texts_)[*other];
    }

    Symbols reference_;
    const std::vector<std::string_view>* texts_ = nullptr;  // by number
    std::vector<uint32_t> words_, trial_, rival_, left_;
    std::vector<uint64_t> bits_, equal_;  // where a symbol is in the reference: of the present one; of every one, or nothing
    std::vector<Deltas> columns_, column_;
    Occurrences occurrences_;
    size_t blocks_ = 0, work_ = 0;
    int64_t unavoidable_ = 0;
};

struct CharacterCounts {
    int64_t edits = 0, output_length = 0;  // characters
    double shifts = 0;                     // their cost: mean word length of every shifted phrase
};

class CharacterShifts {
public:
    CharacterShifts(TokenizerOptions outputs, TokenizerOptions references, bool drifting)
        : tokenize_output_(outputs), tokenize_reference_(references), drifting_(drifting) {}

    CharacterCounts count(std::string_view output, std::string_view reference) {
        const Words& words = tokenize_output_(output);
        const Words& others = tokenize_reference_(reference);
        const bool right = shift(words, others);
        CharacterCounts counts;
        for (const std::string_view word : words) counts.output_length += characters_of(word);
        if (!words.empty()) counts.output_length += static_cast<int64_t>(words.size() - 1);  // spaces
        if (right) return counts;
        counts.edits = character_edits(words, others);
        if (std::find(shifted_.begin(), shifted_.end(), 1) != shifted_.end()) counts.shifts = shift_cost(words);
        return counts;
    }

    // Words of the output and those of the reference that stand against them after the shifts.
    WordPair link(std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>& shifted) {
        const Words& words = tokenize_output_(output);
        const Words& others = tokenize_reference_(reference);
        shift(words, others);
        std::string operations;
        edits_.align(references_, search_.words(), vocabulary_.size(), &operations);
        uint32_t i = 0, j = 0;
        for (const char operation : operations) {
            if (operation == '=' || operation == 'S') links.emplace_back(places_[i], j);
            i += operation != 'D';
            j += operation != 'I';
        }
        shifted = shifted_;
        return {words, others};
    }

private:
    bool shift(const Words& words, const Words& others) {
        vocabulary_.reset(words.size() + others.size());
        outputs_ = vocabulary_.add(words, output_);
        references_ = vocabulary_.add(others, reference_);
        texts_.resize(vocabulary_.size() + size_t{1});
        for (size_t i = 0; i < words.size(); ++i) texts_[outputs_[i]] = words[i];
        for (size_t j = 0; j < others.size(); ++j) texts_[references_[j]] = others[j];
        return search_.run(outputs_, references_, vocabulary_.size(), texts_, drifting_, places_, shifted_);
    }

    static int64_t characters_of(std::string_view word) {
        return std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); });
    }

    // Of the output's words after the shifts and those of the reference, with spaces between them. Words that both begin
    // or end with are left out, but for one: so what is left has a space before it on both sides, or on neither.
    int64_t character_edits(const Words& words, const Words& others) {
        const Symbols after = search_.words();
        size_t begin = 0, end = 0;
        const size_t shorter = std::min(after.size(), references_.size());
        while (begin + 1 < shorter && after[begin] == references_[begin]) ++begin;
        while (begin + end + 1 < shorter && after[after.size() - 1 - end] == references_[references_.size() - 1 - end]) ++end;
        alphabet_.reset();
        const Symbols output = number_characters(output_characters_, begin, after.size() - end, [&](size_t k) { return words[places_[k]]; });
        const Symbols reference = number_characters(reference_characters_, begin, references_.size() - end, [&](size_t k) { return others[k]; });
        return edits_.distance(reference, output, alphabet_.size());
    }

    template <class Word>
    Symbols number_characters(Room<uint32_t>& symbols, size_t begin, size_t end, Word word_at) {
        size_t most = 0;
        for (size_t k = begin; k < end; ++k) most += word_at(k).size() + 1;
        symbols.open(most);
        for (size_t k = begin; k < end; ++k) {
            if (k > begin) symbols.push_back(alphabet_.add(U' '));
            const std::string_view word = word_at(k);
            const char* const last = word.data() + word.size();
            for (const char* at = word.data(); at < last;) symbols.push_back(alphabet_.add(decode_utf8(at, last)));
        }
        return {symbols.begin(), symbols.size()};
    }

    // From left to right through the output before the shifts: where the words after them are others, the phrase is
    // looked for that has moved from here to further on.
    double shift_cost(const Words& words) {
        const Symbols after = search_.words();
        occurrences_.index(after, vocabulary_.size());
        double cost = 0;
        for (size_t i = 0; i < outputs_.size();) {
            if (outputs_[i] == after[i]) {
                ++i;
                continue;
            }
            const auto places = occurrences_[outputs_[i]];
            const auto next = std::upper_bound(places.begin(), places.end(), i);
            if (next == places.end()) {
                ++i;
                continue;
            }
            const size_t first = i;
            int64_t characters = 0;
            for (size_t at = *next; at < after.size() && i < outputs_.size() && after[at] == outputs_[i]; ++at, ++i)
                characters += characters_of(words[i]);
            cost += static_cast<double>(characters) / static_cast<double>(i - first);
        }
        return cost;
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    bool drifting_;
    Vocabulary vocabulary_;
    ShiftSearch search_;
    EditDistance edits_;
    Alphabet alphabet_;
    Occurrences occurrences_;
    Symbols outputs_, references_;
    std::vector<std::string_view> texts_;
    std::vector<uint32_t> output_, reference_, places_;
    Room<uint32_t> output_characters_, reference_characters_;
    std::vector<uint8_t> shifted_;
};

}  // namespace tertium
