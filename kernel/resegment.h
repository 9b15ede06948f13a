// Cuts an output without line breaks into segments, so that the edits against the references, summed over the segments, are
// the fewest that any segmentation has (the problem of Matusov et al. 2005).
//
// F(i, j): the fewest edits of the first j output symbols in the first i segments. One segment further it is the distance table
// of one of its references whose first column is F(i, .) instead of 0, 1, 2 ...; neighbours of such a column differ by one at
// most, and so do those of the smallest of several, so that a column is two bits for each output symbol (edits.h).
// Columns are kept for the first segment of each group of about sqrt(segments), and worked out again, group by group, on the
// way back (docs/design/2026-11-19-resegmentation.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "edits.h"

namespace tertium {

class Resegmenter {
public:
    using Alternatives = std::vector<Symbols>;  // the references of a segment, one at least

    // `symbols`: every number in the output and the references is at most this.
    // `closing`: for each output symbol whether it may end a sentence; empty where nobody knows.
    // `alive` is called every few milliseconds and throws to give up.
    Resegmenter(Symbols output, uint32_t symbols, std::span<const uint8_t> closing = {}, std::function<void()> alive = {})
        : output_(output), closing_(closing), alive_(std::move(alive)), blocks_(output.size() / 64 + 1) {
        places_.index(output, symbols);
        sparse_.assign(blocks_, 0);
        frequent_.assign(symbols + size_t{1}, 0);
        for (uint32_t symbol = 0; symbol <= symbols; ++symbol) {  // at most 64 are that frequent
            if (places_[symbol].size() <= blocks_) continue;
            dense_.emplace_back(blocks_, 0);
            for (const size_t place : places_[symbol]) dense_.back()[place / 64] |= bit(place);
            frequent_[symbol] = static_cast<uint8_t>(dense_.size());
        }
    }

    // Where each segment ends in the output; returns the fewest edits. Of equally good segmentations it is this one: from the
    // last segment to the first, each gets that number of symbols which is closest to the length of a reference with which it
    // is among the best, as if it were `elsewhere` farther where no sentence ends before it; of two such numbers the smaller.
    int64_t cut(const std::vector<Alternatives>& segments, std::vector<int64_t>& ends) {
        ends.assign(segments.size(), 0);
        if (segments.empty()) return 0;
        const auto stride = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(segments.size()))));
        std::vector<Column> kept;
        Column column{0, std::vector<Deltas>(blocks_)};
        for (size_t i = 0; i < segments.size(); ++i) {
            if (i % stride == 0) kept.push_back(column);
            advance(column, segments[i]);
        }
        const int64_t fewest = value(column, output_.size());
        int64_t edits = fewest;
        size_t end = output_.size();
        std::vector<Column> columns(stride);
        for (size_t group = kept.size(); group-- > 0;) {
            const size_t first = group * stride, last = std::min(segments.size(), first + stride);
            column = std::move(kept[group]);
            for (size_t i = first; i < last; ++i) {
                column.blocks.resize(std::min(column.blocks.size(), end / 64 + 1));  // nothing behind the end matters
                columns[i - first] = column;
                if (i + 1 < last) advance(column, segments[i]);
            }
            for (size_t i = last; i-- > first;) {
                ends[i] = static_cast<int64_t>(end);
                end = i == 0 ? 0 : begin(columns[i - first], segments[i], end, edits);
                edits = value(columns[i - first], end);
            }
        }
        return fewest;
    }

    static constexpr size_t elsewhere = 8;

private:
    struct Column {
        int64_t first = 0;  // its topmost value; the others follow from rises and falls
        std::vector<Deltas> blocks;
    };

    static uint64_t bit(size_t place) { return uint64_t{1} << (place % 64); }
    static int64_t rise(const Deltas& block, uint64_t rows = ~uint64_t{0}) {
        return std::popcount(block.rises & rows) - std::popcount(block.falls & rows);
    }

    static int64_t value(const Column& column, size_t place) {
        int64_t found = column.first;
        for (size_t b = 0; b < place / 64; ++b) found += rise(column.blocks[b]);
        return found + rise(column.blocks[place / 64], bit(place) - 1);
    }

    // One segment further: along the reference that is best for each number of output symbols.
    void advance(Column& column, const Alternatives& references) {
        if (references.size() > 1) start_ = column;
        advance(column, references[0]);
        for (size_t k = 1; k < references.size(); ++k) {
            other_ = start_;
            advance(other_, references[k]);
            lower(column, other_);
        }
    }

    void advance(Column& column, Symbols reference) {
        for (const uint32_t symbol : reference) {
            const uint8_t dense = frequent_[symbol];
            const auto places = places_[symbol];
            if (dense == 0)
                for (const size_t place : places) sparse_[place / 64] |= bit(place);
            const uint64_t* const equal = dense ? dense_[dense - size_t{1}].data() : sparse_.data();
            uint64_t rises = 1, falls = 0;
            for (size_t b = 0; b < column.blocks.size(); ++b) advance_block(column.blocks[b], equal[b], rises, falls);
            if (dense == 0)
                for (const size_t place : places) sparse_[place / 64] = 0;
            worked(column.blocks.size());
        }
        column.first += static_cast<int64_t>(reference.size());
    }

    // The smaller of both values in every row. Over a block their difference changes by 128 at most.
    static void lower(Column& one, const Column& other) {
        int64_t a = one.first, b = other.first;
        one.first = std::min(a, b);
        for (size_t k = 0; k < one.blocks.size(); ++k) {
            Deltas& block = one.blocks[k];
            const Deltas mine = block, theirs = other.blocks[k];
            if (mine.rises == theirs.rises && mine.falls == theirs.falls) {
                a += rise(mine);
                b += rise(theirs);
            } else if (a - b >= 128 || b - a >= 128) {
                if (b < a) block = theirs;
                a += rise(mine);
                b += rise(theirs);
            } else {
                block = {0, 0};
                for (size_t row = 0; row < 64; ++row) {
                    const int64_t before = std::min(a, b);
                    a += rise(mine, bit(row));
                    b += rise(theirs, bit(row));
                    const int64_t step = std::min(a, b) - before;
                    if (step > 0) block.rises |= bit(row);
                    if (step < 0) block.falls |= bit(row);
                }
            }
        }
    }

    // Where a segment begins that ends at `end` with so many edits so far; `before` is the column at its beginning. What is
    // looked at grows until nothing beyond it could be closer to a reference's length.
    size_t begin(const Column& before, const Alternatives& references, size_t end, int64_t edits) {
        size_t longest = 0;
        for (const Symbols reference : references) longest = std::max(longest, reference.size());
        for (size_t window = std::min(end, 2 * longest + 64);; window = std::min(end, 2 * window)) {
            size_t best = 0, closest = nothing;
            spread(before, end - window, end, values_);
            for (const Symbols reference : references) {
                measure(reference, end, window);
                for (size_t length = 0; length <= window; ++length) {
                    if (values_[window - length] + distances_[length] != edits) continue;
                    const size_t gap = length > reference.size() ? length - reference.size() : reference.size() - length;
                    const size_t rank = gap + (follows_sentence(end - length) ? 0 : elsewhere);
                    if (rank < closest || (rank == closest && length < best)) {
                        closest = rank;
                        best = length;
                    }
                }
            }
            if (closest != nothing && (window == end || closest + longest <= window)) return end - best;
            if (window == end) throw std::logic_error("no segmentation has the fewest edits");
        }
    }

    bool follows_sentence(size_t place) const { return place > 0 && !closing_.empty() && closing_[place - 1] != 0; }

    // The values of a column from one row to another.
    static void spread(const Column& column, size_t from, size_t to, std::vector<int64_t>& values) {
        values.resize(to - from + 1);
        values[0] = value(column, from);
        for (size_t row = from; row < to; ++row)
            values[row - from + 1] = values[row - from] + rise(column.blocks[row / 64], bit(row));
    }

    // Edits between a reference and the last 0, 1, ... `window` output symbols before `end`: both read backwards.
    void measure(Symbols reference, size_t end, size_t window) {
        back_.first = static_cast<int64_t>(reference.size());
        back_.blocks.assign(window / 64 + 1, Deltas{});
        for (size_t i = reference.size(); i-- > 0;) {
            const auto all = places_[reference[i]];
            const auto from = std::lower_bound(all.begin(), all.end(), end - window);
            const auto to = std::lower_bound(from, all.end(), end);
            for (auto at = from; at != to; ++at) sparse_[(end - 1 - *at) / 64] |= bit(end - 1 - *at);
            uint64_t rises = 1, falls = 0;
            for (size_t b = 0; b < back_.blocks.size(); ++b) advance_block(back_.blocks[b], sparse_[b], rises, falls);
            for (auto at = from; at != to; ++at) sparse_[(end - 1 - *at) / 64] = 0;
            worked(back_.blocks.size());
        }
        spread(back_, 0, window, distances_);
    }

    void worked(size_t blocks) {
        work_ += blocks;
        if (work_ < size_t{1} << 22) return;
        work_ = 0;
        if (alive_) alive_();
    }

    static constexpr size_t nothing = std::numeric_limits<size_t>::max();

    Symbols output_;
    std::span<const uint8_t> closing_;
    std::function<void()> alive_;
    size_t work_ = 0;  // blocks since it was called
    size_t blocks_;
    Occurrences places_;
    std::vector<std::vector<uint64_t>> dense_;  // of symbols that stand in more places than there are blocks
    std::vector<uint8_t> frequent_;             // by symbol: its number in dense_, from 1
    std::vector<uint64_t> sparse_;              // of the others, put in and taken out again
    Column start_, other_, back_;
    std::vector<int64_t> values_, distances_;
};

}  // namespace tertium
