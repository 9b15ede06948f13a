// Translation edit rate (Snover et al. 2006): fewest insertions, deletions, substitutions and shifts of word blocks
// found by tercom's greedy search. Beam, window, block length, candidate limit and the order of preference are part
// of the definition (sacreBLEU's lib_ter); how a candidate's distance is found is ours.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "edits.h"
#include "ngrams.h"
#include "vocabulary.h"

namespace tertium {

class TranslationEdits {
public:
    // A block that was shifted, and where all words stand after it: places in the output before any shift.
    struct Move {
        std::vector<uint32_t> block, order;
    };

    // `symbols`: every number in the sequences is at most this. If `links` is given it receives which word of the output
    // stands, after the shifts, against which word of the reference, in the reference's order; `moves` the shifts.
    int64_t count(Symbols output, Symbols reference, uint32_t symbols, WordLinks* links = nullptr, std::vector<Move>* moves = nullptr) {
        if (moves) moves->clear();
        if (reference.empty()) return static_cast<int64_t>(output.size());
        words_.assign(output.begin(), output.end());
        reference_ = reference;
        filter_.open(reference, symbols, words_.size());
        open_beam();
        if (links) {
            places_.resize(words_.size());
            std::iota(places_.begin(), places_.end(), 0u);
        }
        int64_t shifts = 0;
        size_t checked = 0;
        size_t changed = 0;  // rows before this one are still those of the words
        for (;;) {
            fill_rows(changed);
            filter_.run(words_, changed);
            trace();
            const Shift best = best_shift(checked);
            if (checked >= max_candidates || best.gain <= 0) break;
            apply(words_, best);
            if (links) move(best, moves);
            changed = std::min(best.start, best.target);
            ++shifts;
        }
        if (links) link(*links);
        return shifts + distance();
    }

private:
    static constexpr int64_t max_shift_size = 10, max_shift_distance = 50, beam = 25;
    static constexpr size_t max_candidates = 1000;
    static constexpr int32_t infinity = 1 << 30;

    struct Shift {
        int64_t gain = 0;
        size_t length = 0, start = 0, target = 0;

        bool beats(const Shift& other) const {  // tercom's ranking
            if (gain != other.gain) return gain > other.gain;
            if (length != other.length) return length > other.length;
            if (start != other.start) return start < other.start;
            return target < other.target;
        }
        size_t first() const { return std::min(start, target); }
        size_t last(size_t words) const {  // behind the last word that moved
            if (target < start) return start + length;
            return std::min(words, target > start + length ? target : target + length);
        }
    };

    static void apply(std::vector<uint32_t>& words, const Shift& shift) {
        const auto at = [&](size_t k) { return words.begin() + static_cast<ptrdiff_t>(k); };
        if (shift.target < shift.start)
            std::rotate(at(shift.target), at(shift.start), at(shift.start + shift.length));
        else
            std::rotate(at(shift.start), at(shift.start + shift.length), at(shift.last(words.size())));
    }

    void move(const Shift& shift, std::vector<Move>* moves) {
        const auto block = places_.begin() + static_cast<ptrdiff_t>(shift.start);
        if (moves) moves->push_back({{block, block + static_cast<ptrdiff_t>(shift.length)}, {}});
        apply(places_, shift);
        if (moves) moves->back().order = places_;
    }

    // True distances of shifted outputs, bit-parallel; a lower bound of the beam's distance, and quick to refute.
    class Filter {
    public:
        void open(Symbols reference, uint32_t symbols, size_t words) {
            blocks_ = (reference.size() + 63) / 64;
            usable_ = blocks_ <= max_blocks;
            if (!usable_) return;
            last_bit_ = (reference.size() - 1) % 64;
            length_ = static_cast<int32_t>(reference.size());
            equal_.assign((symbols + 1) * blocks_, 0);
            for (size_t j = 0; j < reference.size(); ++j)
                equal_[reference[j] * blocks_ + j / 64] |= uint64_t{1} << (j % 64);
            rows_.assign((words + 1) * blocks_, Deltas{});
            scores_.assign(words + 1, length_);
        }
        // Saves the state after every word, from word `first` on.
        void run(const std::vector<uint32_t>& words, size_t first) {
            if (!usable_) return;
            for (size_t i = first; i < words.size(); ++i) {
                Deltas* const row = rows_.data() + (i + 1) * blocks_;
                std::copy_n(row - blocks_, blocks_, row);
                scores_[i + 1] = scores_[i] + advance(row, words[i]);
            }
        }
        // Whether the words, changed in [first, last), are certainly further than `limit` from the reference.
        bool refutes(const std::vector<uint32_t>& words, size_t first, size_t last, int64_t limit) {
            if (!usable_) return false;
            Deltas row[max_blocks];
            std::copy_n(rows_.data() + first * blocks_, blocks_, row);
            int64_t score = scores_[first];
            for (size_t i = first; i < words.size(); ++i) {
                score += advance(row, words[i]);
                if (score - static_cast<int64_t>(words.size() - 1 - i) > limit) return true;
                if (i + 1 >= last && equals(row, rows_.data() + (i + 1) * blocks_))
                    return scores_.back() + score - scores_[i + 1] > limit;  // the rest is as before
            }
            return score > limit;
        }

    private:
        static constexpr size_t max_blocks = 8;

        int32_t advance(Deltas* row, uint32_t word) const {
            const uint64_t* const equal = equal_.data() + word * blocks_;
            uint64_t rise = 1, fall = 0;
            for (size_t b = 0; b + 1 < blocks_; ++b) advance_block(row[b], equal[b], rise, fall);
            return advance_last(row[blocks_ - 1], equal[blocks_ - 1], rise, fall);
        }
        // As advance_block, and tells how the last cell of the row changes.
        int32_t advance_last(Deltas& block, uint64_t equal, uint64_t carry_rise, uint64_t carry_fall) const {
            const uint64_t x = equal | carry_fall;
            const uint64_t d0 = (((x & block.rises) + block.rises) ^ block.rises) | x | block.falls;
            uint64_t rise = block.falls | ~(d0 | block.rises);
            uint64_t fall = d0 & block.rises;
            const auto change = static_cast<int32_t>((rise >> last_bit_) & 1) - static_cast<int32_t>((fall >> last_bit_) & 1);
            rise = (rise << 1) | carry_rise;
            fall = (fall << 1) | carry_fall;
            block = {fall | ~(d0 | rise), rise & d0};
            return change;
        }
        bool equals(const Deltas* a, const Deltas* b) const {
            for (size_t k = 0; k < blocks_; ++k)
                if (a[k].rises != b[k].rises || a[k].falls != b[k].falls) return false;
            return true;
        }

        bool usable_ = false;
        size_t blocks_ = 0, last_bit_ = 0;
        int32_t length_ = 0;
        std::vector<uint64_t> equal_;
        std::vector<Deltas> rows_;
        std::vector<int32_t> scores_;
    };

    // Row i of the distance table covers the cells [low, high) around the pseudo-diagonal; all others are infinite.
    struct Row {
        size_t low = 0, high = 0;
        size_t padding = 0;  // infinite cells behind it, for the next row to read; one more stands before it
        size_t offset = 0;   // where its cells are kept
    };

    void open_beam() {
        const size_t n = words_.size(), m = reference_.size();
        const double ratio = n > 0 ? static_cast<double>(m) / static_cast<double>(n) : 1.0;
        const int64_t width = static_cast<double>(beam) < ratio / 2
                                  ? static_cast<int64_t>(std::ceil(ratio / 2 + static_cast<double>(beam)))
                                  : beam;
        layout_.resize(n + 1);
        layout_[0] = {0, m + 1, 0, 0};
        for (size_t i = 1; i <= n; ++i) {
            const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * ratio));
            layout_[i].low = static_cast<size_t>(std::max<int64_t>(0, diagonal - width));
            layout_[i].high = std::min(m + 1, static_cast<size_t>(diagonal + width));
        }
        layout_[n].high = m + 1;
        size_t offset = 0, widest = 0;
        for (size_t i = 0; i <= n; ++i) {
            Row& row = layout_[i];
            row.padding = i < n && layout_[i + 1].high > row.high ? layout_[i + 1].high - row.high : 0;
            row.offset = offset;
            const size_t cells = 1 + row.high - row.low + row.padding;
            widest = std::max(widest, cells);
            offset += cells;
        }
        cells_.assign(offset, infinity);
        for (auto& scratch : scratch_) scratch.assign(widest, infinity);
        for (size_t j = 0; j <= m; ++j) cells_[1 + j] = static_cast<int32_t>(j);
    }

    int32_t* row(size_t i) { return cells_.data() + layout_[i].offset + 1; }  // [0] is the cell `low`
    int32_t cell(size_t i, size_t j) {
        return j < layout_[i].low || j >= layout_[i].high ? infinity : row(i)[j - layout_[i].low];
    }
    int64_t distance() { return cell(words_.size(), reference_.size()); }

    // Row i (1-based) from the row above it.
    void fill_row(size_t i, uint32_t word, const int32_t* above, int32_t* here) const {
        const size_t low = layout_[i].low, high = layout_[i].high;
        const int32_t* const up = above + (low - layout_[i - 1].low);
        int32_t left = infinity;
        size_t j = low;
        if (j == 0) {
            left = here[0] = up[0] + 1;
            ++j;
        }
        for (; j < high; ++j) {
            const size_t k = j - low;
            const int32_t diagonal = up[static_cast<ptrdiff_t>(k) - 1] + (word != reference_[j - 1]);
            left = std::min(std::min(diagonal, up[k] + 1), left + 1);
            here[k] = left;
        }
    }

    void fill_rows(size_t first) {
        for (size_t i = first + 1; i <= words_.size(); ++i) fill_row(i, words_[i - 1], row(i - 1), row(i));
    }

    // The beam's distance of words that differ from words_ in [first, last) only.
    int64_t beam_distance(const std::vector<uint32_t>& words, size_t first, size_t last) {
        const size_t n = words.size();
        const int32_t* above = row(first);
        for (size_t i = first + 1; i <= n; ++i) {
            int32_t* const here = scratch_[i % 2].data() + 1;
            const size_t width = layout_[i].high - layout_[i].low;
            std::fill_n(here + width, layout_[i].padding, infinity);
            fill_row(i, words[i - 1], above, here);
            if (i >= last) {  // from here on the words are the same: a row that differs by a constant settles it
                const int32_t* const old = row(i);
                const int32_t difference = here[0] - old[0];
                size_t k = 1;
                while (k < width && here[k] - old[k] == difference) ++k;
                if (k == width) return distance() + difference;
            }
            above = here;
        }
        return above[reference_.size() - layout_[n].low];
    }

    // Which reference word stands against which output word, and where the two sides are in error, from the end of
    // the table backwards. Of equal costs the diagonal is preferred, then a word too many, then a word missing.
    void trace() {
        size_t i = words_.size(), j = reference_.size();
        aligned_.assign(j, 0);
        output_errors_.assign(i + 1, 0);
        reference_errors_.assign(j + 1, 0);
        while (i > 0 || j > 0) {
            const int32_t here = cell(i, j);
            if (i > 0 && j > 0 && here == cell(i - 1, j - 1) + (words_[i - 1] != reference_[j - 1])) {
                const int wrong = words_[i - 1] != reference_[j - 1];
                output_errors_[i] = reference_errors_[j] = wrong;
                aligned_[j - 1] = static_cast<int64_t>(i) - 1;
                --i, --j;
            } else if (i > 0 && here == cell(i - 1, j) + 1) {
                output_errors_[i--] = 1;
            } else {
                reference_errors_[j] = 1;
                aligned_[j - 1] = static_cast<int64_t>(i) - 1;
                --j;
            }
        }
        for (size_t k = 1; k < output_errors_.size(); ++k) output_errors_[k] += output_errors_[k - 1];
        for (size_t k = 1; k < reference_errors_.size(); ++k) reference_errors_[k] += reference_errors_[k - 1];
    }

    // The same way back as `trace`: the diagonal steps, by the places that the words had before they were shifted.
    void link(WordLinks& links) {
        size_t i = words_.size(), j = reference_.size();
        while (i > 0 && j > 0) {
            const int32_t here = cell(i, j);
            if (here == cell(i - 1, j - 1) + (words_[i - 1] != reference_[j - 1])) {
                --i, --j;
                links.emplace_back(places_[i], static_cast<uint32_t>(j));
            } else if (here == cell(i - 1, j) + 1) {
                --i;
            } else {
                --j;
            }
        }
        std::reverse(links.begin(), links.end());
    }

    static bool correct(const std::vector<int64_t>& errors, size_t start, size_t length) {
        return errors[start + length] == errors[start];
    }

    // The shift with the largest gain; `checked` counts candidates over all rounds.
    Shift best_shift(size_t& checked) {
        Shift best;
        const auto n = static_cast<int64_t>(words_.size()), m = static_cast<int64_t>(reference_.size());
        for (int64_t h = 0; h < n; ++h) {
            const size_t ahead = static_cast<size_t>(std::min(max_shift_size, n - h));
            if (correct(output_errors_, static_cast<size_t>(h), ahead)) continue;  // no block from here has an error
            const int64_t stop = std::min(m, h + max_shift_distance + 1);
            for (int64_t r = std::max<int64_t>(0, h - max_shift_distance); r < stop; ++r) {
                const int64_t longest = std::min({max_shift_size, n - h, m - r});
                for (int64_t length = 1; length <= longest && words_[static_cast<size_t>(h + length - 1)] == reference_[static_cast<size_t>(r + length - 1)]; ++length) {
                    try_block(static_cast<size_t>(h), static_cast<size_t>(r), static_cast<size_t>(length), best, checked);
                    if (checked >= max_candidates) return best;
                }
            }
        }
        return best;
    }

    // Tries to move the output's block at h to every place beside the reference's equal block at r.
    void try_block(size_t h, size_t r, size_t length, Shift& best, size_t& checked) {
        if (correct(output_errors_, h, length) || correct(reference_errors_, r, length)) return;
        const int64_t against = aligned_[r];
        if (against >= static_cast<int64_t>(h) && against < static_cast<int64_t>(h + length)) return;
        int64_t previous = -1;
        for (size_t k = 0; k <= length; ++k) {  // before the block's first word, then after each of its words
            const int64_t target = r + k == 0 ? 0 : aligned_[r + k - 1] + 1;
            if (target == previous) continue;
            previous = target;
            ++checked;
            evaluate({0, length, h, static_cast<size_t>(target)}, best);
        }
    }

    void evaluate(Shift shift, Shift& best) {
        const int64_t limit = distance() - std::max<int64_t>(1, best.gain);  // anything further cannot win
        const size_t first = shift.first(), last = shift.last(words_.size());
        shifted_ = words_;
        apply(shifted_, shift);
        if (filter_.refutes(shifted_, first, last, limit)) return;
        shift.gain = distance() - beam_distance(shifted_, first, last);
        if (shift.gain > 0 && shift.beats(best)) best = shift;
    }

    std::vector<uint32_t> words_, shifted_;
    std::vector<uint32_t> places_;  // of the words in the output, before any shift
    Symbols reference_;
    Filter filter_;
    std::vector<Row> layout_;
    std::vector<int32_t> cells_;
    std::vector<int32_t> scratch_[2];
    std::vector<int64_t> aligned_, output_errors_, reference_errors_;
};

}  // namespace tertium
