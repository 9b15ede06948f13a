// NIST's information weights (Doddington 2002): how much rarer an n-gram is, in all references of a test set, than
// its first n-1 words.
//
// An n-gram whose first n-1 words occur only once carries no information, and one that is not in the table occurs
// once: so only n-grams that occur twice or more are kept, and only those are looked at again for the next order.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize.h"
#include "types.h"
#include "vocabulary.h"

namespace tertium {

// Pairs of numbers, numbered 0, 1, 2 ... in order of first appearance.
class Pairs {
public:
    static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();
    struct Slot {
        uint64_t key = 0;
        uint32_t number = none;
    };

    static uint64_t key_of(uint32_t first, uint32_t second) { return static_cast<uint64_t>(first) << 32 | second; }

    uint32_t add(uint64_t key) {
        Slot& slot = slots_[locate(slots_, key)];
        if (slot.number != none) return slot.number;
        if (size_ == none - 1) throw std::length_error("more than 4294967294 different n-grams cannot be counted");
        slot = {key, size_++};
        if (2 * static_cast<size_t>(size_) > slots_.size()) grow();
        return size_ - 1;
    }
    uint32_t find(uint64_t key) const { return slots_[locate(slots_, key)].number; }
    uint32_t size() const { return size_; }
    std::span<const Slot> slots() const { return slots_; }

    // Empty again, in time that what it held has paid for: after a very long segment the table is a small one again.
    void clear() {
        slots_.assign(slots_.size() > 16 * static_cast<size_t>(size_) ? smallest : slots_.size(), Slot{});
        size_ = 0;
    }

private:
    static size_t locate(const std::vector<Slot>& slots, uint64_t key) {
        const size_t mask = slots.size() - 1;
        size_t at = hash_number(key) & mask;
        while (slots[at].number != none && slots[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> slots(2 * slots_.size());
        for (const Slot& slot : slots_)
            if (slot.number != none) slots[locate(slots, slot.key)] = slot;
        slots_ = std::move(slots);
    }

    static constexpr size_t smallest = 256;

    std::vector<Slot> slots_ = std::vector<Slot>(smallest);
    uint32_t size_ = 0;
};

class NgramInformation {
public:
    // An n-gram in the table: a word's is its number, those of longer ones follow.
    using Node = uint32_t;
    static constexpr Node root = 0;                 // what comes before a single word; occurs as often as there are words
    static constexpr Node once = Pairs::none - 1;  // not in the table

    explicit NgramInformation(size_t order) : order_(order) {}

    void add(const Words& words) {
        if (finished_) throw std::logic_error("n-grams have been counted; nothing can be added");
        if (tokens_.size() + words.size() >= std::numeric_limits<uint32_t>::max())
            throw std::length_error("the references have more than 4294967295 words, which is more than can be counted");
        for (const std::string_view word : words) tokens_.push_back(types_.add(word));
        tokens_.push_back(0);  // no n-gram goes beyond
        counts_[root] += static_cast<uint32_t>(words.size());
    }

    // How many words were added.
    size_t words() const { return counts_[root]; }

    // Counts what was added; nothing can be added after it.
    void finish() {
        if (finished_) return;
        finished_ = true;
        counts_.resize(types_.size() + size_t{1});
        for (const uint32_t token : tokens_)
            if (token != 0) ++counts_[token];
        zero_ = types_.find("0");
        std::vector<Node> nodes(tokens_);  // the n-gram that begins at a position; root: none that could grow
        for (size_t order = 2; order <= order_; ++order) count_order(nodes, order);
        std::vector<uint32_t>().swap(tokens_);
    }

    uint32_t type(std::string_view word) const { return types_.find(word); }

    // The n-gram of a history and one more word.
    Node extend(Node history, uint32_t type) const {
        if (history == root) return type == 0 ? once : type;
        if (history == once || counts_[history] < 2) return once;
        const uint32_t child = children_.find(Pairs::key_of(history, type));
        return child == Pairs::none ? once : child + types_.size() + 1;
    }

    // log2(count(history) / count(n-gram)). `zero_is_no_history`: to mteval the single word "0" is false, hence no history.
    double information(Node history, Node ngram, bool zero_is_no_history) const {
        const Node before = zero_is_no_history && history == zero_ ? root : history;
        return std::log2(std::max(1.0, count(before) / count(ngram)));
    }

private:
    double count(Node node) const { return node == once ? 1.0 : static_cast<double>(counts_[node]); }

    void count_order(std::vector<Node>& nodes, size_t order) {
        Pairs pairs;
        std::vector<uint32_t> counts;
        for (size_t at = 0; at < nodes.size(); ++at) {
            if (nodes[at] == root) continue;  // also at the end of a reference
            const uint32_t next = tokens_[at + order - 1];
            if (next == 0 || counts_[nodes[at]] < 2) {
                nodes[at] = root;
                continue;
            }
            const uint32_t pair = pairs.add(Pairs::key_of(nodes[at], next));
            if (pair == counts.size()) counts.push_back(0);
            ++counts[pair];
            nodes[at] = pair + 1;
        }
        std::vector<Node> kept(counts.size() + 1, root);
        for (const Pairs::Slot& slot : pairs.slots()) {
            if (slot.number == Pairs::none || counts[slot.number] < 2) continue;
            const uint32_t child = children_.add(slot.key);
            if (child >= once - types_.size() - 1) throw std::length_error("the references have too many different n-grams to count");
            kept[slot.number + 1] = child + types_.size() + 1;
            counts_.push_back(counts[slot.number]);
        }
        for (Node& node : nodes) node = kept[node];
    }

    size_t order_;
    bool finished_ = false;
    Types types_;
    std::vector<uint32_t> tokens_;      // all references, 0 after each
    std::vector<uint32_t> counts_{0};   // by node
    Pairs children_;                    // (history, word) -> node
    uint32_t zero_ = once;              // the word "0"
};

// The information of the n-grams that an output shares with its references.
class InformedMatches {
public:
    InformedMatches(TokenizerOptions outputs, TokenizerOptions references, const NgramInformation& table, bool zero_is_no_history)
        : tokenize_output_(outputs), tokenize_reference_(references), table_(table), zero_is_no_history_(zero_is_no_history) {}

    // Fills, for each order, the sum over the output's n-grams of min(count in the output, largest count in a reference) x
    // information; returns the length of the output, and the sum of the references' lengths, in words.
    std::pair<size_t, size_t> count(std::string_view output, std::span<const std::string_view> references, std::span<double> information) {
        const Words& words = tokenize_output_(output);
        if (words.size() > (size_t{1} << 29) / std::max<size_t>(1, information.size()))
            throw std::length_error("a segment has " + std::to_string(words.size()) + " words, too many to count their n-grams");
        vocabulary_.reset(words.size());
        const std::span<const uint32_t> symbols = vocabulary_.add(words, output_);
        list_ngrams(symbols, information.size());
        size_t reference_words = 0;
        for (uint32_t r = 0; r < references.size(); ++r) {
            const std::span<const uint32_t> reference = vocabulary_.find(tokenize_reference_(references[r]), reference_room_);
            reference_words += reference.size();
            match(reference, r + 1, information.size());
        }
        add_up(words, symbols, information);
        return {words.size(), reference_words};
    }

private:
    struct Ngram {
        uint32_t history, last;             // the n-gram without its last word (its number + 1; 0: none); where that word is
        uint32_t order = 0;                 // n - 1
        uint32_t output = 0;                // occurrences in the output
        uint32_t best = 0;                  // most occurrences in one reference
        uint32_t current = 0, reference = 0;  // occurrences in the reference under way, and its number
        NgramInformation::Node node = NgramInformation::root;
    };

    void list_ngrams(std::span<const uint32_t> symbols, size_t order) {
        ngrams_.clear();
        pairs_.clear();
        for (uint32_t at = 0; at < symbols.size(); ++at) {
            uint32_t history = 0;
            for (uint32_t n = 0; n < order && at + n < symbols.size(); ++n) {
                const uint32_t number = pairs_.add(Pairs::key_of(history, symbols[at + n]));
                if (number == ngrams_.size()) ngrams_.push_back({history, at + n, n});
                ++ngrams_[number].output;
                history = number + 1;
            }
        }
    }

    void match(std::span<const uint32_t> reference, uint32_t number, size_t order) {
        for (size_t at = 0; at < reference.size(); ++at) {
            uint32_t history = 0;
            for (size_t n = 0; n < order && at + n < reference.size() && reference[at + n] != 0; ++n) {
                const uint32_t found = pairs_.find(Pairs::key_of(history, reference[at + n]));
                if (found == Pairs::none) break;
                Ngram& ngram = ngrams_[found];
                if (ngram.reference != number) {
                    ngram.reference = number;
                    ngram.current = 0;
                }
                ngram.best = std::max(ngram.best, ++ngram.current);
                history = found + 1;
            }
        }
    }

    // In the order in which the output has the n-grams first: sums of floats are the same however segments are shared out.
    void add_up(const Words& words, std::span<const uint32_t> symbols, std::span<double> information) {
        std::fill(information.begin(), information.end(), 0.0);
        types_.assign(vocabulary_.size() + size_t{1}, unknown);
        for (Ngram& ngram : ngrams_) {
            if (ngram.best == 0) continue;
            uint32_t& type = types_[symbols[ngram.last]];
            if (type == unknown) type = table_.type(words[ngram.last]);
            const NgramInformation::Node history = ngram.history == 0 ? NgramInformation::root : ngrams_[ngram.history - 1].node;
            ngram.node = table_.extend(history, type);
            information[ngram.order] += std::min(ngram.output, ngram.best) * table_.information(history, ngram.node, zero_is_no_history_);
        }
    }

    static constexpr uint32_t unknown = std::numeric_limits<uint32_t>::max();

    Tokenizer tokenize_output_, tokenize_reference_;
    const NgramInformation& table_;
    bool zero_is_no_history_;
    Vocabulary vocabulary_;
    Pairs pairs_;                 // (history, word) -> n-gram of the output
    std::vector<Ngram> ngrams_;
    std::vector<uint32_t> output_, reference_room_;
    std::vector<uint32_t> types_;  // the table's number for a word, by the segment's number for it
};

}  // namespace tertium
