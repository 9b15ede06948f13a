// Binding of what resampling draws.
#include <limits>

#include "binding.h"
#include "draws.h"

namespace tertium {
namespace {

using Bits = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Coins = nb::ndarray<const uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Given = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// counts (b, n) += draws; says how many random numbers were used, and how many draws are done.
template <class Count>
nb::tuple count_draws(Bits bits, nb::ndarray<Count, nb::ndim<2>, nb::c_contig, nb::device::cpu> counts, size_t done) {
    const size_t n = counts.shape(1);
    if (n == 0 || n > std::numeric_limits<uint32_t>::max()) throw std::invalid_argument("counts must have 1 to 2^32 - 1 columns");
    size_t used;
    {
        nb::gil_scoped_release release;
        used = tally_draws<Count>({bits.data(), bits.size()}, static_cast<uint32_t>(n), {counts.data(), counts.size()}, done);
    }
    return nb::make_tuple(used, done);
}

// sums (width, b) of rows (n, width) under b x n coins, bit by bit. `bytes`: 2 or 4, of the numbers that hold the sums.
void weigh_coins(Coins coins, Given rows, int bytes, Rows sums) {
    const size_t n = rows.shape(0), width = rows.shape(1), trials = sums.shape(1);
    if (sums.shape(0) != width || coins.size() < (n * trials + 63) / 64)
        throw std::invalid_argument("there must be a coin for each row and trial, and sums for each column");
    if (bytes != 2 && bytes != 4) throw std::invalid_argument("sums are held in 2 or 4 bytes");
    nb::gil_scoped_release release;
    const std::span<const uint64_t> given{coins.data(), coins.size()};
    if (bytes == 2)
        CoinSums<uint16_t>(rows.data(), n, width).weigh(given, trials, sums.data());
    else
        CoinSums<uint32_t>(rows.data(), n, width).weigh(given, trials, sums.data());
}

}  // namespace

void bind_draws(nb::module_& m) {
    m.def("count_draws", &count_draws<float>, "bits"_a.noconvert(), "counts"_a.noconvert(), "done"_a);
    m.def("count_draws", &count_draws<double>, "bits"_a.noconvert(), "counts"_a.noconvert(), "done"_a);
    m.def("weigh_coins", &weigh_coins, "coins"_a.noconvert(), "rows"_a.noconvert(), "bytes"_a, "sums"_a.noconvert());
}

}  // namespace tertium
