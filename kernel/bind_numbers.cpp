// Elementary functions of arrays by the C library, as math.exp and math.log are: numpy's own depend on the processor
// in the last bit (AVX-512 has others), and a score has to be the same number alone and among others.
#include <cmath>

#include "binding.h"

namespace tertium {
namespace {

using Values = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Function>
void replace_each(Values values, Function function) {
    nb::gil_scoped_release release;
    for (size_t i = 0; i < values.size(); ++i) values.data()[i] = function(values.data()[i]);
}

void exp_each(Values values) {
    replace_each(values, [](double x) { return std::exp(x); });
}

void log_each(Values values) {
    replace_each(values, [](double x) { return std::log(x); });
}

void power_each(Values values, double exponent) {
    replace_each(values, [exponent](double x) { return std::pow(x, exponent); });
}

}  // namespace

void bind_numbers(nb::module_& m) {
    m.def("exp_each", &exp_each, "values"_a.noconvert());
    m.def("log_each", &log_each, "values"_a.noconvert());
    m.def("power_each", &power_each, "values"_a.noconvert(), "exponent"_a);
}

}  // namespace tertium
