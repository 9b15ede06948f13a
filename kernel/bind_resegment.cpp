// Binding of the search for line breaks: symbols as numbers in, the ends of segments out.
#include "binding.h"
#include "resegment.h"

namespace tertium {
namespace {

using Numbers = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Symbols symbols_of(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }

// Lets Python see its signals, so that Ctrl-C ends a long search: an exception of a handler is thrown on.
void see_signals() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// `closing` says of every output symbol whether it may end a sentence. `references` are all of them one after the other,
// `bounds` where each begins and the last ends, `counts` how many of them each segment has.
nb::tuple resegment(const Numbers& output, const Bytes& closing, const Numbers& references, const Offsets& bounds,
                    const Offsets& counts) {
    const Symbols said = symbols_of(output), wanted = symbols_of(references);
    size_t most = 0;
    for (const Symbols symbols : {said, wanted})
        for (const uint32_t symbol : symbols) most = std::max<size_t>(most, symbol);
    if (closing.size() != said.size()) throw nb::value_error("closing must have one entry per symbol of the output");
    if (most > said.size() + wanted.size()) throw nb::value_error("symbols must be numbered without gaps");
    std::vector<Resegmenter::Alternatives> segments(counts.size());
    size_t next = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
        if (counts.data()[i] < 1) throw nb::value_error("every segment needs a reference");
        for (int64_t k = 0; k < counts.data()[i]; ++k, ++next) {
            if (next + 1 >= bounds.size()) throw nb::value_error("there are fewer references than counted");
            const int64_t from = bounds.data()[next], to = bounds.data()[next + 1];
            if (from < 0 || to < from || to > static_cast<int64_t>(wanted.size()))
                throw nb::value_error("a reference lies outside its symbols");
            segments[i].push_back(wanted.subspan(static_cast<size_t>(from), static_cast<size_t>(to - from)));
        }
    }
    std::vector<int64_t> ends;
    int64_t edits = 0;
    {
        nb::gil_scoped_release release;
        Resegmenter resegmenter(said, static_cast<uint32_t>(most), {closing.data(), closing.size()}, see_signals);
        edits = resegmenter.cut(segments, ends);
    }
    return nb::make_tuple(edits, give_away(std::move(ends)));
}

}  // namespace

void bind_resegment(nb::module_& m) {
    m.def("resegment", &resegment, "output"_a, "closing"_a, "references"_a, "bounds"_a, "counts"_a);
}

}  // namespace tertium
