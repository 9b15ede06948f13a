// Bindings of what LEPOR, hLEPOR and nLEPOR count.
#include "binding.h"
#include "lepor.h"

namespace tertium {
namespace {

// rows: output length, reference length, displacement, matches for n = 1..order.
void count_lepor(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                 size_t window, size_t order, bool perl, Rows rows) {
    LeporCounts counter(options_of(tokenizer), options_of(reference_tokenizer));
    std::vector<int64_t> matches(order);
    for_each_pair(outputs, references, rows, 3 + order, [&](double* row, std::string_view output, std::string_view reference) {
        const auto found = counter.count(output, reference, window, perl, matches);
        row[0] = static_cast<double>(found.output_length);
        row[1] = static_cast<double>(found.reference_length);
        row[2] = found.displacement;
        for (size_t n = 0; n < order; ++n) row[3 + n] = static_cast<double>(matches[n]);
    });
}

// Words that the papers' alignment puts together.
nb::list link_lepor(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                    size_t window) {
    LeporCounts counter(options_of(tokenizer), options_of(reference_tokenizer));
    return link_pairs(outputs, references, [&](std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>&) {
        return counter.link(output, reference, window, links);
    });
}

}  // namespace

void bind_lepor(nb::module_& m) {
    m.def("count_lepor", &count_lepor, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "window"_a, "order"_a,
          "perl"_a, "rows"_a.noconvert());
    m.def("link_lepor", &link_lepor, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "window"_a);
}

}  // namespace tertium
