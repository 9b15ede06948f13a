// Bindings of what the learned metric `lexical` counts.
#include <nanobind/stl/unique_ptr.h>

#include "binding.h"
#include "lexical.h"

namespace tertium {
namespace {

using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::unique_ptr<WordWeights> make_weights(const View& words, const Weights& weights) {
    const LinesView lines = words.lines();
    if (lines.count != weights.size())
        throw nb::value_error((std::to_string(lines.count) + " words, but " + std::to_string(weights.size()) + " weights").c_str());
    auto table = std::make_unique<WordWeights>();
    for (size_t i = 0; i < lines.count; ++i)
        if (lines.has(i)) table->add(lines[i], weights.data()[i]);
    return table;
}

// rows: the fields of LexicalCounts.
void count_lexical(const View& outputs, const View& references, const WordWeights& weights, Rows rows) {
    LexicalStatistics counter(weights);
    for_each_pair(outputs, references, rows, LexicalCounts::columns, [&](double* row, std::string_view output, std::string_view reference) {
        counter.count(output, reference).write(row);
    });
}

}  // namespace

void bind_lexical(nb::module_& m) {
    nb::class_<WordWeights>(m, "WordWeights").def(nb::new_(&make_weights), "words"_a, "weights"_a.noconvert());
    m.def("count_lexical", &count_lexical, "outputs"_a, "references"_a, "weights"_a, "rows"_a.noconvert());
}

}  // namespace tertium
