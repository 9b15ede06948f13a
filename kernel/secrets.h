// What tables hash by: numbers that every process draws anew. With a fixed hash somebody can make up words that all
// want the same slot, and each of them walks past all others. Nothing that is counted depends on these numbers:
// tables number what they hold in order of first appearance and compare in full what they find.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

#if defined(_MSC_VER) && defined(_M_X64)
#include <intrin.h>
#endif

namespace tertium {

struct Secrets {
    uint64_t first, second;

    static Secrets draw() noexcept {
        const auto odd = [](uint64_t value) { return value | 1; };  // never 0, by which everything would be 0
        try {
            std::random_device device;
            const auto word = [&] { return uint64_t{device()} << 32 | device(); };
            const uint64_t first = word();
            return {first, odd(word())};
        } catch (...) {  // a system without randomness: better a guess than nothing
            const auto now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
            return {now * 0x9E3779B97F4A7C15ULL, odd(std::rotl(now, 32) * 0xC4CEB9FE1A85EC53ULL)};
        }
    }
};

inline const Secrets secrets = Secrets::draw();

// Both halves of the product of two numbers, one laid over the other: every bit depends on all bits of both.
inline uint64_t fold(uint64_t a, uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<uint64_t>(product >> 64) ^ static_cast<uint64_t>(product);
#elif defined(_MSC_VER) && defined(_M_X64)
    uint64_t high;
    const uint64_t low = _umul128(a, b, &high);
    return high ^ low;
#else
    const uint64_t x = (a ^ a >> 32) * (b | 1);
    return (x ^ x >> 29) * (std::rotl(b, 32) | 1) ^ x >> 32;
#endif
}

// Both factors depend on the key: by a factor that is always the same, keys in even steps stay in even steps, and for
// some secrets these are so near to a whole turn of the table that thousands of keys meet in a few slots.
inline uint64_t hash_pair(uint64_t low, uint64_t high, Secrets by = secrets) {
    return fold(low ^ by.first, high ^ std::rotl(low, 32) ^ by.second);
}
inline uint64_t hash_number(uint64_t key, Secrets by = secrets) { return hash_pair(key, 0, by); }
// The same with one factor, for the busiest loops. Its keys, a slot or symbol and a symbol, are not in such steps.
inline uint64_t hash_ngram(uint64_t key, Secrets by) { return fold(key ^ by.first, by.second); }

// Texts of any length; nothing behind the text is read.
inline uint64_t hash_text(std::string_view text, Secrets by = secrets) {
    uint64_t value = by.first ^ text.size();
    const auto add = [&](const char* from, size_t size) {
        uint64_t block = 0;
        std::memcpy(&block, from, size);
        value = fold(value ^ block, by.second);
    };
    size_t at = 0;
    for (; at + 8 <= text.size(); at += 8) add(text.data() + at, 8);
    if (at < text.size()) add(text.data() + at, text.size() - at);
    return hash_number(value, by);
}

// What a search calls at every slot that is not the one: nothing, or a count in the tests.
struct NoStep {
    void operator()() const {}
};

// For the maps of the standard library, whose own hash of a number is the number.
struct HashNumber {
    size_t operator()(uint64_t key) const { return static_cast<size_t>(hash_number(key)); }
};

}  // namespace tertium
