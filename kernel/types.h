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

// A text of up to fifteen bytes and its length, or a hash of a longer one and a length no short text has. Nothing
// behind the text is read, because it need not come from a tokenizer.
struct TextKey {
    uint64_t low = 0, high = 0;

    static constexpr size_t longest = 15;
    static TextKey of(std::string_view text) {
        const char* const data = text.data();
        const size_t size = text.size();
        if (size > longest) return {hash_text(text), uint64_t{0xFF} << 56};
        const uint64_t length = static_cast<uint64_t>(size) << 56;
        if (size >= 8) return {load<uint64_t>(data), (load<uint64_t>(data + size - 8) >> (8 * (15 - size)) >> 8) | length};
        if (size >= 4) return {load<uint32_t>(data) | load<uint32_t>(data + size - 4) << (8 * (size - 4)), length};
        if (size == 0) return {0, length};
        return {load<uint8_t>(data) | load<uint8_t>(data + size / 2) << (8 * (size / 2)) | load<uint8_t>(data + size - 1) << (8 * (size - 1)), length};
    }
    uint64_t mixed() const { return hash_pair(low, high); }
    bool operator==(const TextKey&) const = default;

private:
    template <class T>
    static uint64_t load(const char* from) {
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
};

// Different texts, numbered 1, 2, 3 ... in order of first appearance.
class Types {
public:
    uint32_t size() const { return static_cast<uint32_t>(ends_.size() - 1); }
    std::string_view text(uint32_t number) const {
        return std::string_view(text_).substr(ends_[number - 1], ends_[number] - ends_[number - 1]);
    }
    uint32_t add(std::string_view word) {
        const TextKey key = TextKey::of(word);
        Slot* slot = &slots_[locate(key, word)];
        if (slot->number != 0) [[likely]] return slot->number;
        if (ends_.size() > std::numeric_limits<uint32_t>::max() - 1)
            throw std::length_error("more than 4294967294 different words cannot be counted");
        if (2 * ends_.size() > slots_.size()) {
            grow();
            slot = &slots_[locate(key, word)];
        }
        text_.append(word);
        ends_.push_back(text_.size());
        *slot = {key, size()};
        return slot->number;
    }
    // 0 for a text that has no number.
    uint32_t find(std::string_view word) const { return slots_[locate(TextKey::of(word), word)].number; }

    // How many slots are looked at in vain before that of a text.
    size_t steps(std::string_view word) const {
        size_t count = 0;
        locate(TextKey::of(word), word, [&] { ++count; });
        return count;
    }

    // All texts, one after the other, and where they end; the object is not to be used afterwards.
    std::pair<std::string, std::vector<size_t>> release() { return {std::move(text_), std::move(ends_)}; }

private:
    struct Slot {
        TextKey key;
        uint32_t number = 0;  // 0: free
    };

    // The slot of a text, or the free one where it belongs. Long texts with equal hashes are told apart by what they say.
    template <class Step = NoStep>
    size_t locate(TextKey key, std::string_view word, Step step = {}) const {
        const size_t mask = slots_.size() - 1;
        for (size_t at = key.mixed() & mask;; at = (at + 1) & mask, step()) {
            const Slot& slot = slots_[at];
            if (slot.number == 0) return at;
            if (slot.key == key && (word.size() <= TextKey::longest || text(slot.number) == word)) return at;
        }
    }
    void grow() {
        std::vector<Slot> slots(4 * slots_.size());
        const size_t mask = slots.size() - 1;
        for (const Slot& slot : slots_) {
            if (slot.number == 0) continue;
            size_t at = slot.key.mixed() & mask;
            while (slots[at].number != 0) at = (at + 1) & mask;
            slots[at] = slot;
        }
        slots_ = std::move(slots);
    }

    std::string text_;
    std::vector<size_t> ends_{0};
    std::vector<Slot> slots_ = std::vector<Slot>(4096);
};

// Sparse rows of a corpus, three numbers for each type that a segment has: how often the output has it, how often the
// reference that has it most, and how often both. Numbers that are 0 are left out. Columns are three planes, one for each
// of these; as long as types still come, the three columns of a type stand together.
class TypeCounts {
public:
    TypeCounts(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    void add(std::string_view output, std::span<const std::string_view> references) {
        present_.clear();
        for (const std::string_view word : checked(tokenize_output_(output))) ++count_of(word).output;
        for (uint32_t r = 0; r < references.size(); ++r)
            for (const std::string_view word : checked(tokenize_reference_(references[r]))) {
                Count& count = count_of(word);
                count.current = count.reference == r ? count.current + 1 : 1;
                count.reference = r;
                count.most = std::max(count.most, count.current);
            }
        for (const uint32_t type : present_) {
            Count& count = counts_[type];
            const auto column = static_cast<int32_t>(3 * (type - 1));
            store(column, count.output);
            store(column + 1, count.most);
            store(column + 2, std::min(count.output, count.most));
            count = {};
        }
    }
    void finish() {
        const auto plane = static_cast<int32_t>(types.size());
        for (int32_t& column : indices) column = column % 3 * plane + column / 3;
    }
    void close_row() { starts.push_back(static_cast<int64_t>(indices.size())); }

    Types types;
    std::vector<int64_t> starts{0};
    std::vector<int32_t> indices;  // half as wide as the others: there are as many as words
    std::vector<uint32_t> values;

private:
    struct Count {
        uint32_t output = 0, most = 0;           // most: in one reference
        uint32_t current = 0, reference = 0;  // occurrences in this reference
    };

    static const Words& checked(const Words& words) {
        if (words.size() > std::numeric_limits<uint32_t>::max())
            throw std::length_error("a segment has " + std::to_string(words.size()) + " words; at most 4294967295 can be counted");
        return words;
    }
    // Whoever asks for a count raises it: that is how a type that the segment has not had yet is known.
    Count& count_of(std::string_view word) {
        const uint32_t type = types.add(word);
        if (type > std::numeric_limits<int32_t>::max() / 3) [[unlikely]]
            throw std::length_error("more than 715827882 different words cannot be counted at a time");
        if (type >= counts_.size()) [[unlikely]] counts_.resize(std::max<size_t>(2 * counts_.size(), type + size_t{1}));
        Count& count = counts_[type];
        if ((count.output | count.most) == 0) present_.push_back(type);
        return count;
    }
    void store(int32_t column, uint32_t count) {
        if (count == 0) return;
        indices.push_back(column);
        values.push_back(count);
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    std::vector<Count> counts_;      // by type; zero but for the types of the segment under way
    std::vector<uint32_t> present_;  // the types of the segment under way, in order of first appearance
};

}  // namespace tertium
