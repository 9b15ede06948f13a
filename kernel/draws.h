// What resampling draws: how often each row comes up, and sums of rows under coins.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tertium {

// Counts the draws of several trials, n each, one after the other: `counts` has n places for each trial. Begins with
// draw `done` of all, ends where all are done or the random numbers are; says how many of those were used.
//
// A draw takes one number of 32 bits, as numpy's do (Lemire 2019, "Fast random integer generation in an interval"): the
// upper half of its product with n. A few are refused by the lower half, so that all draws are equally likely; as they
// are few, numbers are looked through for them many at a time.
template <class Count>
size_t tally_draws(std::span<const uint32_t> bits, uint32_t n, std::span<Count> counts, size_t& done) {
    constexpr size_t many = 64;
    const uint32_t refused = static_cast<uint32_t>(-n) % n;
    size_t used = 0;
    while (done < counts.size() && used < bits.size()) {
        Count* const trial = counts.data() + done / n * n;
        const size_t size = std::min({many, bits.size() - used, n - done % n});
        uint32_t least = ~uint32_t{0}, drawn[many];
        for (size_t k = 0; k < size; ++k) {
            const uint64_t product = static_cast<uint64_t>(bits[used + k]) * n;
            drawn[k] = static_cast<uint32_t>(product >> 32);
            least = std::min(least, static_cast<uint32_t>(product));
        }
        size_t taken = size;
        if (least < refused)
            for (size_t k = taken = 0; k < size; ++k) {
                drawn[taken] = drawn[k];
                taken += bits[used + k] * n >= refused;  // the lower half of the product
            }
        for (size_t k = 0; k < taken; ++k) trial[drawn[k]] += Count{1};
        used += size;
        done += taken;
    }
    return used;
}

// Sums of whole numbers under coins: row t of the sums has the rows i for which coin t * n + i is true. Of every four
// rows all sixteen sums are made once, and a trial looks its own up (the method of the "four Russians": Arlazarov et
// al. 1970). Sums wrap around in between; at the end they are right wherever `Sum` can hold them.
template <class Sum>
class CoinSums {
public:
    static constexpr size_t tile = 64 / sizeof(Sum);  // columns at a time: a cache line

    // `rows`: n x width.
    CoinSums(const double* rows, size_t n, size_t width) : n_(n), width_(width), tiles_((width + tile - 1) / tile) {
        rows_.assign(tiles_ * padded(), Line{});
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; k < width; ++k)
                rows_[k / tile * padded() + i].parts[k % tile / wide][k % wide] = static_cast<Sum>(static_cast<int64_t>(rows[i * width + k]));
    }

    // `coins` begin with those of the first trial; sums: width x trials, one column after the other.
    void weigh(std::span<const uint64_t> coins, size_t trials, double* sums) const {
        std::vector<Line> lines(std::min(trials, at_a_time));
        for (size_t first = 0; first < trials; first += at_a_time) {
            const size_t count = std::min(at_a_time, trials - first);
            for (size_t t = 0; t < tiles_; ++t) {
                std::fill_n(lines.begin(), count, Line{});
                for (size_t i = 0; i < n_; i += together) add(rows_.data() + t * padded() + i, coins, first * n_ + i, {lines.data(), count});
                for (size_t k = t * tile; k < std::min(width_, (t + 1) * tile); ++k)
                    for (size_t b = 0; b < count; ++b)
                        sums[k * trials + first + b] = static_cast<double>(static_cast<std::make_signed_t<Sum>>(lines[b].parts[k % tile / wide][k % wide]));
            }
        }
    }

private:
    static constexpr size_t at_a_time = 256;  // trials whose sums stay in the fastest cache, with the tables
    static constexpr size_t together = 32;    // rows at a time
    // Sixteen bytes are what every processor adds at a time; compilers see that by themselves only sometimes.
    static constexpr size_t wide = 16 / sizeof(Sum), parts = tile / wide;
#ifdef __GNUC__
    using Few [[gnu::vector_size(16)]] = Sum;
#else
    struct Few : std::array<Sum, wide> {
        friend Few operator+(Few a, const Few& b) {
            for (size_t k = 0; k < wide; ++k) a[k] = static_cast<Sum>(a[k] + b[k]);
            return a;
        }
    };
#endif
    struct alignas(64) Line {
        Few parts[tile / wide];
    };

    size_t padded() const { return (n_ + together - 1) / together * together; }

    // Adds 32 rows to the sums of those trials whose coins want them; the first coin of the first trial is coin `at`.
    void add(const Line* rows, std::span<const uint64_t> coins, size_t at, std::span<Line> sums) const {
        static constexpr Line zero{};
        if (std::all_of(rows, rows + together, [](const Line& row) { return std::memcmp(&row, &zero, sizeof row) == 0; })) return;
        Line tables[together / 4][16];
        for (size_t g = 0; g < together / 4; ++g) {
            tables[g][0] = Line{};
            for (unsigned which = 1; which < 16; ++which) {
                const Line &without = tables[g][which & (which - 1)], &row = rows[4 * g + std::countr_zero(which)];
                for (size_t k = 0; k < parts; ++k) tables[g][which].parts[k] = without.parts[k] + row.parts[k];
            }
        }
        for (Line& sum : sums) {
            const uint32_t bits = coins_at(coins, at);
            Line added = sum;
            for (size_t g = 0; g < together / 4; ++g)
                for (size_t k = 0; k < parts; ++k) added.parts[k] = added.parts[k] + tables[g][bits >> 4 * g & 15].parts[k];
            sum = added;
            at += n_;
        }
    }

    // 32 coins, wherever they begin; there are none behind the end.
    static uint32_t coins_at(std::span<const uint64_t> coins, size_t at) {
        const size_t word = at / 64, bit = at % 64;
        const uint64_t low = coins[word] >> bit;
        return static_cast<uint32_t>(bit > 32 && word + 1 < coins.size() ? low | coins[word + 1] << (64 - bit) : low);
    }

    size_t n_, width_, tiles_;
    std::vector<Line> rows_;
};

}  // namespace tertium
