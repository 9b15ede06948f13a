// Python bindings: check shapes, release the GIL, loop over segments. No algorithm lives here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>

#include "lines.h"
#include "segments.h"

namespace nb = nanobind;
using namespace nb::literals;
using namespace tertium;

namespace {

using Bytes = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Lines as Python hands them over: arrays that stay alive, bounds that have been checked once.
class View {
public:
    View(Bytes buffer, Offsets starts, Offsets ends, std::optional<Mask> missing)
        : buffer_(std::move(buffer)), starts_(std::move(starts)), ends_(std::move(ends)), missing_(std::move(missing)) {
        if (starts_.size() != ends_.size() || (missing_ && missing_->size() != starts_.size()))
            throw nb::value_error("starts, ends and missing must have one entry per line");
        const auto size = static_cast<int64_t>(buffer_.size());
        for (size_t i = 0; i < starts_.size(); ++i) {
            const int64_t start = starts_.data()[i], end = ends_.data()[i];
            if (start < 0 || end < start || end > size)
                throw nb::value_error("a line lies outside its buffer");
        }
    }
    LinesView lines() const {
        return {reinterpret_cast<const char*>(buffer_.data()), starts_.data(), ends_.data(),
                missing_ ? missing_->data() : nullptr, starts_.size()};
    }

private:
    Bytes buffer_;
    Offsets starts_, ends_;
    std::optional<Mask> missing_;
};

std::string_view text_of(const Bytes& buffer) {
    return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

// A memoryview that owns its numbers: numpy reads it without copying, and nobody has to import numpy for it.
template <class T>
nb::object give_away(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(nb::ndarray<nb::memview, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

// A tokenizer is named by its scheme and flags: "13a", "13a+lower", "tercom+normalized+no_punct+asian+lower".
TokenizerOptions options_of(const std::string& name) {
    static const std::pair<std::string_view, Scheme> schemes[] = {
        {"none", Scheme::none},     {"13a", Scheme::mteval13a},         {"13a-scalar", Scheme::scalar13a}, {"intl", Scheme::intl},
        {"zh", Scheme::zh},         {"char", Scheme::character},        {"spaces", Scheme::spaces},
        {"codepoints", Scheme::codepoints}, {"chrf-words", Scheme::chrf_words}, {"tercom", Scheme::tercom},
    };
    TokenizerOptions options;
    const std::pair<std::string_view, bool&> flags[] = {
        {"lower", options.lowercase}, {"normalized", options.normalized}, {"no_punct", options.no_punct}, {"asian", options.asian}};
    const auto choose = [&name](std::string_view word, const auto& choices) -> const auto& {
        for (const auto& choice : choices)
            if (choice.first == word) return choice.second;
        throw nb::value_error(("the kernel has no tokenizer '" + name + "'").c_str());
    };
    size_t at = std::min(name.find('+'), name.size());
    options.scheme = choose(std::string_view(name).substr(0, at), schemes);
    while (at < name.size()) {
        const size_t next = std::min(name.find('+', at + 1), name.size());
        const_cast<bool&>(choose(std::string_view(name).substr(at + 1, next - at - 1), flags)) = true;
        at = next;
    }
    return options;
}

void check_shape(const Rows& rows, size_t segments, size_t columns) {
    if (rows.shape(0) != segments || rows.shape(1) < columns)
        throw nb::value_error(("rows must have " + std::to_string(segments) + " rows and at least " +
                               std::to_string(columns) + " columns")
                                  .c_str());
}

void check_lengths(size_t outputs, size_t references) {
    if (outputs != references)
        throw nb::value_error((std::to_string(outputs) + " outputs, but " + std::to_string(references) + " references").c_str());
}

nb::tuple split(Bytes buffer) {
    LineBounds bounds;
    {
        nb::gil_scoped_release release;
        bounds = split_lines(text_of(buffer));
    }
    return nb::make_tuple(give_away(std::move(bounds.starts)), give_away(std::move(bounds.ends)));
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
    char* at = PyBytes_AS_STRING(text.ptr());
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

// rows: matches and totals for n = 1..order, output length, one length per reference (-1 where it is missing).
void count_ngrams(const View& outputs, const std::vector<const View*>& references, const std::string& tokenizer,
                  const std::string& reference_tokenizer, size_t order, Rows rows) {
    const LinesView output = outputs.lines();
    std::vector<LinesView> streams;
    for (const View* view : references) {
        streams.push_back(view->lines());
        check_lengths(output.count, streams.back().count);
    }
    check_shape(rows, output.count, 2 * order + 1 + streams.size());
    const TokenizerOptions options = options_of(tokenizer);
    const TokenizerOptions reference_options = options_of(reference_tokenizer);
    const size_t stride = rows.shape(1);
    nb::gil_scoped_release release;
    WordNgrams counter(options, reference_options);
    std::vector<std::string_view> texts;
    std::vector<int64_t> matches(order), lengths(streams.size());
    for (size_t i = 0; i < output.count; ++i) {
        double* const row = rows.data() + i * stride;
        double* const reference_lengths = row + 2 * order + 1;
        texts.clear();
        for (const auto& stream : streams)
            if (stream.has(i)) texts.push_back(stream[i]);
        std::fill_n(reference_lengths, streams.size(), -1.0);
        if (!output.has(i) || texts.empty()) continue;
        const int64_t length = counter.count(output[i], texts, matches, lengths);
        for (size_t n = 0; n < order; ++n) {
            row[n] = static_cast<double>(matches[n]);
            row[order + n] = static_cast<double>(std::max<int64_t>(0, length - static_cast<int64_t>(n)));
        }
        row[2 * order] = static_cast<double>(length);
        for (size_t r = 0, k = 0; r < streams.size(); ++r)
            if (streams[r].has(i)) reference_lengths[r] = static_cast<double>(lengths[k++]);
    }
}

// Calls `count(row, output, reference)` for every segment that has both.
template <class Count>
void for_each_pair(const View& outputs, const View& references, Rows& rows, size_t columns, Count count) {
    const LinesView output = outputs.lines(), reference = references.lines();
    check_lengths(output.count, reference.count);
    check_shape(rows, output.count, columns);
    const size_t stride = rows.shape(1);
    nb::gil_scoped_release release;
    for (size_t i = 0; i < output.count; ++i)
        if (output.has(i) && reference.has(i)) count(rows.data() + i * stride, output[i], reference[i]);
}

// rows: for each character order, then each word order: n-grams in the output, in the reference, in both. An order
// that the reference has no n-gram of counts none in the output either.
void count_chrf(const View& outputs, const View& references, size_t chars, size_t words, bool lowercase, bool whitespace, Rows rows) {
    const TokenizerOptions options{Scheme::chrf_words, lowercase};
    CharacterNgrams characters(lowercase, whitespace);
    WordNgrams ngrams(options, options);
    std::vector<int64_t> matches(std::max(chars, words));
    const auto write = [&](double* row, size_t orders, int64_t output_length, int64_t reference_length) {
        for (int64_t n = 0; n < static_cast<int64_t>(orders); ++n, row += 3) {
            const int64_t in_reference = std::max<int64_t>(0, reference_length - n);
            row[0] = in_reference > 0 ? static_cast<double>(std::max<int64_t>(0, output_length - n)) : 0.0;
            row[1] = static_cast<double>(in_reference);
            row[2] = static_cast<double>(matches[static_cast<size_t>(n)]);
        }
    };
    for_each_pair(outputs, references, rows, 3 * (chars + words), [&](double* row, std::string_view output, std::string_view reference) {
        const auto [output_chars, reference_chars] = characters.count(output, reference, {matches.data(), chars});
        write(row, chars, output_chars, reference_chars);
        if (words == 0) return;
        int64_t reference_words = 0;
        const int64_t output_words = ngrams.count(output, {&reference, 1}, {matches.data(), words}, {&reference_words, 1});
        write(row + 3 * chars, words, output_words, reference_words);
    });
}

// rows: hits, substitutions, deletions, insertions; of words, or of characters where the tokenizer is "codepoints".
void count_edits(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                 Rows rows) {
    const TokenizerOptions options = options_of(tokenizer), reference_options = options_of(reference_tokenizer);
    WordEdits words(options, reference_options);
    CharacterEdits characters(options.lowercase);
    const bool by_character = options.scheme == Scheme::codepoints;
    for_each_pair(outputs, references, rows, 4, [&](double* row, std::string_view output, std::string_view reference) {
        const EditCounts counts = by_character ? characters.align(output, reference) : words.align(output, reference);
        row[0] = static_cast<double>(counts.hits);
        row[1] = static_cast<double>(counts.substitutions);
        row[2] = static_cast<double>(counts.deletions);
        row[3] = static_cast<double>(counts.insertions);
    });
}

// rows: edits (shifts included), reference length.
void count_translation_edits(const View& outputs, const View& references, const std::string& tokenizer,
                             const std::string& reference_tokenizer, Rows rows) {
    WordEdits counter(options_of(tokenizer), options_of(reference_tokenizer));
    for_each_pair(outputs, references, rows, 2, [&](double* row, std::string_view output, std::string_view reference) {
        const auto [edits, length] = counter.translation_edits(output, reference);
        row[0] = static_cast<double>(edits);
        row[1] = static_cast<double>(length);
    });
}

// The alignment of one pair as one letter a step: '=' hit, 'S', 'D', 'I'.
std::string edit_operations(Bytes output, Bytes reference, const std::string& tokenizer) {
    const TokenizerOptions options = options_of(tokenizer);
    std::string operations;
    nb::gil_scoped_release release;
    if (options.scheme == Scheme::codepoints)
        CharacterEdits(options.lowercase).align(text_of(output), text_of(reference), &operations);
    else
        WordEdits(options, options).align(text_of(output), text_of(reference), &operations);
    return operations;
}

}  // namespace

NB_MODULE(_kernel, m) {
    nb::set_leak_warnings(false);  // what a user still holds when Python ends is not a leak of ours
    m.doc() = "tertium's kernel: tokenising, n-gram counting, alignment and edit distance. It counts; Python judges.";
    nb::class_<View>(m, "View")
        .def(nb::init<Bytes, Offsets, Offsets, std::optional<Mask>>(), "buffer"_a.noconvert(), "starts"_a.noconvert(), "ends"_a.noconvert(),
             "missing"_a.noconvert() = nb::none());
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
    m.def("count_ngrams", &count_ngrams, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "order"_a,
          "rows"_a.noconvert());
    m.def("count_chrf", &count_chrf, "outputs"_a, "references"_a, "chars"_a, "words"_a, "lowercase"_a, "whitespace"_a, "rows"_a.noconvert());
    m.def("count_edits", &count_edits, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "rows"_a.noconvert());
    m.def("count_translation_edits", &count_translation_edits, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "rows"_a.noconvert());
    m.def("edit_operations", &edit_operations, "output"_a.noconvert(), "reference"_a.noconvert(), "tokenizer"_a);
}
