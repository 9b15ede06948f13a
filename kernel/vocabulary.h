// Words to small numbers, anew for every segment: open addressing, with an epoch stamp instead of clearing.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tertium {

inline uint64_t mix(uint64_t x) {
    x *= 0x9E3779B97F4A7C15ULL;
    return x ^ (x >> 32);
}

// A number that identifies a word of at most eight bytes among words of its length, and a hash of a longer one.
inline uint64_t word_key(std::string_view word) {
    const char* at = word.data();
    const size_t size = word.size();
    const auto load = [](const char* from, auto value) {
        std::memcpy(&value, from, sizeof value);
        return static_cast<uint64_t>(value);
    };
    if (size > 8) {
        uint64_t hash = size;
        for (size_t k = 0; k + 8 < size; k += 8) hash = mix(hash ^ load(at + k, uint64_t{})) * 0xFF51AFD7ED558CCDULL;
        return mix(hash ^ load(at + size - 8, uint64_t{}));
    }
    if (size >= 4) return load(at, uint32_t{}) | load(at + size - 4, uint32_t{}) << 32;
    if (size == 0) return 0;
    const auto byte = [&](size_t k) { return static_cast<uint64_t>(static_cast<unsigned char>(at[k])); };
    return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

class Vocabulary {
public:
    // Forgets all words and makes room for `words` different ones.
    void reset(size_t words) {
        if (words > max_words)
            throw std::length_error("a segment has " + std::to_string(words) + " words; at most " +
                                    std::to_string(max_words) + " can be counted");
        size_t capacity = 64;
        while (capacity < 2 * words) capacity *= 2;
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
        Slot& slot = slots_[locate(word)];
        if (slot.epoch != epoch_) slot = {word_key(word), word.data(), word.size(), epoch_, ++size_};
        return slot.id;
    }

    // The number of a word, 0 if it has none.
    uint32_t find(std::string_view word) const {
        const Slot& slot = slots_[locate(word)];
        return slot.epoch == epoch_ ? slot.id : 0;
    }

    uint32_t size() const { return size_; }

private:
    static constexpr size_t max_words = size_t{1} << 30;

    struct Slot {
        uint64_t key = 0;
        const char* data = nullptr;
        size_t size = 0;
        uint32_t epoch = 0;
        uint32_t id = 0;
    };

    size_t locate(std::string_view word) const {
        const uint64_t key = word_key(word);
        size_t at = mix(key + word.size()) & mask_;
        for (;; at = (at + 1) & mask_) {
            const Slot& slot = slots_[at];
            if (slot.epoch != epoch_) return at;
            if (slot.key == key && slot.size == word.size() &&
                (slot.size <= 8 || std::memcmp(slot.data, word.data(), slot.size) == 0))
                return at;
        }
    }

    std::vector<Slot> slots_;
    size_t mask_ = 0;
    uint32_t epoch_ = 0;
    uint32_t size_ = 0;
};

}  // namespace tertium
