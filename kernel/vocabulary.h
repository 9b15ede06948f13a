// Words and characters to small numbers, anew for every segment, with an epoch stamp instead of clearing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tertium {

// How many bytes behind a text may be read: tokenizers see to it, so that nobody has to branch on what is left.
inline constexpr size_t readable_bytes = 64;

// The words of a line. Room is made once for as many as a line can have, so that adding one is two stores.
class Words {
public:
    void open(size_t most) {
        if (words_.size() < most) words_.resize(most);
        size_ = 0;
    }
    void push_back(std::string_view word) { words_[size_++] = word; }
    const std::string_view* begin() const { return words_.data(); }
    const std::string_view* end() const { return words_.data() + size_; }
    std::string_view operator[](size_t k) const { return words_[k]; }
    size_t size() const { return size_; }

private:
    std::vector<std::string_view> words_;
    size_t size_ = 0;
};

class Vocabulary {
public:
    // Forgets all words and makes room for `words` different ones.
    void reset(size_t words) {
        if (words > max_words)
            throw std::length_error("a segment has " + std::to_string(words) + " words; at most " +
                                    std::to_string(max_words) + " can be counted");
        const size_t capacity = std::bit_ceil(std::max<size_t>(64, 4 * words));
        if (capacity > slots_.size()) {
            slots_.assign(capacity, Slot{});
            epoch_ = 0;
        }
        if (texts_.size() <= words) texts_.resize(words + 1);
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
        if (++epoch_ == 0) {
            slots_.assign(slots_.size(), Slot{});
            epoch_ = 1;
        }
        size_ = 0;
    }

    // The numbers of words: 1, 2, 3 ... in order of first appearance.
    std::span<const uint32_t> add(const Words& words, std::vector<uint32_t>& room) {
        if (room.size() < words.size()) room.resize(words.size());
        const Table table = this->table();
        uint32_t* number = room.data();
        uint32_t size = size_;
        for (const std::string_view word : words) {
            const Key key = key_of(word);
            Slot& slot = table.locate(key, word);
            const bool fresh = slot.epoch != table.epoch;
            size += fresh;
            const uint32_t id = fresh ? size : slot.id;
            slot.low = key.low;  // field by field: a whole slot would be built on the stack first, and that stalls
            slot.high = key.high;
            slot.epoch = table.epoch;
            slot.id = id;
            if (word.size() > short_word) [[unlikely]] table.texts[id] = word;
            *number++ = id;
        }
        size_ = size;
        return {room.data(), words.size()};
    }

    // The numbers of words, 0 for those that have none.
    std::span<const uint32_t> find(const Words& words, std::vector<uint32_t>& room) {
        if (room.size() < words.size()) room.resize(words.size());
        const Table table = this->table();
        uint32_t* number = room.data();
        for (const std::string_view word : words) {
            const Slot& slot = table.locate(key_of(word), word);
            *number++ = slot.id & -static_cast<uint32_t>(slot.epoch == table.epoch);  // not a branch: unpredictable
        }
        return {room.data(), words.size()};
    }

    uint32_t size() const { return size_; }

private:
    static constexpr size_t max_words = size_t{1} << 30;
    static constexpr size_t short_word = 15;

    // A word of up to fifteen bytes and its length, or two hashes of a longer one and a length no short word has.
    struct Key {
        uint64_t low, high;
    };
    struct Slot {
        uint64_t low = 0, high = 0;
        uint32_t epoch = 0, id = 0;
    };

    static uint64_t load(const char* from) {
        uint64_t value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }

    // Reads sixteen bytes and masks off what is behind the word: no branch on its length, which no one can predict.
    static Key key_of(std::string_view word) {
        struct Masks {
            uint64_t low, high, length;
        };
        static constexpr auto masks = [] {
            std::array<Masks, short_word + 1> table{};
            const auto bytes = [](size_t k) { return k >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * k)) - 1; };
            for (size_t k = 0; k <= short_word; ++k) table[k] = {bytes(k), k > 8 ? bytes(k - 8) : 0, uint64_t{k} << 56};
            return table;
        }();
        if (word.size() > short_word) [[unlikely]] return long_key(word);
        const Masks& mask = masks[word.size()];
        return {load(word.data()) & mask.low, (load(word.data() + 8) & mask.high) | mask.length};
    }

    static Key long_key(std::string_view word) {
        uint64_t a = word.size(), b = 0x9E3779B97F4A7C15ULL;
        const char* const last = word.data() + word.size() - 8;
        for (const char* at = word.data(); at < last; at += 8) {
            a = (a ^ load(at)) * 0xFF51AFD7ED558CCDULL;
            a ^= a >> 32;
            b = (b + a) * 0xC4CEB9FE1A85EC53ULL;
        }
        a = (a ^ load(last)) * 0xFF51AFD7ED558CCDULL;
        return {a ^ (a >> 32), (b ^ a) | uint64_t{0xFF} << 56};
    }

    // The table as the loops see it: a copy, so that the compiler keeps it in registers.
    struct Table {
        Slot* slots;
        std::string_view* texts;
        size_t mask;
        unsigned shift;
        uint32_t epoch;

        // The slot of a word, or the free one where it belongs. Long words with equal hashes are told apart by their text.
        Slot& locate(Key key, std::string_view word) const {
            size_t at = ((key.low ^ (key.high << 23 | key.high >> 41)) * 0x9E3779B97F4A7C15ULL) >> shift;
            for (;; at = (at + 1) & mask) {
                Slot& slot = slots[at];
                if ((slot.epoch == epoch) & (((slot.low ^ key.low) | (slot.high ^ key.high)) != 0)) continue;
                if (word.size() <= short_word || slot.epoch != epoch || texts[slot.id] == word) [[likely]] return slot;
            }
        }
    };
    Table table() { return {slots_.data(), texts_.data(), mask_, shift_, epoch_}; }

    std::vector<Slot> slots_;
    std::vector<std::string_view> texts_;  // of long words, by number
    size_t mask_ = 0;
    unsigned shift_ = 0;
    uint32_t epoch_ = 0;
    uint32_t size_ = 0;
};

// The same for characters: a page of 256 numbers for every 256 code points that were ever seen.
class Alphabet {
public:
    void reset() {
        if (++epoch_ == 0) {
            pages_ = {};
            epoch_ = 1;
        }
        size_ = 0;
    }
    uint32_t add(char32_t c) {
        auto& page = pages_[c >> 8];
        if (!page) [[unlikely]] page = std::make_unique<Page>();
        Entry& entry = (*page)[c & 0xFF];
        if (entry.epoch != epoch_) entry = {epoch_, ++size_};
        return entry.id;
    }
    uint32_t find(char32_t c) const {
        const auto& page = pages_[c >> 8];
        if (!page) return 0;
        const Entry entry = (*page)[c & 0xFF];
        return entry.epoch == epoch_ ? entry.id : 0;
    }
    uint32_t size() const { return size_; }

private:
    struct Entry {
        uint32_t epoch = 0, id = 0;
    };
    using Page = std::array<Entry, 256>;

    std::array<std::unique_ptr<Page>, 0x1400> pages_;  // decode_utf8 makes at most U+13FFFF of invalid bytes
    uint32_t epoch_ = 0, size_ = 0;
};

}  // namespace tertium
