// Words and characters to small numbers, anew for every segment.
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
#include <utility>
#include <vector>

#include "room.h"
#include "secrets.h"

namespace tertium {

// How many bytes behind a text may be read: tokenizers see to it, so that nobody has to branch on what is left.
inline constexpr size_t readable_bytes = 64;

// The words of a line.
using Words = Room<std::string_view>;
using WordLinks = std::vector<std::pair<uint32_t, uint32_t>>;  // places of words in an output and in a reference

struct WordPair {  // the words of both, which live as long as their tokenizers read nothing else
    const Words& output;
    const Words& reference;
};

// How many symbols behind a text's own may be read: add and find put some there that equal no other.
inline constexpr size_t readable_symbols = 3;

class Vocabulary {
public:
    // Forgets all words and makes room for `words` different ones.
    void reset(size_t words) {
        check(words);
        const size_t capacity = std::bit_ceil(std::max<size_t>(64, 4 * words));
        slots_.assign(capacity, 0);
        if (keys_.size() <= words) {
            keys_.resize(words + 1);
            texts_.resize(words + 1);
        }
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
        size_ = 0;
    }

    // The numbers of words: 1, 2, 3 ... in order of first appearance.
    std::span<const uint32_t> add(const Words& words, std::vector<uint32_t>& room) {
        uint32_t* number = open(room, words.size());
        const Table table = this->table();
        uint32_t size = size_;
        for (const std::string_view word : words) {
            const Key key = key_of(word);
            const size_t slot = table.locate(key, word);
            const uint32_t known = table.slots[slot];
            size += known == 0;
            const uint32_t id = known == 0 ? size : known;
            table.slots[slot] = id;
            table.keys[id].low = key.low;  // field by field: a whole key would be built on the stack first, and that stalls
            table.keys[id].high = key.high;
            if (word.size() > short_word) [[unlikely]] table.texts[id] = word;
            *number++ = id;
        }
        size_ = size;
        return close(number, room, words.size(), ~uint32_t{0});
    }

    // The numbers of words, 0 for those that have none.
    std::span<const uint32_t> find(const Words& words, std::vector<uint32_t>& room) {
        uint32_t* number = open(room, words.size());
        const Table table = this->table();
        for (const std::string_view word : words) *number++ = table.slots[table.locate(key_of(word), word)];
        return close(number, room, words.size(), 0);
    }

    // How many slots are looked at in vain before those of these words.
    size_t steps(const Words& words) {
        const Table table = this->table();
        size_t count = 0;
        for (const std::string_view word : words) table.locate(key_of(word), word, [&] { ++count; });
        return count;
    }

    uint32_t size() const { return size_; }

private:
    static constexpr size_t max_words = size_t{1} << 30;
    static constexpr size_t short_word = 15;

    // A word of up to fifteen bytes and its length, or a hash of a longer one and a length no short word has.
    struct Key {
        uint64_t low, high;
    };

    static void check(size_t words) {
        if (words > max_words)
            throw std::length_error("a segment has " + std::to_string(words) + " words; at most " +
                                    std::to_string(max_words) + " can be counted");
    }
    static uint32_t* open(std::vector<uint32_t>& room, size_t size) {
        check(size);
        if (room.size() < size + readable_symbols) room.resize(size + readable_symbols);
        return room.data();
    }
    static std::span<const uint32_t> close(uint32_t* end, const std::vector<uint32_t>& room, size_t size, uint32_t symbol) {
        std::fill_n(end, readable_symbols, symbol);
        return {room.data(), size};
    }

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
        if (word.size() > short_word) [[unlikely]] return {hash_text(word), ~uint64_t{0}};
        const Masks& mask = masks[word.size()];
        return {load(word.data()) & mask.low, (load(word.data() + 8) & mask.high) | mask.length};
    }

    // The table as the loops see it: a copy, so that the compiler keeps it in registers.
    struct Table {
        uint32_t* slots;
        Key* keys;
        std::string_view* texts;
        size_t mask;
        unsigned shift;
        Secrets by;

        // The slot of a word, or the free one where it belongs. Long words with equal hashes are told apart by their text.
        template <class Step = NoStep>
        size_t locate(Key key, std::string_view word, Step step = {}) const {
            size_t slot = hash_pair(key.low, key.high, by) >> shift;
            for (;; slot = (slot + 1) & mask, step()) {
                const uint32_t id = slots[slot];
                // A mask, not a condition: whether the slot is taken is anyone's guess, that it is the right one is not.
                const uint64_t differs = ((keys[id].low ^ key.low) | (keys[id].high ^ key.high)) & -static_cast<uint64_t>(id != 0);
                if (differs != 0) [[unlikely]] continue;
                if (word.size() > short_word && id != 0 && texts[id] != word) [[unlikely]] continue;
                return slot;
            }
        }
    };
    Table table() { return {slots_.data(), keys_.data(), texts_.data(), slots_.size() - 1, shift_, secrets}; }

    std::vector<uint32_t> slots_;  // the number of the word that lives there, 0: nobody
    std::vector<Key> keys_;        // by number
    std::vector<std::string_view> texts_;  // of long words, by number
    unsigned shift_ = 0;
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
    // The number of a character; one that is not `kept` gets none. Without branches that nobody can predict.
    uint32_t add(char32_t c, bool kept = true) {
        auto& page = pages_[c >> 8];
        if (!page) [[unlikely]] page = std::make_unique<Page>();
        Entry& entry = (*page)[c & 0xFF];
        const bool fresh = kept & (entry.epoch != epoch_);
        size_ += fresh;
        entry.id = fresh ? size_ : entry.id;
        entry.epoch = fresh ? epoch_ : entry.epoch;
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
