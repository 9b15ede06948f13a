// Levenshtein distance and alignment of two symbol sequences, bit-parallel (Myers 1999; Hyyro 2003).
//
// A column of the distance table is kept as two bit vectors, the places where it rises (VP) and falls (VN) from one
// reference symbol to the next. D(i, j) is the distance of the first i reference and the first j output symbols.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ngrams.h"

namespace tertium {

struct EditCounts {
    int64_t hits = 0, substitutions = 0, deletions = 0, insertions = 0;
};

struct Deltas {
    uint64_t rises = ~uint64_t{0}, falls = 0;  // VP, VN of 64 reference symbols
    bool operator==(const Deltas&) const = default;
};

// Moves 64 rows of a column one output symbol to the right. `carry_rise` and `carry_fall` are the horizontal
// deltas that enter from the block above; they become the ones that leave below.
inline void advance_block(Deltas& block, uint64_t equal, uint64_t& carry_rise, uint64_t& carry_fall) {
    const uint64_t x = equal | carry_fall;
    const uint64_t d0 = (((x & block.rises) + block.rises) ^ block.rises) | x | block.falls;
    uint64_t rise = block.falls | ~(d0 | block.rises);
    uint64_t fall = d0 & block.rises;
    const uint64_t rise_out = rise >> 63, fall_out = fall >> 63;
    rise = (rise << 1) | carry_rise;
    fall = (fall << 1) | carry_fall;
    block = {fall | ~(d0 | rise), rise & d0};
    carry_rise = rise_out;
    carry_fall = fall_out;
}

// The same of a whole column, given where the symbol is.
inline void advance_column(Deltas* column, const uint64_t* equal, size_t blocks) {
    uint64_t rise = 1, fall = 0;  // row 0 rises by one for every output symbol
    for (size_t b = 0; b < blocks; ++b) advance_block(column[b], equal[b], rise, fall);
}

// The places where each symbol stands in a sequence, 64 to a word: equal(symbol) fills one bit vector.
class Occurrences {
public:
    void index(Symbols sequence, size_t symbols) {
        starts_.assign(symbols + 2, 0);
        for (const uint32_t symbol : sequence) ++starts_[symbol + 1];
        for (size_t s = 1; s < starts_.size(); ++s) starts_[s] += starts_[s - 1];
        places_.resize(sequence.size());
        next_.assign(starts_.begin(), starts_.end() - 1);
        for (size_t i = 0; i < sequence.size(); ++i) places_[next_[sequence[i]]++] = i;
    }
    std::span<const size_t> operator[](uint32_t symbol) const {
        return {places_.data() + starts_[symbol], places_.data() + starts_[symbol + 1]};
    }

private:
    std::vector<size_t> starts_, next_, places_;
};

class EditDistance {
public:
    // `symbols`: every number in the sequences is at most this. Counts follow the alignment of jiwer and RapidFuzz:
    // common ends stripped, then back from the end a deletion where one is optimal, else an insertion where the
    // column before falls, else the diagonal. If `operations` is given it receives one of "=SDI" per step.
    EditCounts align(Symbols reference, Symbols output, uint32_t symbols, std::string* operations = nullptr) {
        size_t prefix = 0, suffix = 0;
        const size_t shorter = std::min(reference.size(), output.size());
        while (prefix < shorter && reference[prefix] == output[prefix]) ++prefix;
        while (suffix < shorter - prefix && reference[reference.size() - 1 - suffix] == output[output.size() - 1 - suffix])
            ++suffix;
        EditCounts counts;
        counts.hits = static_cast<int64_t>(prefix + suffix);
        trail_ = operations;
        if (trail_) trail_->assign(suffix, '=');
        reference_ = reference.subspan(prefix, reference.size() - prefix - suffix);
        output_ = output.subspan(prefix, output.size() - prefix - suffix);
        if (reference_.empty() || output_.empty()) {
            counts.deletions = static_cast<int64_t>(reference_.size());
            counts.insertions = static_cast<int64_t>(output_.size());
            if (trail_) trail_->append(reference_.size(), 'D').append(output_.size(), 'I');
        } else if (reference_.size() <= 64) {
            align_word(symbols, counts);
        } else {
            align_blocks(symbols, counts);
        }
        if (trail_) {
            trail_->append(prefix, '=');
            std::reverse(trail_->begin(), trail_->end());
        }
        return counts;
    }

    // The fewest edits, without the alignment: the last column says it, the length of the output and its rises less falls.
    int64_t distance(Symbols reference, Symbols output, uint32_t symbols) {
        size_t prefix = 0, suffix = 0;
        const size_t shorter = std::min(reference.size(), output.size());
        while (prefix < shorter && reference[prefix] == output[prefix]) ++prefix;
        while (suffix < shorter - prefix && reference[reference.size() - 1 - suffix] == output[output.size() - 1 - suffix])
            ++suffix;
        reference_ = reference.subspan(prefix, reference.size() - prefix - suffix);
        output_ = output.subspan(prefix, output.size() - prefix - suffix);
        if (reference_.empty() || output_.empty()) return static_cast<int64_t>(reference_.size() + output_.size());
        blocks_ = (reference_.size() + 63) / 64;
        columns_.assign(blocks_, Deltas{});
        if ((symbols + size_t{1}) * blocks_ <= most_vectors)
            advance_all(symbols);
        else
            advance_each(symbols);
        auto edits = static_cast<int64_t>(output_.size());
        for (size_t b = 0; b < blocks_; ++b) {
            const size_t left = reference_.size() - 64 * b;
            const uint64_t rows = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
            edits += std::popcount(columns_[b].rises & rows) - std::popcount(columns_[b].falls & rows);
        }
        return edits;
    }

private:
    static constexpr size_t most_vectors = size_t{1} << 14;

    // With a bit vector for every symbol at hand; for few symbols, such as characters.
    void advance_all(uint32_t symbols) {
        equal_.resize(std::max(equal_.size(), (symbols + size_t{1}) * blocks_));
        for (size_t i = 0; i < reference_.size(); ++i) equal_[reference_[i] * blocks_ + i / 64] |= uint64_t{1} << (i % 64);
        switch (blocks_) {
            case 1: sweep<1>(); break;
            case 2: sweep<2>(); break;
            case 3: sweep<3>(); break;
            default: sweep<0>();
        }
        for (size_t i = 0; i < reference_.size(); ++i) equal_[reference_[i] * blocks_ + i / 64] = 0;
    }

    // With a column of so many blocks, which the compiler keeps in registers; 0: of any number.
    template <size_t known>
    void sweep() {
        const size_t blocks = known > 0 ? known : blocks_;
        std::array<Deltas, known> near;
        Deltas* const column = known > 0 ? near.data() : columns_.data();
        for (const uint32_t symbol : output_) advance_column(column, equal_.data() + symbol * blocks, blocks);
        if (known > 0) std::copy_n(column, blocks, columns_.data());
    }

    void advance_each(uint32_t symbols) {
        occurrences_.index(reference_, symbols);
        bits_.assign(blocks_, 0);
        for (const uint32_t symbol : output_) advance(columns_.data(), symbol);
    }

    void step(char operation, int64_t& count) {
        ++count;
        if (trail_) trail_->push_back(operation);
    }

    void align_word(uint32_t symbols, EditCounts& counts) {
        if (equal_.size() <= symbols) equal_.resize(symbols + 1);
        for (size_t i = 0; i < reference_.size(); ++i) equal_[reference_[i]] |= uint64_t{1} << i;
        columns_.resize(output_.size() + 1);
        Deltas block;
        columns_[0] = block;
        for (size_t j = 0; j < output_.size(); ++j) {
            uint64_t rise = 1, fall = 0;  // row 0 rises by one for every output symbol
            advance_block(block, equal_[output_[j]], rise, fall);
            columns_[j + 1] = block;
        }
        for (const uint32_t symbol : reference_) equal_[symbol] = 0;
        size_t i = reference_.size(), j = output_.size();
        while (i > 0 && j > 0) trace(columns_[j], columns_[j - 1], i, j, counts);
        rest(i, j, counts);
    }

    // One step back from (i, j) given the deltas of columns j and j - 1 around row i.
    void trace(const Deltas& here, const Deltas& before, size_t& i, size_t& j, EditCounts& counts) {
        const uint64_t bit = uint64_t{1} << ((i - 1) % 64);
        if (here.rises & bit) {
            step('D', counts.deletions);
            --i;
        } else if (before.falls & bit) {
            step('I', counts.insertions);
            --j;
        } else {
            const bool same = reference_[i - 1] == output_[j - 1];  // which of both nobody can predict
            counts.hits += same;
            counts.substitutions += !same;
            if (trail_) trail_->push_back(same ? '=' : 'S');
            --i;
            --j;
        }
    }

    void rest(size_t i, size_t j, EditCounts& counts) {
        for (; i > 0; --i) step('D', counts.deletions);
        for (; j > 0; --j) step('I', counts.insertions);
    }

    // Long sequences: columns are computed twice, once to save every stride-th of them and once more, stride by
    // stride from the end, to trace back through; so memory grows with the square root of the output's length.
    void align_blocks(uint32_t symbols, EditCounts& counts) {
        occurrences_.index(reference_, symbols);
        blocks_ = (reference_.size() + 63) / 64;
        bits_.assign(blocks_, 0);
        const size_t columns = output_.size();
        const auto root = static_cast<size_t>(std::sqrt(static_cast<double>(columns)));
        const size_t stride = std::min(columns, std::max(root, (size_t{1} << 22) / blocks_) + 1);
        saved_.assign((columns / stride + 1) * blocks_, Deltas{});
        std::vector<Deltas> column(blocks_);
        for (size_t j = 0; j < columns; ++j) {
            if (j % stride == 0) std::copy(column.begin(), column.end(), saved_.begin() + static_cast<ptrdiff_t>(j / stride * blocks_));
            advance(column.data(), output_[j]);
        }
        size_t i = reference_.size(), j = columns;
        for (size_t first = (columns - 1) / stride * stride;; first -= stride) {
            const size_t last = std::min(columns, first + stride);
            columns_.resize((last - first + 1) * blocks_);
            std::copy_n(saved_.begin() + static_cast<ptrdiff_t>(first / stride * blocks_), blocks_, columns_.begin());
            for (size_t k = first; k < last; ++k) {
                Deltas* const next = columns_.data() + (k - first + 1) * blocks_;
                std::copy_n(next - blocks_, blocks_, next);
                advance(next, output_[k]);
            }
            while (i > 0 && j > first) {
                const Deltas* const here = columns_.data() + (j - first) * blocks_ + (i - 1) / 64;
                trace(*here, *(here - blocks_), i, j, counts);
            }
            if (first == 0 || i == 0) break;
        }
        rest(i, j, counts);
    }

    void advance(Deltas* column, uint32_t symbol) {
        const auto places = occurrences_[symbol];
        for (const size_t place : places) bits_[place / 64] |= uint64_t{1} << (place % 64);
        advance_column(column, bits_.data(), blocks_);
        for (const size_t place : places) bits_[place / 64] = 0;
    }

    Symbols reference_, output_;
    std::string* trail_ = nullptr;
    std::vector<uint64_t> equal_, bits_;
    std::vector<Deltas> columns_, saved_;
    Occurrences occurrences_;
    size_t blocks_ = 0;
};

}  // namespace tertium
