// Clipped n-gram matches of an output with any number of references, for any order and any alphabet.
//
// An n-gram can occur on the other side only if both (n-1)-grams inside it do. So the orders are taken one after
// the other, and only positions whose (n-1)-gram was found on the other side go on to order n. An n-gram is
// identified by the class of its first n-1 symbols and its last symbol: one 64-bit key, exact, never too narrow.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "vocabulary.h"

namespace tertium {

using Symbols = std::span<const uint32_t>;  // words or characters as numbers; 0 stands for "not in the output"

class NgramMatcher {
public:
    explicit NgramMatcher(uint32_t first_class = 1) : base_(first_class) {}

    // matches[n - 1] = sum over the output's n-grams of min(count in the output, largest count in a reference).
    void match(Symbols output, std::span<const Symbols> references, std::span<int64_t> matches) {
        std::fill(matches.begin(), matches.end(), 0);
        if (output.empty() || references.empty()) return;
        reserve(output.size());
        several_ = references.size() > 1;
        if (alive_.size() < references.size()) alive_.resize(references.size());
        for (size_t order = 1; order <= matches.size(); ++order) {
            open_table();
            insert(output, order);
            for (size_t r = 0; r < references.size(); ++r) matches[order - 1] += count(references[r], alive_[r], order);
            keep_matched();
            previous_ = base_;
            base_ += static_cast<uint32_t>(mask_ + 1);
            if (output_size_ == 0) break;
        }
    }

private:
    struct Slot {
        uint64_t key = 0;
        uint32_t output = 0;  // occurrences in the output
        uint32_t best = 0;    // most occurrences in one reference so far
    };
    struct Position {
        uint32_t at;     // where the n-gram begins
        uint32_t ngram;  // its class
    };

    void reserve(size_t length) {
        if (length > (size_t{1} << 29))
            throw std::length_error("a segment has " + std::to_string(length) + " symbols; at most 536870912 can be counted");
        size_t capacity = 64;
        while (capacity < 4 * length) capacity *= 2;
        if (capacity > slots_.size()) {
            slots_.assign(capacity, Slot{});
            current_.assign(capacity, 0);
        }
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(capacity));
        if (base_ > UINT32_MAX - capacity) {
            slots_.assign(slots_.size(), Slot{});
            base_ = 1;
        }
        previous_ = base_;  // the class of the empty n-gram of this segment
        base_ += static_cast<uint32_t>(capacity);
        if (output_.size() < length) output_.resize(length);
        output_size_ = 0;
    }

    // Class numbers only grow, so what an earlier order or segment left in the table is recognised by its small
    // class number and counts as free. When the numbers run out, the table is wiped and the live classes renumbered.
    void open_table() {
        const size_t capacity = mask_ + 1;
        if (base_ > UINT32_MAX - capacity) {
            slots_.assign(slots_.size(), Slot{});
            const uint32_t surplus = previous_ - 1;
            for (size_t k = 0; k < output_size_; ++k) output_[k].ngram -= surplus;
            for (auto& alive : alive_)
                for (Position& position : alive) position.ngram -= surplus;
            previous_ -= surplus;
            base_ -= surplus;
        }
    }

    static uint64_t key_of(Position position, Symbols symbols, size_t order) {
        return static_cast<uint64_t>(position.ngram) << 32 | symbols[position.at + order - 1];
    }

    // The table as the loops see it: a copy, so that the compiler keeps it in registers.
    struct Table {
        Slot* slots;
        size_t mask;
        unsigned shift;
        uint64_t floor;

        Slot& locate(uint64_t key) const {
            size_t at = (key * 0x9E3779B97F4A7C15ULL) >> shift;
            while ((slots[at].key >= floor) & (slots[at].key != key)) at = (at + 1) & mask;
            return slots[at];
        }
    };
    Table table() { return {slots_.data(), mask_, shift_, static_cast<uint64_t>(previous_) << 32}; }

    // The positions whose (n-1)-gram and whose neighbour's were both found; the loops are free of branches that
    // depend on the text, because those are what costs.
    static size_t candidates(const Position* alive, size_t size, Position* out) {
        size_t kept = 0;
        for (size_t k = 0; k + 1 < size; ++k) {
            out[kept] = alive[k];
            kept += alive[k + 1].at == alive[k].at + 1;
        }
        return kept;
    }

    void insert(Symbols output, size_t order) {
        if (order == 1) {
            for (size_t at = 0; at < output.size(); ++at) output_[at] = {static_cast<uint32_t>(at), previous_};
            output_size_ = output.size();
        } else {
            output_size_ = candidates(output_.data(), output_size_, output_.data());
        }
        const Table table = this->table();
        Position* const positions = output_.data();
        for (size_t k = 0, size = output_size_; k < size; ++k) {
            const uint64_t key = key_of(positions[k], output, order);
            Slot& slot = table.locate(key);
            slot = {key, slot.key == key ? slot.output + 1 : 1, 0};
            positions[k].ngram = static_cast<uint32_t>(&slot - table.slots);
        }
    }

    int64_t count(Symbols reference, std::vector<Position>& alive, size_t order) {
        size_t size = 0;
        if (order == 1) {
            alive.resize(reference.size());
            for (size_t at = 0; at < reference.size(); ++at) {
                alive[size] = {static_cast<uint32_t>(at), previous_};
                size += reference[at] != 0;
            }
        } else {
            size = candidates(alive.data(), alive.size(), alive.data());
        }
        const int64_t matches = several_ ? look_up<true>(reference, alive.data(), size, order)
                                         : look_up<false>(reference, alive.data(), size, order);
        alive.resize(size);
        if (several_)
            for (const Position& position : alive) current_[position.ngram - base_] = 0;
        return matches;
    }

    // Counts the candidates that the output has and keeps them at the front of `alive`; `size` becomes their number.
    template <bool several>
    int64_t look_up(Symbols reference, Position* alive, size_t& size, size_t order) {
        const Table table = this->table();
        const uint32_t base = base_;
        int64_t matches = 0;
        size_t kept = 0;
        for (size_t k = 0, end = size; k < end; ++k) {
            const Position position = alive[k];
            const uint64_t key = key_of(position, reference, order);
            Slot& slot = table.locate(key);
            const bool found = slot.key == key;
            const auto at = static_cast<uint32_t>(&slot - table.slots);
            if constexpr (several) {
                matches += found && count_several(at);
            } else {
                matches += found & (slot.best < slot.output);
                slot.best += found;
            }
            alive[kept] = {position.at, base + at};
            kept += found;
        }
        size = kept;
        return matches;
    }

    // One more occurrence in this reference counts if no other reference had as many and the output has them.
    bool count_several(size_t slot) {
        if (++current_[slot] <= slots_[slot].best) return false;
        return slots_[slot].best++ < slots_[slot].output;
    }

    void keep_matched() {
        size_t kept = 0;
        for (size_t k = 0; k < output_size_; ++k) {
            const Position position = output_[k];
            output_[kept] = {position.at, base_ + position.ngram};
            kept += slots_[position.ngram].best > 0;
        }
        output_size_ = kept;
    }

    std::vector<Slot> slots_;
    std::vector<uint32_t> current_;  // occurrences in the reference under way, by slot
    std::vector<Position> output_;   // the output's n-grams that are still of interest
    size_t output_size_ = 0;
    std::vector<std::vector<Position>> alive_;
    size_t mask_ = 0;
    unsigned shift_ = 0;
    uint32_t base_;          // the class of slot 0 at this order
    uint32_t previous_ = 0;  // the same at the order before
    bool several_ = false;
};

}  // namespace tertium
