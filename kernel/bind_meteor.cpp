// Bindings of METEOR: its tokeniser, what is known about words, and the statistics of alignments.
#include "binding.h"
#include "meteor.h"
#include "meteor_text.h"

namespace tertium {
namespace {

std::string_view text_of(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (data == nullptr) throw nb::python_error();
    return {data, static_cast<size_t>(size)};
}

// METEOR's tokeniser in lower case: one buffer for all lines. `prefixes`: words, and whether before numbers only.
nb::tuple tokenize_meteor(const View& view, const std::string& apostrophes, nb::dict prefixes, bool no_punct) {
    const Apostrophes kind = apostrophes == "right"  ? Apostrophes::right
                             : apostrophes == "left" ? Apostrophes::left
                                                     : Apostrophes::both;
    MeteorNormaliser normalise(kind, no_punct);
    for (const auto& [word, numbers_only] : prefixes) normalise.add_prefix(text_of(word), nb::cast<bool>(numbers_only));
    const LinesView lines = view.lines();
    std::vector<uint8_t> text;
    std::vector<int64_t> starts(lines.count), ends(lines.count);
    {
        nb::gil_scoped_release release;
        std::string line;
        for (size_t i = 0; i < lines.count; ++i) {
            starts[i] = static_cast<int64_t>(text.size());
            if (lines.has(i)) {
                normalise(lines[i], line);
                text.insert(text.end(), line.begin(), line.end());
            }
            ends[i] = static_cast<int64_t>(text.size());
        }
    }
    return nb::make_tuple(give_away(std::move(text)), give_away(std::move(starts)), give_away(std::move(ends)));
}

// Outputs and references [first, last), as far as there are any, their different words, and what the stages know about
// these. To be compared pair by pair, the two sides may have different numbers of lines.
class MeteorBlock {
public:
    MeteorBlock(const View& outputs, const std::vector<const View*>& references, bool lowercase, size_t first, size_t last)
        : first_(first), segments_(outputs.lines().count) {
        std::vector<LinesView> streams = {outputs.lines()};
        for (const View* view : references) streams.push_back(view->lines());
        size_t most = 0;
        for (const LinesView& stream : streams) most = std::max(most, stream.count);
        if (first > last || last > most) throw nb::value_error("lines to align lie outside");
        nb::gil_scoped_release release;
        std::string lower;
        for (const LinesView& stream : streams) {
            Texts& texts = streams_.emplace_back();
            for (size_t i = first; i < std::min(last, stream.count); ++i) {
                texts.present.push_back(stream.has(i));
                if (stream.has(i)) {
                    if (lowercase) lower_utf8(stream[i], lower);
                    visit_words(lowercase ? lower : stream[i], [&](std::string_view word) { texts.words.push_back(numbers_.add(word)); });
                }
                texts.ends.push_back(texts.words.size());
            }
        }
        words_.key = hashes(numbers_.size(), [&](uint32_t k) { return numbers_[k]; });
        function_.assign(numbers_.size(), 0);
    }

    nb::list words() const {
        nb::list words;
        for (uint32_t k = 0; k < numbers_.size(); ++k) {
            const std::string_view word = numbers_[k];
            words.append(nb::steal(PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "replace")));
        }
        return words;
    }
    void set_stems(nb::list stems) {
        if (stems.size() != numbers_.size())
            throw nb::value_error((std::to_string(stems.size()) + " stems, but " + std::to_string(numbers_.size()) + " words").c_str());
        words_.stem = hashes(stems.size(), [&](uint32_t k) { return text_of(stems[k]); });
    }
    void set_function_words(nb::list words) {
        WordNumbers known;
        for (nb::handle word : words) known.add(text_of(word));
        std::string lower;
        for (uint32_t k = 0; k < numbers_.size(); ++k) {
            lower_utf8(numbers_[k], lower);
            function_[k] = known.find(lower) != WordNumbers::none;
        }
    }
    void set_synonyms(const Synonyms& synonyms, bool english) {
        nb::gil_scoped_release release;
        std::unordered_map<uint32_t, uint32_t, HashNumber> sets;
        std::vector<std::pair<uint32_t, uint32_t>> pairs;
        for (uint32_t k = 0; k < numbers_.size(); ++k)
            synonyms.visit_sets(numbers_[k], english, [&](uint32_t set) {
                pairs.emplace_back(k, sets.try_emplace(set, static_cast<uint32_t>(sets.size())).first->second);
            });
        words_.set_count = static_cast<uint32_t>(sets.size());
        words_.sets.open(numbers_.size(), pairs);
    }
    void set_paraphrases(const Paraphrases& paraphrases) {  // which the caller keeps alive
        words_.paraphrases = &paraphrases;
        words_.phrase_word.clear();
        for (uint32_t k = 0; k < numbers_.size(); ++k) words_.phrase_word.push_back(paraphrases.number(numbers_[k]));
    }

    // Rows of all segments [first, last) against one stream of references.
    void count(size_t stream, Rows rows) const {
        const Texts& outputs = streams_[0];
        const Texts& references = stream_of(stream);
        check_lengths(outputs.present.size(), references.present.size());
        check_shape(rows, segments_, meteor_columns);
        const size_t stride = rows.shape(1);
        nb::gil_scoped_release release;
        MeteorAligner aligner(words_);
        for (size_t i = 0; i < outputs.present.size(); ++i)
            if (outputs.present[i] && references.present[i])
                write_meteor_row(outputs[i], references[i], aligner.align(outputs[i], references[i]), function_,
                                 rows.data() + (first_ + i) * stride);
    }

    // Rows of every output against every reference of the first stream, those of the first output first.
    void count_pairs(Rows rows) const {
        const Texts& outputs = streams_[0];
        const Texts& references = stream_of(0);
        const size_t n = outputs.present.size(), m = references.present.size();
        check_shape(rows, n * m, meteor_columns);
        const size_t stride = rows.shape(1);
        nb::gil_scoped_release release;
        MeteorAligner aligner(words_);
        for (size_t i = 0; i < n; ++i)
            for (size_t j = 0; j < m; ++j)
                if (outputs.present[i] && references.present[j])
                    write_meteor_row(outputs[i], references[j], aligner.align(outputs[i], references[j]), function_,
                                     rows.data() + (i * m + j) * stride);
    }

    // Of every segment its words on both sides, its matches (stage, start, length, start in the reference, length in it),
    // and two of these that could have had each other's partners, if there are any; None where a side is missing.
    nb::list matches(size_t stream) const {
        const Texts& outputs = streams_[0];
        const Texts& references = stream_of(stream);
        check_lengths(outputs.present.size(), references.present.size());
        const nb::list words = this->words();
        const auto said = [&](Symbols symbols) {
            nb::list found;
            for (const uint32_t word : symbols) found.append(words[word]);
            return found;
        };
        nb::list segments;
        MeteorAligner aligner(words_);
        for (size_t i = 0; i < outputs.present.size(); ++i) {
            if (!outputs.present[i] || !references.present[i]) {
                segments.append(nb::none());
                continue;
            }
            nb::list found;
            const auto& matches = aligner.align(outputs[i], references[i]);
            for (const MeteorMatch& match : matches)
                found.append(nb::make_tuple(static_cast<uint32_t>(match.stage), match.start, match.length, match.at, match.width));
            nb::object exchanged = nb::none();
            if (const auto two = rejected_exchange(outputs[i], matches)) exchanged = nb::make_tuple(two->first, two->second);
            segments.append(nb::make_tuple(said(outputs[i]), said(references[i]), found, exchanged));
        }
        return segments;
    }

private:
    struct Texts {
        std::vector<uint32_t> words;
        std::vector<size_t> ends;
        std::vector<bool> present;

        Symbols operator[](size_t i) const {
            const size_t start = i == 0 ? 0 : ends[i - 1];
            return Symbols(words).subspan(start, ends[i] - start);
        }
    };

    const Texts& stream_of(size_t stream) const {
        if (stream + 1 >= streams_.size()) throw nb::value_error("no such stream of references");
        return streams_[stream + 1];
    }
    template <class Text>
    static std::vector<uint32_t> hashes(size_t count, Text text) {
        std::vector<uint32_t> found(count);
        for (uint32_t k = 0; k < count; ++k) found[k] = java_hash(text(k));
        return number_hashes(found);
    }

    size_t first_, segments_;
    WordNumbers numbers_;
    std::vector<Texts> streams_;
    MeteorWords words_;
    std::vector<uint8_t> function_;
};

}  // namespace

void bind_meteor(nb::module_& m) {
    m.def("tokenize_meteor", &tokenize_meteor, "lines"_a, "apostrophes"_a, "prefixes"_a, "no_punct"_a);
    nb::class_<Synonyms>(m, "Synonyms")
        .def("__init__", [](Synonyms* self, Bytes text) { new (self) Synonyms(tertium::text_of(text)); }, "text"_a.noconvert())
        .def_prop_ro("words", &Synonyms::words)
        .def_prop_ro("sets", &Synonyms::sets);
    nb::class_<Paraphrases>(m, "Paraphrases")
        .def("__init__", [](Paraphrases* self, Bytes text) { new (self) Paraphrases(tertium::text_of(text)); }, "text"_a.noconvert())
        .def("__len__", &Paraphrases::size);
    nb::class_<MeteorBlock>(m, "MeteorBlock")
        .def(nb::init<const View&, const std::vector<const View*>&, bool, size_t, size_t>(), "outputs"_a, "references"_a,
             "lowercase"_a, "first"_a, "last"_a)
        .def("words", &MeteorBlock::words)
        .def("set_stems", &MeteorBlock::set_stems, "stems"_a)
        .def("set_function_words", &MeteorBlock::set_function_words, "words"_a)
        .def("set_synonyms", &MeteorBlock::set_synonyms, "synonyms"_a, "english"_a)
        .def("set_paraphrases", &MeteorBlock::set_paraphrases, "paraphrases"_a, nb::keep_alive<1, 2>())
        .def("count", &MeteorBlock::count, "stream"_a, "rows"_a.noconvert())
        .def("count_pairs", &MeteorBlock::count_pairs, "rows"_a.noconvert())
        .def("matches", &MeteorBlock::matches, "stream"_a);
}

}  // namespace tertium
