// Words of a whole corpus to numbers, and how often each segment has them. Unlike the Vocabulary of a segment, the
// types of a corpus keep their texts and grow as long as words come.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

inline uint64_t mix_bits(uint64_t x) {
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93ULL;
    return x ^ (x >> 32);
}

// A hash of exactly these bytes: nothing behind them is read, because texts need not come from a tokenizer.
inline uint64_t hash_text(std::string_view text) {
    const auto load = [](const char* from, auto value) {
        std::memcpy(&value, from, sizeof value);
        return static_cast<uint64_t>(value);
    };
    const char* const data = text.data();
    const size_t size = text.size();
    uint64_t hash = size * 0x9E3779B97F4A7C15ULL;
    if (size >= 8) {
        for (size_t at = 0; at + 8 < size; at += 8) hash = mix_bits(hash ^ load(data + at, uint64_t{}));
        hash ^= load(data + size - 8, uint64_t{});
    } else if (size >= 4) {
        hash ^= load(data, uint32_t{}) << 32 | load(data + size - 4, uint32_t{});
    } else if (size > 0) {
        hash ^= load(data, uint8_t{}) << 16 | load(data + size / 2, uint8_t{}) << 8 | load(data + size - 1, uint8_t{});
    }
    return mix_bits(hash);
}

// Different texts, numbered 1, 2, 3 ... in order of first appearance.
class Types {
public:
    uint32_t size() const { return static_cast<uint32_t>(ends_.size() - 1); }
    std::string_view text(uint32_t number) const {
        return std::string_view(text_).substr(ends_[number - 1], ends_[number] - ends_[number - 1]);
    }
    uint32_t add(std::string_view word) {
        const uint64_t hash = hash_text(word);
        Slot* slot = &slots_[locate(hash, word)];
        if (slot->number != 0) return slot->number;
        if (ends_.size() > std::numeric_limits<uint32_t>::max() - 1)
            throw std::length_error("more than 4294967294 different words cannot be counted");
        if (2 * ends_.size() > slots_.size()) {
            grow();
            slot = &slots_[locate(hash, word)];
        }
        text_.append(word);
        ends_.push_back(text_.size());
        *slot = {hash, size()};
        return slot->number;
    }
    // 0 for a text that has no number.
    uint32_t find(std::string_view word) const { return slots_[locate(hash_text(word), word)].number; }

    // All texts, one after the other, and where they end; the object is empty afterwards.
    std::pair<std::string, std::vector<size_t>> release() { return {std::move(text_), std::move(ends_)}; }

private:
    struct Slot {
        uint64_t hash = 0;
        uint32_t number = 0;  // 0: free
    };

    size_t locate(uint64_t hash, std::string_view word) const {
        const size_t mask = slots_.size() - 1;
        size_t at = hash & mask;
        while (slots_[at].number != 0 && !(slots_[at].hash == hash && text(slots_[at].number) == word)) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> slots(4 * slots_.size());
        const size_t mask = slots.size() - 1;
        for (const Slot& slot : slots_) {
            if (slot.number == 0) continue;
            size_t at = slot.hash & mask;
            while (slots[at].number != 0) at = (at + 1) & mask;
            slots[at] = slot;
        }
        slots_ = std::move(slots);
    }

    std::string text_;
    std::vector<size_t> ends_{0};
    std::vector<Slot> slots_ = std::vector<Slot>(1024);
};

// Sparse rows of a corpus, three numbers for each type that a segment has: how often the output has it, how often the
// reference that has it most, and how often both. Numbers that are 0 are left out.
class TypeCounts {
public:
    TypeCounts(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    void add(std::string_view output, std::span<const std::string_view> references) {
        present_.clear();
        for (const std::string_view word : tokenize_output_(output)) ++count_of(word).output;
        for (const std::string_view reference : references) {
            ++reference_;
            for (const std::string_view word : tokenize_reference_(reference)) {
                Count& count = count_of(word);
                if (count.reference != reference_) {
                    count.reference = reference_;
                    count.current = 0;
                }
                count.most = std::max(count.most, ++count.current);
            }
        }
        std::sort(present_.begin(), present_.end());
        for (const uint32_t type : present_) {
            Count& count = counts_[type];
            const int64_t column = 3 * (static_cast<int64_t>(type) - 1);
            store(column, count.output);
            store(column + 1, count.most);
            store(column + 2, std::min(count.output, count.most));
            count = {};
        }
    }
    void close_row() { starts.push_back(static_cast<int64_t>(indices.size())); }

    Types types;
    std::vector<int64_t> starts{0}, indices;
    std::vector<double> values;

private:
    struct Count {
        uint64_t output = 0, most = 0, current = 0;
        uint64_t reference = 0;  // the reference that `current` counts
        bool present = false;
    };

    Count& count_of(std::string_view word) {
        const uint32_t type = types.add(word);
        if (type >= counts_.size()) counts_.resize(std::max<size_t>(2 * counts_.size(), type + size_t{1}));
        Count& count = counts_[type];
        if (!count.present) {
            count.present = true;
            present_.push_back(type);
        }
        return count;
    }
    void store(int64_t column, uint64_t count) {
        if (count == 0) return;
        indices.push_back(column);
        values.push_back(static_cast<double>(count));
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    std::vector<Count> counts_;      // by type; zero but for the types of the segment under way
    std::vector<uint32_t> present_;  // the types of the segment under way
    uint64_t reference_ = 0;         // references counted so far: a number for each
};

}  // namespace tertium
