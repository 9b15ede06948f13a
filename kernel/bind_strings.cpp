// Bindings of what RIBES, CharacTER, EED and ROUGE-L count.
#include "binding.h"
#include "character.h"
#include "eed.h"
#include "ribes.h"
#include "rouge.h"

namespace tertium {
namespace {

// rows: words with a place in the reference, pairs of them in order, pairs inside runs, output length, reference length.
void count_ranks(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                 Rows rows) {
    WordRanks counter(options_of(tokenizer), options_of(reference_tokenizer));
    for_each_pair(outputs, references, rows, 5, [&](double* row, std::string_view output, std::string_view reference) {
        const RankCounts counts = counter.count(output, reference);
        row[0] = static_cast<double>(counts.ranked);
        row[1] = static_cast<double>(counts.increasing);
        row[2] = static_cast<double>(counts.in_runs);
        row[3] = static_cast<double>(counts.output_length);
        row[4] = static_cast<double>(counts.reference_length);
    });
}

nb::list link_ranks(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer) {
    WordRanks counter(options_of(tokenizer), options_of(reference_tokenizer));
    return link_pairs(outputs, references, [&](std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>&) {
        return counter.link(output, reference, links);
    });
}

// rows: edits of characters after the shifts, cost of the shifts, characters of the output.
void count_character_shifts(const View& outputs, const View& references, const std::string& tokenizer,
                            const std::string& reference_tokenizer, bool drifting, Rows rows) {
    CharacterShifts counter(options_of(tokenizer), options_of(reference_tokenizer), drifting);
    for_each_pair(outputs, references, rows, 3, [&](double* row, std::string_view output, std::string_view reference) {
        const CharacterCounts counts = counter.count(output, reference);
        row[0] = static_cast<double>(counts.edits);
        row[1] = counts.shifts;
        row[2] = static_cast<double>(counts.output_length);
    });
}

nb::list link_character_shifts(const View& outputs, const View& references, const std::string& tokenizer,
                               const std::string& reference_tokenizer, bool drifting) {
    CharacterShifts counter(options_of(tokenizer), options_of(reference_tokenizer), drifting);
    return link_pairs(outputs, references, [&](std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>& shifted) {
        return counter.link(output, reference, links, shifted);
    });
}

// rows: distance, visits too many or too few, characters of the reference.
void count_extended_edits(const View& outputs, const View& references, double jump, double deletion, double insertion, Rows rows) {
    ExtendedEditDistance counter(jump, deletion, insertion);
    for_each_pair(outputs, references, rows, 3, [&](double* row, std::string_view output, std::string_view reference) {
        const ExtendedEdits edits = counter.count(output, reference);
        row[0] = edits.distance;
        row[1] = edits.visits;
        row[2] = static_cast<double>(edits.reference_length);
    });
}

// rows: words of the longest common subsequence, of the output, of the reference; by lines where these are sentences.
void count_subsequences(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer,
                        bool lines, Rows rows) {
    WordSubsequences counter(options_of(tokenizer), options_of(reference_tokenizer));
    for_each_pair(outputs, references, rows, 3, [&](double* row, std::string_view output, std::string_view reference) {
        const SubsequenceCounts counts = lines ? counter.count_lines(output, reference) : counter.count(output, reference);
        row[0] = static_cast<double>(counts.matches);
        row[1] = static_cast<double>(counts.output_length);
        row[2] = static_cast<double>(counts.reference_length);
    });
}

nb::list link_subsequences(const View& outputs, const View& references, const std::string& tokenizer, const std::string& reference_tokenizer) {
    WordSubsequences counter(options_of(tokenizer), options_of(reference_tokenizer));
    return link_pairs(outputs, references, [&](std::string_view output, std::string_view reference, WordLinks& links, std::vector<uint8_t>&) {
        return counter.link(output, reference, links);
    });
}

}  // namespace

void bind_strings(nb::module_& m) {
    m.def("count_ranks", &count_ranks, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "rows"_a.noconvert());
    m.def("link_ranks", &link_ranks, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a);
    m.def("count_character_shifts", &count_character_shifts, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a,
          "drifting"_a, "rows"_a.noconvert());
    m.def("link_character_shifts", &link_character_shifts, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a,
          "drifting"_a);
    m.def("count_extended_edits", &count_extended_edits, "outputs"_a, "references"_a, "jump"_a, "deletion"_a, "insertion"_a,
          "rows"_a.noconvert());
    m.def("count_subsequences", &count_subsequences, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "lines"_a,
          "rows"_a.noconvert());
    m.def("link_subsequences", &link_subsequences, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a);
}

}  // namespace tertium
