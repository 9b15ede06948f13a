// Bindings of the screen of `diagnose`: which detectors can find anything in which outputs.
#include <nanobind/stl/unique_ptr.h>

#include "binding.h"
#include "screen.h"

namespace tertium {
namespace {

using Codes = nb::ndarray<const uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::object distinct_characters(const std::vector<const View*>& texts) {
    std::vector<uint32_t> codes;
    {
        nb::gil_scoped_release release;
        CharacterSet characters;
        for (const View* view : texts) {
            const LinesView lines = view->lines();
            for (size_t i = 0; i < lines.count; ++i)
                if (lines.has(i)) characters.add(lines[i]);
        }
        codes = characters.list();
    }
    return give_away(std::move(codes));
}

std::unique_ptr<CharacterKinds> make_kinds(const Codes& codes, const Bytes& kinds, const View& folded) {
    const LinesView folds = folded.lines();
    if (codes.size() != kinds.size() || codes.size() != folds.count) throw nb::value_error("every character has one kind and one folded text");
    auto characters = std::make_unique<CharacterKinds>();
    for (size_t i = 0; i < codes.size(); ++i) characters->add(codes.data()[i], kinds.data()[i], folds[i]);
    return characters;
}

std::unique_ptr<WordSet> make_words(const View& words) { return std::make_unique<WordSet>(words.lines()); }

// shares: the fields of ScreenFacts from short_share on.
nb::list screen_outputs(const std::vector<const View*>& outputs, const View* source, const std::vector<const View*>& references,
                        const CharacterKinds& characters, const WordSet& source_numbers, const WordSet& numbers, const WordSet* target,
                        double ratio, const std::vector<double>& shares, size_t first, size_t last) {
    if (shares.size() != 5) throw nb::value_error("five shares are expected");
    const ScreenFacts facts{characters, source_numbers, numbers, target, ratio, shares[0], shares[1], shares[2], shares[3], shares[4]};
    const auto check = [&](const View* view) {
        if (first > last || last > view->lines().count) throw nb::value_error("segments lie outside the texts");
        return view->lines();
    };
    std::vector<LinesView> said, wanted;
    for (const View* view : outputs) said.push_back(check(view));
    for (const View* view : references) wanted.push_back(check(view));
    const LinesView sources = source == nullptr ? LinesView() : check(source);
    std::vector<std::vector<uint16_t>> found(outputs.size(), std::vector<uint16_t>(last - first, 0));
    {
        nb::gil_scoped_release release;
        Screen screen(facts);
        std::vector<std::string_view> there;
        for (size_t i = first; i < last; ++i) {
            there.clear();
            for (const LinesView& lines : wanted)
                if (lines.has(i)) there.push_back(lines[i]);
            size_t bytes = 0;
            for (const LinesView& lines : said) bytes += lines.has(i) ? lines[i].size() : 0;
            const bool sourced = source != nullptr && sources.has(i);
            const std::string_view text = sourced ? sources[i] : std::string_view();
            screen.open(sourced ? &text : nullptr, there, said.size(), bytes);
            for (size_t k = 0; k < said.size(); ++k)
                if (said[k].has(i)) found[k][i - first] = screen.judge(said[k][i]);
        }
    }
    nb::list result;
    for (auto& column : found) result.append(give_away(std::move(column)));
    return result;
}

}  // namespace

void bind_screen(nb::module_& m) {
    nb::class_<CharacterKinds>(m, "CharacterKinds").def(nb::new_(&make_kinds), "codes"_a.noconvert(), "kinds"_a.noconvert(), "folded"_a);
    nb::class_<WordSet>(m, "WordSet").def(nb::new_(&make_words), "words"_a);
    m.def("distinct_characters", &distinct_characters, "texts"_a);
    m.def("screen_outputs", &screen_outputs, "outputs"_a, "source"_a.none(), "references"_a, "characters"_a, "source_numbers"_a, "numbers"_a,
          "target"_a.none(), "ratio"_a, "shares"_a, "first"_a, "last"_a);
}

}  // namespace tertium
