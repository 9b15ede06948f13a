// Bindings of what is counted of every output against every reference: the columns of bind_counts.cpp as planes of
// (outputs, references), 0 where either text is missing.
#include "pairwise.h"

#include "binding.h"
#include "edits.h"
#include "ter.h"

namespace tertium {
namespace {

using Weights = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// The planes to fill, and which pairs there are.
class Planes {
public:
    Planes(const Cube& cube, const LinesView& outputs, const LinesView& references, size_t columns)
        : data_(cube.data()), outputs_(outputs), references_(references) {
        if (cube.shape(0) != columns || cube.shape(1) != outputs.count || cube.shape(2) != references.count)
            throw nb::value_error(("rows must have the shape (" + std::to_string(columns) + ", " + std::to_string(outputs.count) +
                                   ", " + std::to_string(references.count) + ")")
                                      .c_str());
    }
    double* operator[](size_t column) const { return data_ + column * outputs_.count * references_.count; }

    template <class Visit>
    void each_pair(Visit visit) const {
        for (size_t i = 0; i < outputs_.count; ++i)
            for (size_t j = 0; j < references_.count; ++j)
                if (outputs_.has(i) && references_.has(j)) visit(i, j, i * references_.count + j);
    }
    // Fills a plane with what `value(i, j)` says.
    template <class Value>
    void fill(size_t column, Value value) const {
        double* const plane = (*this)[column];
        each_pair([&](size_t i, size_t j, size_t at) { plane[at] = static_cast<double>(value(i, j)); });
    }

private:
    double* data_;
    const LinesView& outputs_;
    const LinesView& references_;
};

// How many n-grams of an order a text has.
int64_t ngrams_in(const Sequences& texts, size_t i, size_t order) {
    return std::max<int64_t>(0, static_cast<int64_t>(texts[i].size()) - static_cast<int64_t>(order) + 1);
}

// Planes: matches and totals for n = 1..order, output length, reference length.
void count_ngram_pairs(const View& outputs, const View& references, const std::string& tokenizer,
                       const std::string& reference_tokenizer, size_t order, Cube rows) {
    const LinesView output = outputs.lines(), reference = references.lines();
    const Planes planes(rows, output, reference, 2 * order + 2);
    const TokenizerOptions options = options_of(tokenizer), reference_options = options_of(reference_tokenizer);
    nb::gil_scoped_release release;
    const bool same = is_same(output, reference) && tokenizer == reference_tokenizer;
    const Sides sides = number_words(output, reference, options, reference_options, same);
    PairNgrams ngrams(sides);
    for (size_t n = 0; n < order; ++n) {
        ngrams.next(planes[n]);
        planes.fill(order + n, [&](size_t i, size_t) { return ngrams_in(sides.outputs, i, n + 1); });
    }
    planes.fill(2 * order, [&](size_t i, size_t) { return ngrams_in(sides.outputs, i, 1); });
    planes.fill(2 * order + 1, [&](size_t, size_t j) { return ngrams_in(sides.references, j, 1); });
}

// Planes: for each character order, then each word order: n-grams in the output, in the reference, in both. An order
// that the reference has no n-gram of counts none in the output either.
void count_chrf_pairs(const View& outputs, const View& references, size_t chars, size_t words, bool lowercase, bool whitespace, Cube rows) {
    const LinesView output = outputs.lines(), reference = references.lines();
    const Planes planes(rows, output, reference, 3 * (chars + words));
    nb::gil_scoped_release release;
    const auto count = [&](const Sides& sides, size_t first, size_t orders) {
        PairNgrams ngrams(sides);
        for (size_t n = 1; n <= orders; ++n, first += 3) {
            planes.fill(first, [&](size_t i, size_t j) {
                return ngrams_in(sides.references, j, n) > 0 ? ngrams_in(sides.outputs, i, n) : 0;
            });
            planes.fill(first + 1, [&](size_t, size_t j) { return ngrams_in(sides.references, j, n); });
            ngrams.next(planes[first + 2]);
        }
    };
    if (chars > 0) count(number_characters(output, reference, lowercase, whitespace, false), 0, chars);
    const TokenizerOptions options{Scheme::chrf_words, lowercase};
    if (words > 0) count(number_words(output, reference, options, options, is_same(output, reference)), 3 * chars, words);
}

// rows, of every output against the weighted mean of all references: the columns of count_chrf. Weights sum to 1.
void count_chrf_of_mean(const View& outputs, const View& references, Weights weights, size_t chars, size_t words, bool lowercase,
                        bool whitespace, Rows rows) {
    const LinesView output = outputs.lines(), reference = references.lines();
    check_shape(rows, output.count, 3 * (chars + words));
    if (weights.size() != reference.count) throw nb::value_error("there must be one weight for each reference");
    const size_t stride = rows.shape(1);
    nb::gil_scoped_release release;
    const auto count = [&](const Sides& sides, size_t first, size_t orders) {
        PairNgrams ngrams(sides);
        for (size_t n = 1; n <= orders; ++n, first += 3) {
            double total = 0;
            for (size_t j = 0; j < reference.count; ++j) total += weights.data()[j] * static_cast<double>(ngrams_in(sides.references, j, n));
            ngrams.next_of_mean(weights.data(), [&](size_t i, double matches) {
                double* const row = rows.data() + i * stride + first;
                row[0] = total > 0 ? static_cast<double>(ngrams_in(sides.outputs, i, n)) : 0.0;
                row[1] = total;
                row[2] = matches;
            });
        }
    };
    if (chars > 0) count(number_characters(output, reference, lowercase, whitespace, false), 0, chars);
    const TokenizerOptions options{Scheme::chrf_words, lowercase};
    if (words > 0) count(number_words(output, reference, options, options, is_same(output, reference)), 3 * chars, words);
}

// Calls `count(at, output, reference, alphabet)` with the numbers of every pair; `at` is its place in a plane.
template <class Count>
void for_each_numbered(const Planes& planes, const Sides& sides, Count count) {
    PairNumbers numbers(sides);
    planes.each_pair([&](size_t i, size_t j, size_t at) {
        const auto [output, reference, alphabet] = numbers(sides.outputs[i], sides.references[j]);
        count(at, output, reference, alphabet);
    });
}

// Planes: hits, substitutions, deletions, insertions; of words, or of characters where the tokenizer is "codepoints".
void count_edit_pairs(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                      Cube rows) {
    const LinesView output = outputs.lines(), reference = references.lines();
    const Planes planes(rows, output, reference, 4);
    const TokenizerOptions options = options_of(tokenizer), reference_options = options_of(reference_tokenizer);
    nb::gil_scoped_release release;
    const bool same = is_same(output, reference) && tokenizer == reference_tokenizer;
    const Sides sides = options.scheme == Scheme::codepoints ? number_characters(output, reference, options.lowercase, true, true)
                                                             : number_words(output, reference, options, reference_options, same);
    EditDistance edits;
    for_each_numbered(planes, sides, [&](size_t at, Symbols outputs_words, Symbols reference_words, uint32_t alphabet) {
        const EditCounts counts = edits.align(reference_words, outputs_words, alphabet);
        planes[0][at] = static_cast<double>(counts.hits);
        planes[1][at] = static_cast<double>(counts.substitutions);
        planes[2][at] = static_cast<double>(counts.deletions);
        planes[3][at] = static_cast<double>(counts.insertions);
    });
}

// Planes: edits (shifts included), reference length.
void count_translation_edit_pairs(const View& outputs, const View& references, const std::string& tokenizer,
                                  const std::string& reference_tokenizer, Cube rows) {
    const LinesView output = outputs.lines(), reference = references.lines();
    const Planes planes(rows, output, reference, 2);
    const TokenizerOptions options = options_of(tokenizer), reference_options = options_of(reference_tokenizer);
    nb::gil_scoped_release release;
    const bool same = is_same(output, reference) && tokenizer == reference_tokenizer;
    const Sides sides = number_words(output, reference, options, reference_options, same);
    TranslationEdits edits;
    for_each_numbered(planes, sides, [&](size_t at, Symbols output_words, Symbols reference_words, uint32_t alphabet) {
        planes[0][at] = static_cast<double>(edits.count(output_words, reference_words, alphabet));
        planes[1][at] = static_cast<double>(reference_words.size());
    });
}

}  // namespace

void bind_pairwise(nb::module_& m) {
    m.def("count_ngram_pairs", &count_ngram_pairs, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "order"_a,
          "rows"_a.noconvert());
    m.def("count_chrf_pairs", &count_chrf_pairs, "outputs"_a, "references"_a, "chars"_a, "words"_a, "lowercase"_a, "whitespace"_a,
          "rows"_a.noconvert());
    m.def("count_chrf_of_mean", &count_chrf_of_mean, "outputs"_a, "references"_a, "weights"_a.noconvert(), "chars"_a, "words"_a,
          "lowercase"_a, "whitespace"_a, "rows"_a.noconvert());
    m.def("count_edit_pairs", &count_edit_pairs, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a,
          "rows"_a.noconvert());
    m.def("count_translation_edit_pairs", &count_translation_edit_pairs, "outputs"_a, "references"_a, "tokenizer"_a,
          "reference_tokenizer"_a, "rows"_a.noconvert());
}

}  // namespace tertium
