// Bindings of n-grams one by one: which of an output its references have, for people to look at.
#include "binding.h"
#include "matches.h"

namespace tertium {
namespace {

nb::object decoded(std::string_view text) {
    return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

// Calls `visit(output, references)` for every segment that has both, and appends what it returns; None for the others.
template <class Visit>
nb::list each_segment(const View& outputs, const std::vector<const View*>& references, Visit visit) {
    const LinesView output = outputs.lines();
    std::vector<LinesView> streams;
    for (const View* view : references) {
        streams.push_back(view->lines());
        check_lengths(output.count, streams.back().count);
    }
    nb::list segments;
    std::vector<std::string_view> texts;
    for (size_t i = 0; i < output.count; ++i) {
        texts.clear();
        for (const LinesView& stream : streams)
            if (stream.has(i)) texts.push_back(stream[i]);
        if (output.has(i) && !texts.empty())
            segments.append(visit(output[i], std::span<const std::string_view>(texts)));
        else
            segments.append(nb::none());
    }
    return segments;
}

// Runs as tuples; `start` and `end` say at which characters they begin and end.
template <class Start, class End>
nb::list give_runs(const std::vector<MatchedRun>& runs, Start start, End end) {
    nb::list found;
    for (const MatchedRun& run : runs) found.append(nb::make_tuple(run.order, start(run.first), end(run.last - 1), run.said, run.most));
    return found;
}

// Of every segment the words of the output with spaces between them, and its runs: the longest n-gram, or 0 where it is
// clipped, characters from and to, how often output and reference have what is clipped.
nb::list mark_ngrams(const View& outputs, const std::vector<const View*>& references, const std::string& tokenizer,
                     const std::string& reference_tokenizer, size_t order) {
    WordTexts texts(options_of(tokenizer), options_of(reference_tokenizer));
    NgramList list;
    std::vector<MatchedRun> runs;
    return each_segment(outputs, references, [&](std::string_view output, std::span<const std::string_view> others) {
        const Words& words = texts.read(output, others, list, true);
        match_runs(list, words.size(), order, order == 1, runs);
        const SpacedWords said(words);
        return nb::make_tuple(decoded(said.text), give_runs(runs, [&](uint32_t k) { return said.starts[k]; },
                                                            [&](uint32_t k) { return said.starts[k + 1] - 1; }));
    });
}

// Lengths of 2 and 3, of 4 and 5 ... become one: as many shades as people can tell apart, and half as many runs.
void pair_orders(std::vector<MatchedRun>& runs) {
    size_t kept = 0;
    for (MatchedRun run : runs) {
        if (run.order > 1) run.order -= run.order % 2;
        if (kept > 0 && runs[kept - 1].order == run.order && runs[kept - 1].last == run.first)
            runs[kept - 1].last = run.last;
        else
            runs[kept++] = run;
    }
    runs.resize(kept);
}

// The same of characters: the text as it is read, and its runs, in which white space may lie. Single characters, which
// nearly every text has, are no evidence and left out, unless nothing else is counted; a run of 2 is of 2 or 3 characters, and so on.
nb::list mark_characters(const View& outputs, const View& references, size_t order, bool lowercase, bool whitespace) {
    CharacterTexts texts(lowercase, whitespace);
    NgramList list;
    std::vector<MatchedRun> runs;
    return each_segment(outputs, {&references}, [&](std::string_view output, std::span<const std::string_view> others) {
        texts.read(output, others[0], list, true);
        match_runs(list, texts.size(), order, true, runs);
        std::erase_if(runs, [&](const MatchedRun& run) { return run.order < std::min<size_t>(2, order); });
        pair_orders(runs);
        return nb::make_tuple(decoded(texts.output()), give_runs(runs, [&](uint32_t k) { return texts.places()[k]; },
                                                                 [&](uint32_t k) { return texts.places()[k] + 1; }));
    });
}

// Of every length the different n-grams, those of the output first, each where it is met: its text, how often the output
// has it, how often each reference has it.
template <class Texts>
nb::list give_lists(NgramList& list, const Texts& texts, size_t order) {
    nb::list lengths;
    for (size_t n = 0; n < order; ++n) {
        nb::list found;
        if (list.next()) {
            std::vector<uint32_t> by_place(list.ngrams().size());
            for (uint32_t k = 0; k < by_place.size(); ++k) by_place[k] = k;
            std::sort(by_place.begin(), by_place.end(), [&](uint32_t a, uint32_t b) {
                const auto &one = list.ngrams()[a], &other = list.ngrams()[b];
                return std::pair(one.text, one.at) < std::pair(other.text, other.at);
            });
            for (const uint32_t k : by_place) {
                nb::list counts;
                for (size_t t = 1; t < list.texts(); ++t) counts.append(list.count(k, t));
                found.append(nb::make_tuple(decoded(texts.text(list.ngrams()[k], n + 1)), list.count(k, 0), counts));
            }
        }
        lengths.append(found);
    }
    return lengths;
}

nb::list list_ngrams(const View& outputs, const std::vector<const View*>& references, const std::string& tokenizer,
                     const std::string& reference_tokenizer, size_t order) {
    WordTexts texts(options_of(tokenizer), options_of(reference_tokenizer));
    NgramList list;
    return each_segment(outputs, references, [&](std::string_view output, std::span<const std::string_view> others) {
        texts.read(output, others, list, false);
        return give_lists(list, texts, order);
    });
}

nb::list list_characters(const View& outputs, const View& references, size_t order, bool lowercase, bool whitespace) {
    CharacterTexts texts(lowercase, whitespace);
    NgramList list;
    return each_segment(outputs, {&references}, [&](std::string_view output, std::span<const std::string_view> others) {
        texts.read(output, others[0], list, false);
        return give_lists(list, texts, order);
    });
}

}  // namespace

void bind_matches(nb::module_& m) {
    m.def("mark_ngrams", &mark_ngrams, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "order"_a);
    m.def("mark_characters", &mark_characters, "outputs"_a, "references"_a, "order"_a, "lowercase"_a, "whitespace"_a);
    m.def("list_ngrams", &list_ngrams, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "order"_a);
    m.def("list_characters", &list_characters, "outputs"_a, "references"_a, "order"_a, "lowercase"_a, "whitespace"_a);
}

}  // namespace tertium
