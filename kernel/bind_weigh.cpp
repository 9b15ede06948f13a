// Binding of sums of sparse rows under many weights.
#include "binding.h"
#include "weigh.h"

namespace tertium {
namespace {

template <class T>
using Numbers = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// sums (b, width) += weights (b, n) @ sparse rows (n, width).
template <class Index, class Value>
void weigh_sparse(Weights weights, Offsets starts, Numbers<Index> indices, Numbers<Value> values, Rows sums) {
    const SparseView<Index, Value> rows{
        {starts.data(), starts.size()}, {indices.data(), indices.size()}, {values.data(), values.size()}, sums.shape(1)};
    const size_t count = weights.shape(0), n = weights.shape(1);
    nb::gil_scoped_release release;
    rows.check();
    if (rows.rows() != n || sums.shape(0) != count) throw std::invalid_argument("weights must have a number for each row, and sums a row for each weight");
    for (size_t b = 0; b < count; ++b) rows.weigh({weights.data() + b * n, n}, sums.data() + b * rows.width);
}

template <class Index, class Value>
void bind(nb::module_& m) {
    m.def("weigh_sparse", &weigh_sparse<Index, Value>, "weights"_a.noconvert(), "starts"_a.noconvert(), "indices"_a.noconvert(),
          "values"_a.noconvert(), "sums"_a.noconvert());
}

}  // namespace

void bind_weigh(nb::module_& m) {
    bind<int32_t, uint32_t>(m);
    bind<int32_t, double>(m);
    bind<int64_t, uint32_t>(m);
    bind<int64_t, double>(m);
}

}  // namespace tertium
