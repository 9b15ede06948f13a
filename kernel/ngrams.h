// Clipped n-gram matches of an output with any number of references, for any order and any alphabet.
//
// An n-gram can occur on the other side only if the (n-1)-gram it begins with does. So the orders are taken one
// after the other, and only positions whose (n-1)-gram was found on the other side go on to order n. There an n-gram
// is known by the table slot of its first n-1 symbols and its last symbol: one 64-bit key, exact, never too narrow.
// An n-gram that occurs once on either side can only grow by comparing symbol with symbol: most leave early.
// Whether a word is found, and how often, nobody can predict; segments are short; so the loops over all words add up
// conditions instead of branching on them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "room.h"
#include "secrets.h"

namespace tertium {

// Words or characters as numbers 1, 2, 3 ... in order of first appearance in the output; 0: not in the output.
using Symbols = std::span<const uint32_t>;

class NgramMatcher {
public:
    // matches[n - 1] = sum over the output's n-grams of min(count in the output, largest count in a reference).
    // Behind every text `readable_symbols` can be read that equal none of the other side (vocabulary.h).
    void match(Symbols output, std::span<const Symbols> references, std::span<int64_t> matches) {
        if (!open(output, references.size(), matches)) return;
        if (references.size() == 1) {
            match_words(output, references[0], matches);
            match_longer(output, references[0], matches);
        } else {
            match_several(output, references, matches);
        }
    }

    // The same for characters and one reference. Hardly any character occurs only once, so single characters are
    // merely counted and the search begins with pairs.
    void match_characters(Symbols output, Symbols reference, std::span<int64_t> matches) {
        if (!open(output, 1, matches)) return;
        matches[0] = count_singles(output, reference);
        list_all(output, output_);
        list_all(reference, found_[0]);
        match_longer(output, reference, matches);
    }

private:
    struct Single {
        uint32_t output = 0, reference = 0;  // occurrences
        uint32_t at = 0;                     // where the output has it last
        bool is_settled() const { return (output == 1) & (reference == 1); }
    };
    struct Slot {
        uint64_t key = 0;
        uint32_t epoch = 0;   // an order of a segment; a slot of another epoch is free
        uint32_t output = 0;  // occurrences in the output
        uint32_t best = 0;    // most occurrences in one reference so far
        uint32_t at = 0;      // where the output has it first
        bool is_settled() const { return (output == 1) & (best == 1); }
    };
    struct Position {
        uint32_t at;     // where the n-gram begins
        uint32_t ngram;  // its slot; a single symbol is its own
    };
    struct Place {
        uint32_t reference, output;
    };
    // The table as the loops see it: a copy, so that the compiler keeps it in registers.
    struct Table {
        Slot* slots;
        size_t mask;
        unsigned shift;
        uint32_t epoch;
        Secrets by;

        Slot& locate(uint64_t key) const {
            size_t at = hash_ngram(key, by) >> shift;
            while (((slots[at].key ^ key) & -static_cast<uint64_t>(slots[at].epoch == epoch)) != 0) at = (at + 1) & mask;
            return slots[at];
        }
        bool has(const Slot& slot) const { return slot.epoch == epoch; }
        uint32_t number(const Slot& slot) const { return static_cast<uint32_t>(&slot - slots); }
        uint32_t add(Slot& slot, uint64_t key, uint32_t at) const {
            const bool known = has(slot);
            slot.key = key;  // field by field: a whole slot is built on the stack first, and that stalls
            slot.epoch = epoch;
            slot.output = slot.output * known + 1;  // a product, a mask: whether it is known nobody can predict
            slot.best = 0;
            slot.at = at ^ ((at ^ slot.at) & -uint32_t{known});
            return number(slot);
        }
    };

    // False if there is nothing to find.
    bool open(Symbols output, size_t references, std::span<int64_t> matches) {
        std::fill(matches.begin(), matches.end(), 0);
        const size_t length = output.size();
        if (length > (size_t{1} << 29))
            throw std::length_error("a segment has " + std::to_string(length) + " symbols; at most 536870912 can be counted");
        const size_t capacity = std::bit_ceil(std::max<size_t>(64, 4 * length));
        if (capacity > slots_.size()) slots_.assign(capacity, Slot{});
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
        grown_.assign(matches.size() + 1, 0);
        if (found_.size() < references) found_.resize(references);
        return length > 0 && references > 0 && !matches.empty();
    }

    // An empty table for the next order.
    Table next_table() {
        if (++epoch_ == 0) {
            slots_.assign(slots_.size(), Slot{});
            epoch_ = 1;
        }
        return table();
    }
    Table table() { return {slots_.data(), mask_, shift_, epoch_, secrets}; }

    static void list_all(Symbols symbols, Room<Position>& positions) {
        positions.open(symbols.size());
        for (uint32_t at = 0; at < symbols.size(); ++at) positions.push_back({at, symbols[at]});
    }

    // Occurrences of single symbols on both sides, and how many match.
    int64_t count_singles(Symbols output, Symbols reference) {
        singles_.assign(output.size() + 1, Single{});  // symbols are numbered by first appearance
        Single* const singles = singles_.data();
        for (uint32_t at = 0; at < output.size(); ++at) {
            Single& single = singles[output[at]];
            ++single.output;
            single.at = at;
        }
        int64_t matches = 0;
        for (const uint32_t symbol : reference) {  // the output never has symbol 0
            Single& single = singles[symbol];
            matches += single.reference < single.output;
            ++single.reference;
        }
        return matches;
    }

    // Words; n-grams that begin with a word that occurs once on both sides: they can only be in one place. What is
    // left for match_longer begins with one of the other words.
    void match_words(Symbols output, Symbols reference, std::span<int64_t> matches) {
        matches[0] = count_singles(output, reference);
        const Single* const singles = singles_.data();
        const bool beyond = matches.size() > 4;
        int64_t twos = 0, threes = 0, fours = 0;
        found_[0].collect(reference.size(), [&](uint32_t at, Position& position) {
            const uint32_t* const here = reference.data() + at;
            const Single single = singles[*here];
            const uint32_t* const there = output.data() + single.at;
            const bool settled = single.is_settled();
            const bool two = settled & (here[1] == there[1]);
            const bool three = two & (here[2] == there[2]);
            const bool four = three & (here[3] == there[3]);
            twos += two;
            threes += three;
            fours += four;
            if (beyond && four) grow(output, reference, {at, single.at}, 4, 4);
            position = {at, *here};
            return (single.output > 0) & !settled;
        });
        const int64_t longer[] = {twos, threes, fours};
        for (size_t n = 1; n < std::min<size_t>(4, matches.size()); ++n) matches[n] = longer[n - 1];
        output_.collect(output.size(), [&](uint32_t at, Position& position) {
            const Single single = singles[output[at]];
            position = {at, output[at]};
            return (single.reference > 0) & !single.is_settled();
        });
    }

    // N-grams of two and more symbols, of the positions listed.
    void match_longer(Symbols output, Symbols reference, std::span<int64_t> matches) {
        for (size_t order = 2; order <= matches.size() && !output_.empty(); ++order) {
            insert(output, order);
            matches[order - 1] += look_up<false>(reference, found_[0], order);
            settle(output, reference, order);
        }
        int64_t longer = 0;
        for (size_t n = matches.size(); n > 0; --n) matches[n - 1] += longer += grown_[n];
    }

    void match_several(Symbols output, std::span<const Symbols> references, std::span<int64_t> matches) {
        current_.resize(slots_.size());
        for (size_t r = 0; r < references.size(); ++r) list_beginnings(references[r], found_[r]);
        list_beginnings(output, output_);
        const Slot* const slots = slots_.data();
        for (size_t order = 1; order <= matches.size() && !output_.empty(); ++order) {
            insert(output, order);
            for (size_t r = 0; r < references.size(); ++r) matches[order - 1] += look_up<true>(references[r], found_[r], order);
            output_.filter([&](Position& position) { return slots[position.ngram].best > 0; });
        }
    }

    // All n-grams begin with the one of no symbols.
    static void list_beginnings(Symbols symbols, Room<Position>& positions) {
        positions.open(symbols.size());
        for (uint32_t at = 0; at < symbols.size(); ++at) positions.push_back({at, 0});
    }

    // The key of an n-gram: the slot of its first n-1 symbols and its last symbol.
    static uint64_t key_of(Position position, Symbols symbols, size_t order) {
        return static_cast<uint64_t>(position.ngram) << 32 | symbols[position.at + order - 1];
    }

    void insert(Symbols output, size_t order) {
        const Table table = next_table();
        output_.filter([&](Position& position) {
            if (position.at + order > output.size()) return false;
            const uint64_t key = key_of(position, output, order);
            position.ngram = table.add(table.locate(key), key, position.at);
            return true;
        });
    }

    // Counts the reference's n-grams that the output has; their positions stay in `found`, with their slots.
    template <bool several>
    int64_t look_up(Symbols reference, Room<Position>& found, size_t order) {
        const Table table = this->table();
        int64_t matches = 0;
        found.filter([&](Position& position) {
            if (position.at + order > reference.size()) return false;
            Slot& slot = table.locate(key_of(position, reference, order));
            const bool same = table.has(slot);
            position.ngram = table.number(slot);
            if constexpr (several) {
                matches += same && count_several(slot, current_[position.ngram]);
            } else {
                matches += same & (slot.best < slot.output);
                slot.best += same;
            }
            return same;
        });
        if constexpr (several)
            for (const Position& position : found) current_[position.ngram] = 0;
        return matches;
    }

    // One more occurrence in this reference counts if no other reference had as many and the output has them.
    static bool count_several(Slot& slot, uint32_t& current) {
        if (++current <= slot.best) return false;
        return slot.best++ < slot.output;
    }

    // An n-gram that occurs once on both sides is done: it grows as long as the next symbols are equal. Beside a
    // neighbour that grew to length l it has length l - 1 without looking. The others go on.
    void settle(Symbols output, Symbols reference, size_t order) {
        const Slot* const slots = slots_.data();
        size_t length = 0;
        Place next{0, 0};
        found_[0].filter([&](Position& position) {
            const Slot& slot = slots[position.ngram];
            if (!slot.is_settled()) return true;
            const bool beside = (position.at == next.reference) & (slot.at == next.output) & (length > order);
            length = grow(output, reference, {position.at, slot.at}, order, beside ? length - 1 : order);
            next = {position.at + 1, slot.at + 1};
            return false;
        });
        output_.filter([&](Position& position) {
            const Slot& slot = slots[position.ngram];
            return (slot.best > 0) & !slot.is_settled();
        });
    }

    // How long an n-gram of `order` symbols, which has been counted as such, becomes; `length` of them are known to be equal.
    size_t grow(Symbols output, Symbols reference, Place place, size_t order, size_t length) {
        const size_t longest = std::min({grown_.size() - 1, reference.size() - place.reference, output.size() - place.output});
        while (length < longest && reference[place.reference + length] == output[place.output + length]) ++length;
        ++grown_[length];
        --grown_[order];
        return length;
    }

    std::vector<Slot> slots_;
    std::vector<Single> singles_;        // by symbol
    std::vector<uint32_t> current_;      // occurrences in the reference under way, by slot
    Room<Position> output_;              // the output's n-grams that are still of interest
    std::vector<Room<Position>> found_;  // the same of every reference
    std::vector<int64_t> grown_;         // n-grams by the length they grew to, less those by the length counted before
    size_t mask_ = 0;
    unsigned shift_ = 0;
    uint32_t epoch_ = 0;
};

}  // namespace tertium
