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

// How many bytes behind a word's first byte may be read, whatever its length: tokenizers see to it.
inline constexpr size_t readable_bytes = 16;

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
        if (++epoch_ == 0) {
            slots_.assign(slots_.size(), Slot{});
            epoch_ = 1;
        }
        size_ = 0;
    }

    // The number of a word: 1, 2, 3 ... in order of first appearance.
    uint32_t add(std::string_view word) {
        const Key key = key_of(word);
        Slot& slot = slots_[locate(key, word)];
        if (slot.epoch != epoch_) slot = {key, static_cast<uint32_t>(word.size()), epoch_, word.data(), ++size_};
        return slot.id;
    }

    // The number of a word, 0 if it has none.
    uint32_t find(std::string_view word) const {
        const Slot& slot = slots_[locate(key_of(word), word)];
        return slot.epoch == epoch_ ? slot.id : 0;
    }

    uint32_t size() const { return size_; }

private:
    static constexpr size_t max_words = size_t{1} << 30;

    // The bytes of a word of up to sixteen, or two hashes of a longer one.
    struct Key {
        uint64_t low = 0, high = 0;
        bool operator==(const Key& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
        size_t hash() const {
            const uint64_t mixed = (low ^ (high << 23 | high >> 41)) * 0x9E3779B97F4A7C15ULL;
            return mixed ^ (mixed >> 32);
        }
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
        static constexpr auto masks = [] {
            std::array<uint64_t, 17> table{};  // table[k]: the lowest k bytes, at most eight
            for (size_t k = 0; k <= 16; ++k) table[k] = k >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * k)) - 1;
            return table;
        }();
        const size_t size = word.size();
        if (size > 16) [[unlikely]] return long_key(word);
        return {load(word.data()) & masks[size], load(word.data() + 8) & (size > 8 ? masks[size - 8] : 0)};
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
        size_t at = key.hash() & mask_;
        for (;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            const bool same = (slot.key == key) & (slot.size == static_cast<uint32_t>(word.size()));
            if ((slot.epoch != epoch_) | same) {
                if (word.size() <= 16 || slot.epoch != epoch_) return at;
                if (std::memcmp(slot.data, word.data(), word.size()) == 0) return at;
            }
        }
    }

    std::vector<Slot> slots_;
    size_t mask_ = 0;
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
