// What ROUGE-L counts (Lin 2004): the longest common subsequence of words, by bit vectors (Crochemore et al. 2001); and
// ROUGE-Lsum, in which every line of a reference collects what the lines of the output have in common with it.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "edits.h"
#include "ngrams.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

class SubsequenceTable {
public:
    // The reference of all that follows; every number in the sequences is at most `symbols`.
    void open(Symbols reference, uint32_t symbols) {
        reference_ = reference;
        blocks_ = (reference.size() + 63) / 64;
        occurrences_.index(reference, symbols);
        bits_.assign(blocks_, 0);
    }

    // The length alone.
    int64_t length(Symbols output) {
        column_.assign(blocks_, ~uint64_t{0});
        for (const uint32_t symbol : output) advance(column_.data(), symbol);
        int64_t length = 0;
        for (size_t b = 0; b < blocks_; ++b) length += std::popcount(~column_[b] & rows(b));
        return length;
    }

    // Calls `visit(i, j)` for the places of reference and output of one longest subsequence, from the end: back from
    // the ends of both, equal words are taken; else a word of the output is left where nothing is lost by it and
    // something would be on the other side; else a word of the reference.
    template <class Visit>
    void trace(Symbols output, Visit visit) {
        if (reference_.empty() || output.empty()) return;
        // Columns are computed twice where they are many: once to save some of them, once more between those.
        const size_t columns = output.size();
        const auto root = static_cast<size_t>(std::sqrt(static_cast<double>(columns)));
        const size_t stride = std::min(columns, std::max(root, (size_t{1} << 22) / blocks_) + 1);
        saved_.assign((columns / stride + 1) * blocks_, ~uint64_t{0});
        column_.assign(blocks_, ~uint64_t{0});
        for (size_t j = 0; j < columns; ++j) {
            if (j % stride == 0) std::copy(column_.begin(), column_.end(), saved_.begin() + static_cast<ptrdiff_t>(j / stride * blocks_));
            advance(column_.data(), output[j]);
        }
        size_t i = reference_.size(), j = columns;
        for (size_t first = (columns - 1) / stride * stride;; first -= stride) {
            const size_t last = std::min(columns, first + stride);
            columns_.resize((last - first + 1) * blocks_);
            std::copy_n(saved_.begin() + static_cast<ptrdiff_t>(first / stride * blocks_), blocks_, columns_.begin());
            for (size_t k = first; k < last; ++k) {
                uint64_t* const next = columns_.data() + (k - first + 1) * blocks_;
                std::copy_n(next - blocks_, blocks_, next);
                advance(next, output[k]);
            }
            while (i > 0 && j > first) {
                const uint64_t here = columns_[(j - first) * blocks_ + (i - 1) / 64];
                if (reference_[i - 1] == output[j - 1])
                    visit(--i, --j);
                else if (here >> ((i - 1) % 64) & 1)  // as long without this word of the reference
                    --i;
                else
                    --j;
            }
            if (first == 0 || i == 0) return;
        }
    }

private:
    uint64_t rows(size_t block) const {
        const size_t left = reference_.size() - 64 * block;
        return left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
    }

    // A bit of a column is 0 where one more word of the reference makes the subsequence longer.
    void advance(uint64_t* column, uint32_t symbol) {
        const auto places = occurrences_[symbol];
        if (places.empty()) return;
        for (const size_t place : places) bits_[place / 64] |= uint64_t{1} << (place % 64);
        uint64_t carry = 0;
        for (size_t b = 0; b < blocks_; ++b) {
            const uint64_t v = column[b], u = v & bits_[b];
            const uint64_t part = v + u, sum = part + carry;
            carry = static_cast<uint64_t>(part < v) | static_cast<uint64_t>(sum < part);
            column[b] = sum | (v - u);
        }
        for (const size_t place : places) bits_[place / 64] = 0;
    }

    Symbols reference_;
    Occurrences occurrences_;
    std::vector<uint64_t> bits_, column_, columns_, saved_;
    size_t blocks_ = 0;
};

struct SubsequenceCounts {
    int64_t matches = 0, output_length = 0, reference_length = 0;
};

class WordSubsequences {
public:
    WordSubsequences(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    SubsequenceCounts count(std::string_view output, std::string_view reference) {
        number(tokenize_output_(output), tokenize_reference_(reference));
        common_.open(references_, vocabulary_.size());
        return {common_.length(outputs_), static_cast<int64_t>(outputs_.size()),
                static_cast<int64_t>(references_.size())};
    }

    // Lines are set against each other, every one with every one.
    SubsequenceCounts count_lines(std::string_view output, std::string_view reference) {
        read(tokenize_output_, output, output_text_);
        read(tokenize_reference_, reference, reference_text_);
        number(output_text_.words, reference_text_.words);
        refuse_too_many();
        SubsequenceCounts counts{0, static_cast<int64_t>(outputs_.size()), static_cast<int64_t>(references_.size())};
        output_left_.assign(vocabulary_.size() + size_t{1}, 0);
        reference_left_.assign(vocabulary_.size() + size_t{1}, 0);
        for (const uint32_t word : outputs_) ++output_left_[word];
        for (const uint32_t word : references_) ++reference_left_[word];
        for (size_t r = 0; r + 1 < reference_text_.ends.size(); ++r) {
            const Symbols line = reference_text_.line(references_, r);
            united_.assign(line.size(), 0);
            common_.open(line, vocabulary_.size());
            for (size_t k = 0; k + 1 < output_text_.ends.size(); ++k)
                common_.trace(output_text_.line(outputs_, k), [&](size_t i, size_t) { united_[i] = 1; });
            for (size_t i = 0; i < line.size(); ++i) {
                if (!united_[i] || output_left_[line[i]] == 0 || reference_left_[line[i]] == 0) continue;
                --output_left_[line[i]];
                --reference_left_[line[i]];
                ++counts.matches;
            }
        }
        return counts;
    }

    WordPair link(std::string_view output, std::string_view reference, WordLinks& links) {
        const Words& words = tokenize_output_(output);
        const Words& others = tokenize_reference_(reference);
        number(words, others);
        common_.open(references_, vocabulary_.size());
        common_.trace(outputs_, [&](size_t i, size_t j) {
            links.emplace_back(static_cast<uint32_t>(j), static_cast<uint32_t>(i));
        });
        return {words, others};
    }

private:
    static constexpr size_t most_pairs = size_t{1} << 32;

    // The words of all lines, and where each line ends.
    struct Text {
        std::string text;
        Words words;
        std::vector<size_t> ends;

        Symbols line(Symbols all, size_t k) const { return all.subspan(ends[k], ends[k + 1] - ends[k]); }
    };

    static void read(Tokenizer& tokenize, std::string_view from, Text& into) {
        into.text.clear();
        into.ends.assign(1, 0);
        std::vector<size_t> ends;  // of words
        while (!from.empty()) {
            const size_t size = std::min(from.find('\n'), from.size());
            for (const std::string_view word : tokenize(from.substr(0, size))) {
                into.text.append(word);
                ends.push_back(into.text.size());
            }
            if (ends.size() > into.ends.back()) into.ends.push_back(ends.size());
            from.remove_prefix(std::min(size + 1, from.size()));
        }
        into.text.append(readable_bytes, '\0');
        into.words.open(ends.size());
        size_t start = 0;
        for (const size_t end : ends) {
            into.words.push_back(std::string_view(into.text).substr(start, end - start));
            start = end;
        }
    }

    void number(const Words& words, const Words& others) {
        vocabulary_.reset(words.size() + others.size());
        outputs_ = vocabulary_.add(words, output_);
        references_ = vocabulary_.add(others, reference_);
    }

    void refuse_too_many() const {
        const size_t lines = output_text_.ends.size(), others = reference_text_.ends.size();
        const size_t pairs = lines * references_.size() + others * (outputs_.size() + vocabulary_.size());
        if (pairs > most_pairs)
            throw std::length_error("texts of " + std::to_string(lines - 1) + " and " + std::to_string(others - 1) + " lines with " +
                                    std::to_string(outputs_.size() + references_.size()) +
                                    " words are too many to set each line against each");
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    Vocabulary vocabulary_;
    SubsequenceTable common_;
    Text output_text_, reference_text_;
    Symbols outputs_, references_;
    std::vector<uint32_t> output_, reference_, output_left_, reference_left_;
    std::vector<uint8_t> united_;
};

}  // namespace tertium
