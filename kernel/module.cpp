// The module: texts in and out. Counting is bound in the other files, one for each family of metrics.
// Bindings check shapes, release the GIL and loop over segments; no algorithm lives in them.
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "binding.h"

using namespace tertium;

namespace {

nb::tuple split(Bytes buffer) {
    LineBounds bounds;
    {
        nb::gil_scoped_release release;
        bounds = split_lines(text_of(buffer));
    }
    return nb::make_tuple(give_away(std::move(bounds.starts)), give_away(std::move(bounds.ends)));
}

// The sets of instructions that this processor has, from the scalar twin to the best, which is used.
std::vector<std::string> simd() {
    std::vector<std::string> names;
    for (const scan::Scans* const scans : scan::possible()) names.emplace_back(scans->name);
    return names;
}

int64_t first_invalid(Bytes buffer) {
    nb::gil_scoped_release release;
    return first_invalid_utf8(text_of(buffer));
}

// The first line that is not valid UTF-8 by itself, or -1.
int64_t first_invalid_line(const View& view) {
    const LinesView lines = view.lines();
    nb::gil_scoped_release release;
    for (size_t i = 0; i < lines.count; ++i)
        if (lines.has(i) && first_invalid_utf8(lines[i]) >= 0) return static_cast<int64_t>(i);
    return -1;
}

// Tokens joined by single spaces, one buffer for all lines.
nb::tuple tokenize(const View& view, const std::string& tokenizer) {
    const LinesView lines = view.lines();
    Tokenizer tokenizer_of_line(options_of(tokenizer));
    std::vector<uint8_t> text;
    std::vector<int64_t> starts(lines.count), ends(lines.count);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < lines.count; ++i) {
            const size_t start = text.size();
            if (lines.has(i))
                for (const auto word : tokenizer_of_line(lines[i])) {
                    if (text.size() > start) text.push_back(' ');
                    text.insert(text.end(), word.begin(), word.end());
                }
            starts[i] = static_cast<int64_t>(start);
            ends[i] = static_cast<int64_t>(text.size());
        }
    }
    return nb::make_tuple(give_away(std::move(text)), give_away(std::move(starts)), give_away(std::move(ends)));
}

// The texts of the lines one after the other, nothing between them; missing lines have none.
nb::bytes gather(const View& view, size_t first, size_t last) {
    const LinesView lines = view.lines();
    if (first > last || last > lines.count) throw nb::value_error("lines to gather lie outside");
    size_t size = 0;
    for (size_t i = first; i < last; ++i)
        if (lines.has(i)) size += lines[i].size();
    nb::bytes text(nullptr, size);
    char* at = PyBytes_AsString(text.ptr());
    for (size_t i = first; i < last; ++i)
        if (lines.has(i)) at = std::copy(lines[i].begin(), lines[i].end(), at);
    return text;
}

// Rows of zeros; the operating system clears the pages when they are first touched.
nb::object zeros(size_t segments, size_t columns) {
    if (columns > 0 && segments > SIZE_MAX / sizeof(double) / columns) throw std::bad_alloc();
    auto* const data = static_cast<double*>(std::calloc(std::max<size_t>(1, segments * columns), sizeof(double)));
    if (data == nullptr) throw std::bad_alloc();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nb::cast(nb::ndarray<nb::memview, double, nb::ndim<2>>(data, {segments, columns}, owner));
}

// Sums of columns, row after row: counts, so exact in any order.
std::vector<double> column_sums(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows) {
    std::vector<double> sums(rows.shape(1), 0.0);
    for (size_t i = 0; i < rows.shape(0); ++i)
        for (size_t k = 0; k < sums.size(); ++k) sums[k] += rows.data()[i * sums.size() + k];
    return sums;
}

// How many lines end in these bytes.
size_t count_endings(const View& view, const std::string& ending) {
    const LinesView lines = view.lines();
    size_t count = 0;
    for (size_t i = 0; i < lines.count; ++i) count += lines.has(i) && lines[i].ends_with(ending);
    return count;
}

// Whether all lines say the same.
bool all_equal(const View& view) {
    const LinesView lines = view.lines();
    for (size_t i = 1; i < lines.count; ++i)
        if (lines.has(i) != lines.has(0) || lines[i] != lines[0]) return false;
    return true;
}

// Bytes per line, -1 for a missing one.
nb::object line_lengths(const View& view) {
    const LinesView lines = view.lines();
    std::vector<int64_t> lengths(lines.count);
    for (size_t i = 0; i < lines.count; ++i) lengths[i] = lines.has(i) ? lines.ends[i] - lines.starts[i] : -1;
    return give_away(std::move(lengths));
}

// Strings as one buffer with bounds; None if one of them is not a string or holds a lone surrogate.
nb::object encode(nb::list texts) {
    std::vector<uint8_t> buffer;
    std::vector<int64_t> starts, ends;
    starts.reserve(texts.size());
    ends.reserve(texts.size());
    for (nb::handle text : texts) {
        Py_ssize_t size = 0;
        const char* const data = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
        if (data == nullptr) {
            PyErr_Clear();
            return nb::none();
        }
        starts.push_back(static_cast<int64_t>(buffer.size()));
        buffer.insert(buffer.end(), data, data + size);
        ends.push_back(static_cast<int64_t>(buffer.size()));
    }
    return nb::make_tuple(give_away(std::move(buffer)), give_away(std::move(starts)), give_away(std::move(ends)));
}

}  // namespace

NB_MODULE(_kernel, m) {
    nb::set_leak_warnings(false);  // what a user still holds when Python ends is not a leak of ours
    m.doc() = "tertium's kernel: tokenising, n-gram counting, alignment and edit distance. It counts; Python judges.";
    nb::class_<View>(m, "View")
        .def(nb::init<Bytes, Offsets, Offsets, std::optional<Mask>>(), "buffer"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(),
             "missing"_a.noconvert() = nb::none());
    m.def("simd", &simd);
    m.def("use_simd", &use_simd, "name"_a);
    m.def("split_lines", &split, "buffer"_a.noconvert());
    m.def("first_invalid_utf8", &first_invalid, "buffer"_a.noconvert());
    m.def("first_invalid_line", &first_invalid_line, "lines"_a);
    m.def("encode", &encode, "texts"_a);
    m.def("line_lengths", &line_lengths, "lines"_a);
    m.def("count_endings", &count_endings, "lines"_a, "ending"_a);
    m.def("all_equal", &all_equal, "lines"_a);
    m.def("zeros", &zeros, "segments"_a, "columns"_a);
    m.def("column_sums", &column_sums, "rows"_a.noconvert());
    m.def("gather", &gather, "lines"_a, "first"_a, "last"_a);
    m.def("tokenize", &tokenize, "lines"_a, "tokenizer"_a);
    bind_counts(m);
    bind_draws(m);
    bind_jsonl(m);
    bind_lepor(m);
    bind_lexical(m);
    bind_matches(m);
    bind_pairwise(m);
    bind_resegment(m);
    bind_strings(m);
    bind_tables(m);
    bind_types(m);
    bind_meteor(m);
    bind_numbers(m);
    bind_screen(m);
    bind_weigh(m);
}
