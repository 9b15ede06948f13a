// Words and characters to small numbers, anew for every segment, with an epoch stamp instead of clearing.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tertium {

// How many bytes behind a text may be read: tokenizers see to it, so that nobody has to branch on what is left.
inline constexpr size_t readable_bytes = 64;

class Vocabulary {
public:
    // Forgets all words and makes room for `words` different ones.
    void reset(size_t words) {
        if (words > max_words)
            throw std::length_error("a segment has " + std::to_string(words) + " words; at most " +
                                    std::to_string(max_words) + " can be counted");
        size_t capacity = 64;
        while (capacity < 4 * words) capacity *= 2;
        if (capacity > slots_.size()) {
            slots_.assign(capacity, Slot{});
            epoch_ = 0;
        }
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(__builtin_ctzll(capacity));
        if (++epoch_ == 0) {
            slots_.assign(slots_.size(), Slot{});
            epoch_ = 1;
        }
        size_ = 0;
    }

    // The numbers of words: 1, 2, 3 ... in order of first appearance.
    void add(const std::vector<std::string_view>& words, std::vector<uint32_t>& numbers) {
        key_all(words);
        numbers.resize(words.size());
        uint32_t size = size_;
        for (size_t k = 0; k < words.size(); ++k) {
            Slot& slot = slots_[locate(keys_[k], words[k])];
            const bool fresh = slot.epoch != epoch_;
            size += fresh;
            const uint32_t id = fresh ? size : slot.id;
            slot.key.low = keys_[k].low;  // field by field: a whole slot is built on the stack first, and that stalls
            slot.key.high = keys_[k].high;
            slot.data = words[k].data();
            slot.size = static_cast<uint32_t>(words[k].size());
            slot.epoch = epoch_;
            slot.id = id;
            numbers[k] = id;
        }
        size_ = size;
    }

    // The numbers of words, 0 for those that have none.
    void find(const std::vector<std::string_view>& words, std::vector<uint32_t>& numbers) {
        key_all(words);
        numbers.resize(words.size());
        for (size_t k = 0; k < words.size(); ++k) {
            const Slot& slot = slots_[locate(keys_[k], words[k])];
            numbers[k] = slot.id & -static_cast<uint32_t>(slot.epoch == epoch_);  // not a branch: no one can predict it
        }
    }

    uint32_t size() const { return size_; }

private:
    static constexpr size_t max_words = size_t{1} << 30;

    // The bytes of a word of up to sixteen, or two hashes of a longer one.
    struct Key {
        uint64_t low = 0, high = 0;
        bool operator==(const Key& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
        uint64_t hash() const { return (low ^ (high << 23 | high >> 41)) * 0x9E3779B97F4A7C15ULL; }  // high bits are best
    };
    struct Slot {
        Key key;
        uint32_t size = 0;
        uint32_t epoch = 0;
        const char* data = nullptr;
        uint32_t id = 0;
    };

    static uint64_t load(const char* from) {
        uint64_t value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }

    // Reads sixteen bytes and masks off what is behind the word: no branch on its length, which no one can predict.
    static Key key_of(std::string_view word) {
        struct Masks {
            uint64_t low, high;
        };
        static constexpr auto masks = [] {
            std::array<Masks, 17> table{};
            const auto bytes = [](size_t k) { return k >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * k)) - 1; };
            for (size_t k = 0; k <= 16; ++k) table[k] = {bytes(k), k > 8 ? bytes(k - 8) : 0};
            return table;
        }();
        if (word.size() > 16) [[unlikely]] return long_key(word);
        const Masks& mask = masks[word.size()];
        return {load(word.data()) & mask.low, load(word.data() + 8) & mask.high};
    }

    // All keys first: a mispredicted look-up then throws away less work.
    void key_all(const std::vector<std::string_view>& words) {
        keys_.resize(words.size());
        for (size_t k = 0; k < words.size(); ++k) keys_[k] = key_of(words[k]);
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
        return {a ^ (a >> 32), b ^ a};
    }

    size_t locate(const Key& key, std::string_view word) const {
        const Slot* const slots = slots_.data();
        const size_t mask = mask_;
        const uint32_t epoch = epoch_, size = static_cast<uint32_t>(word.size());
        for (size_t at = key.hash() >> shift_;; at = (at + 1) & mask) {
            const Slot& slot = slots[at];
            const bool free = slot.epoch != epoch;
            if (!(free | ((slot.key == key) & (slot.size == size)))) continue;
            if (size <= 16 || free || std::memcmp(slot.data, word.data(), size) == 0) [[likely]] return at;
        }
    }

    std::vector<Slot> slots_;
    std::vector<Key> keys_;
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

    std::array<std::unique_ptr<Page>, 0x1100> pages_;
    uint32_t epoch_ = 0, size_ = 0;
};

}  // namespace tertium
