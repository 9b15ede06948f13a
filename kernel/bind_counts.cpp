// Bindings of what is counted against references: n-grams, characters, edits.
#include "binding.h"
#include "segments.h"

namespace tertium {
namespace {

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

// Words that stand against each other in an alignment with the fewest edits, or in TER's after its shifts.
nb::list link_edits(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                    bool shifts) {
    WordEdits edits(options_of(tokenizer), options_of(reference_tokenizer));
    return link_pairs(outputs, references, [&](std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>& shifted) {
        const WordPair words = edits.link(output, reference, shifts, links);
        if (shifts) shifted.assign(words.output.size(), 0);
        if (shifts)
            for (const auto& move : edits.moves())
                for (const uint32_t place : move.block) shifted[place] = 1;
        return words;
    });
}

// TER's shifts in one pair, one after the other: the places of the block's words, and of all words after it, in the
// output before any shift.
nb::list list_shifts(Bytes output, Bytes reference, const std::string& tokenizer, const std::string& reference_tokenizer) {
    WordEdits edits(options_of(tokenizer), options_of(reference_tokenizer));
    {
        nb::gil_scoped_release release;
        WordLinks links;
        edits.link(text_of(output), text_of(reference), true, links);
    }
    const auto listed = [](const std::vector<uint32_t>& places) {
        nb::list found;
        for (const uint32_t place : places) found.append(place);
        return found;
    };
    nb::list shifts;
    for (const auto& move : edits.moves()) shifts.append(nb::make_tuple(listed(move.block), listed(move.order)));
    return shifts;
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

void bind_counts(nb::module_& m) {
    m.def("count_ngrams", &count_ngrams, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "order"_a,
          "rows"_a.noconvert());
    m.def("count_chrf", &count_chrf, "outputs"_a, "references"_a, "chars"_a, "words"_a, "lowercase"_a, "whitespace"_a, "rows"_a.noconvert());
    m.def("count_edits", &count_edits, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "rows"_a.noconvert());
    m.def("count_translation_edits", &count_translation_edits, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "rows"_a.noconvert());
    m.def("link_edits", &link_edits, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "shifts"_a);
    m.def("list_shifts", &list_shifts, "output"_a.noconvert(), "reference"_a.noconvert(), "tokenizer"_a, "reference_tokenizer"_a);
    m.def("edit_operations", &edit_operations, "output"_a.noconvert(), "reference"_a.noconvert(), "tokenizer"_a);
}

}  // namespace tertium
