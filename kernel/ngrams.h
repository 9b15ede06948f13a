// Clipped n-gram matches of an output with any number of references, for any order and any alphabet.
//
// An n-gram can occur on the other side only if the (n-1)-gram it begins with does. So the orders are taken one
// after the other, and only positions whose (n-1)-gram was found on the other side go on to order n. There an n-gram
// is known by the table slot of its first n-1 symbols and its last symbol: one 64-bit key, exact, never too narrow.
// An n-gram that occurs once on either side can only grow by comparing symbol with symbol: most leave early.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tertium {

// Words or characters as numbers 1, 2, 3 ... in order of first appearance in the output; 0: not in the output.
using Symbols = std::span<const uint32_t>;

class NgramMatcher {
public:
    // matches[n - 1] = sum over the output's n-grams of min(count in the output, largest count in a reference).
    void match(Symbols output, std::span<const Symbols> references, std::span<int64_t> matches) {
        if (!open(output, matches)) return;
        if (found_.size() < references.size()) found_.resize(references.size());
        const bool several = references.size() > 1;
        for (size_t order = 1; order <= matches.size() && !references.empty(); ++order) {
            insert(output, order);
            for (size_t r = 0; r < references.size(); ++r) {
                matches[order - 1] += several ? look_up<true>(references[r], found_[r], order)
                                              : look_up<false>(references[r], found_[r], order);
            }
            if (!several) settle(output, references[0], order);
            keep_unsettled(output, order, several);
            if (output_.empty()) break;
        }
        add_grown(matches);
    }

    // The same for characters and one reference. Hardly any character occurs only once, so single characters are
    // merely counted and the search begins with pairs.
    void match_characters(Symbols output, Symbols reference, std::span<int64_t> matches) {
        if (!open(output, matches)) return;
        if (found_.empty()) found_.resize(1);
        if (!matches.empty()) matches[0] = count_single(output, reference);
        list_all(output, output_);
        list_all(reference, found_[0]);
        for (size_t order = 2; order <= matches.size() && !output_.empty(); ++order) {
            insert(output, order);
            matches[order - 1] += look_up<false>(reference, found_[0], order);
            settle(output, reference, order);
            keep_unsettled(output, order, false);
        }
        add_grown(matches);
    }

private:
    struct Slot {
        uint64_t key = 0;
        uint32_t epoch = 0;   // an order of a segment; a slot of another epoch is free
        uint32_t output = 0;  // occurrences in the output
        uint32_t best = 0;    // most occurrences in one reference so far
        uint32_t at = 0;      // where the output has it first
    };
    struct Position {
        uint32_t at;     // where the n-gram begins
        uint32_t ngram;  // its slot
    };
    // The table as the loops see it: a copy, so that the compiler keeps it in registers.
    struct Table {
        Slot* slots;
        size_t mask;
        unsigned shift;
        uint32_t epoch;

        Slot& locate(uint64_t key) const {
            size_t at = (key * 0x9E3779B97F4A7C15ULL) >> shift;
            while ((slots[at].epoch == epoch) & (slots[at].key != key)) at = (at + 1) & mask;
            return slots[at];
        }
        bool has(const Slot& slot) const { return slot.epoch == epoch; }
        uint32_t number(const Slot& slot) const { return static_cast<uint32_t>(&slot - slots); }
        uint32_t add(Slot& slot, uint64_t key, uint32_t at) const {
            const bool known = has(slot);
            slot.key = key;  // field by field: a whole slot is built on the stack first, and that stalls
            slot.epoch = epoch;
            slot.output = known ? slot.output + 1 : 1;
            slot.best = 0;
            slot.at = known ? slot.at : at;
            return number(slot);
        }
    };

    bool open(Symbols output, std::span<int64_t> matches) {
        std::fill(matches.begin(), matches.end(), 0);
        const size_t length = output.size();
        if (length > (size_t{1} << 29))
            throw std::length_error("a segment has " + std::to_string(length) + " symbols; at most 536870912 can be counted");
        const size_t capacity = std::bit_ceil(std::max<size_t>(64, 4 * length));
        if (capacity > slots_.size()) slots_.assign(capacity, Slot{});
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
        grown_.assign(matches.size() + 1, 0);
        return length > 0;
    }

    // An empty table for the next order.
    Table next_table() {
        if (++epoch_ == 0) {
            slots_.assign(slots_.size(), Slot{});
            epoch_ = 1;
        }
        return table();
    }
    Table table() { return {slots_.data(), mask_, shift_, epoch_}; }

    // All positions, for the order after single symbols: those are known by themselves.
    static void list_all(Symbols symbols, std::vector<Position>& positions) {
        positions.resize(symbols.size());
        for (uint32_t at = 0; at < symbols.size(); ++at) positions[at] = {at, symbols[at]};
    }

    int64_t count_single(Symbols output, Symbols reference) {
        counts_.resize(std::max(counts_.size(), output.size() + 1));  // symbols are numbered by first appearance
        for (const uint32_t symbol : output) ++counts_[symbol];
        int64_t matches = 0;
        for (const uint32_t symbol : reference) {
            const bool left = counts_[symbol] > 0;
            matches += left;
            counts_[symbol] -= left;
        }
        for (const uint32_t symbol : output) counts_[symbol] = 0;
        return matches;
    }

    // The key of an n-gram: the slot of its first n-1 symbols and its last symbol.
    static uint64_t key_of(Position position, Symbols symbols, size_t order) {
        return static_cast<uint64_t>(position.ngram) << 32 | symbols[position.at + order - 1];
    }

    void insert(Symbols output, size_t order) {
        const Table table = next_table();
        if (order == 1) {  // single symbols are numbered densely: they are their own slots
            for (uint32_t at = 0; at < output.size(); ++at) table.add(table.slots[output[at]], output[at], at);
            return;
        }
        size_t kept = 0;
        for (const Position position : output_) {
            if (position.at + order > output.size()) continue;
            const uint64_t key = key_of(position, output, order);
            output_[kept++] = {position.at, table.add(table.locate(key), key, position.at)};
        }
        output_.resize(kept);
    }

    // Counts the reference's n-grams that the output has; their positions stay in `found`, with their slots.
    template <bool several>
    int64_t look_up(Symbols reference, std::vector<Position>& found, size_t order) {
        const Table table = this->table();
        if constexpr (several) current_.resize(slots_.size());
        int64_t matches = 0;
        size_t kept = 0;
        const auto count = [&](Slot& slot, uint32_t at) {
            const bool same = table.has(slot);
            const uint32_t number = table.number(slot);
            if constexpr (several) {
                matches += same && count_several(slot, current_[number]);
            } else {
                matches += same & (slot.best < slot.output);
                slot.best += same;
            }
            found[kept] = {at, number};
            kept += same;
        };
        if (order == 1) {
            found.resize(reference.size());
            for (uint32_t at = 0; at < reference.size(); ++at) count(table.slots[reference[at]], at);  // slot 0 is free
        } else {
            for (const Position position : found)
                if (position.at + order <= reference.size())
                    count(table.locate(key_of(position, reference, order)), position.at);
        }
        found.resize(kept);
        if constexpr (several)
            for (const Position& position : found) current_[position.ngram] = 0;
        return matches;
    }

    // One more occurrence in this reference counts if no other reference had as many and the output has them.
    static bool count_several(Slot& slot, uint32_t& current) {
        if (++current <= slot.best) return false;
        return slot.best++ < slot.output;
    }

    static bool is_settled(const Slot& slot) { return (slot.output == 1) & (slot.best == 1); }

    // The output's n-grams that were found and can still grow go on to the next order.
    void keep_unsettled(Symbols output, size_t order, bool several) {
        const Slot* const slots = slots_.data();
        size_t kept = 0;
        const auto keep = [&](Position position) {
            const Slot& slot = slots[position.ngram];
            output_[kept] = position;
            kept += (slot.best > 0) & (several | !is_settled(slot));
        };
        if (order == 1) {
            output_.resize(output.size());
            for (uint32_t at = 0; at < output.size(); ++at) keep({at, output[at]});
        } else {
            for (const Position position : output_) keep(position);
        }
        output_.resize(kept);
    }

    // With one reference, an n-gram that occurs once on both sides is done: it grows as long as the next symbols are
    // equal. Beside a neighbour that grew to length l it has length l - 1 without looking. The others go on.
    void settle(Symbols output, Symbols reference, size_t order) {
        std::vector<Position>& found = found_[0];
        const Slot* const slots = slots_.data();
        const size_t orders = grown_.size() - 1;
        size_t kept = 0, length = 0;
        uint32_t next_at = 0, next_output = 0;
        for (const Position position : found) {
            if (!is_settled(slots[position.ngram])) {
                found[kept++] = position;
                continue;
            }
            const uint32_t at = slots[position.ngram].at;
            const bool beside = (position.at == next_at) & (at == next_output) & (length > order);
            length = beside ? length - 1 : order;
            const size_t longest = std::min({orders, reference.size() - position.at, output.size() - at});
            while (length < longest && reference[position.at + length] == output[at + length]) ++length;
            ++grown_[length];
            --grown_[order];  // its own order is counted already
            next_at = position.at + 1;
            next_output = at + 1;
        }
        found.resize(kept);
    }

    void add_grown(std::span<int64_t> matches) const {
        int64_t longer = 0;
        for (size_t n = matches.size(); n > 0; --n) matches[n - 1] += longer += grown_[n];
    }

    std::vector<Slot> slots_;
    std::vector<uint32_t> counts_;              // occurrences in the output, by symbol
    std::vector<uint32_t> current_;             // occurrences in the reference under way, by slot
    std::vector<Position> output_;              // the output's n-grams that are still of interest
    std::vector<std::vector<Position>> found_;  // the same of every reference
    std::vector<int64_t> grown_;                // settled n-grams by the length they grew to, less those by their own
    size_t mask_ = 0;
    unsigned shift_ = 0;
    uint32_t epoch_ = 0;
};

}  // namespace tertium
