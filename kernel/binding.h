// What every binding file shares: Lines as Python hands them over, rows to fill, tokenizers by name.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lines.h"
#include "tokenize.h"

namespace tertium {

namespace nb = nanobind;
using namespace nb::literals;

// One function for each binding file: adds its functions to the module.
void bind_counts(nb::module_& m);
void bind_draws(nb::module_& m);
void bind_jsonl(nb::module_& m);
void bind_lepor(nb::module_& m);
void bind_lexical(nb::module_& m);
void bind_matches(nb::module_& m);
void bind_pairwise(nb::module_& m);
void bind_strings(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_resegment(nb::module_& m);
void bind_types(nb::module_& m);
void bind_meteor(nb::module_& m);
void bind_numbers(nb::module_& m);
void bind_screen(nb::module_& m);
void bind_weigh(nb::module_& m);

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

inline std::string_view text_of(const Bytes& buffer) {
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
inline TokenizerOptions options_of(const std::string& name) {
    static const std::pair<std::string_view, Scheme> schemes[] = {
        {"none", Scheme::none},     {"13a", Scheme::mteval13a},         {"13a-scalar", Scheme::scalar13a}, {"intl", Scheme::intl},
        {"zh", Scheme::zh},         {"char", Scheme::character},        {"spaces", Scheme::spaces},
        {"codepoints", Scheme::codepoints}, {"chrf-words", Scheme::chrf_words}, {"tercom", Scheme::tercom},         {"alnum", Scheme::alnum},
    };
    TokenizerOptions options;
    const std::pair<std::string_view, bool&> flags[] = {
        {"lower", options.lowercase}, {"normalized", options.normalized}, {"no_punct", options.no_punct}, {"asian", options.asian}, {"stem", options.stem}};
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

inline void check_shape(const Rows& rows, size_t segments, size_t columns) {
    if (rows.shape(0) != segments || rows.shape(1) < columns)
        throw nb::value_error(("rows must have " + std::to_string(segments) + " rows and at least " +
                               std::to_string(columns) + " columns")
                                  .c_str());
}

inline void check_lengths(size_t outputs, size_t references) {
    if (outputs != references)
        throw nb::value_error((std::to_string(outputs) + " outputs, but " + std::to_string(references) + " references").c_str());
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

// Words with spaces between them, and the character at which each of them begins; one more would begin at the last.
struct SpacedWords {
    std::string text;
    std::vector<uint32_t> starts;

    explicit SpacedWords(const Words& words) {
        starts.reserve(words.size() + 1);
        uint32_t place = 0;
        for (const std::string_view word : words) {
            if (!starts.empty()) text.push_back(' ');
            starts.push_back(place);
            text.append(word);
            place += 1 + static_cast<uint32_t>(std::count_if(word.begin(), word.end(), [](char c) { return (c & 0xC0) != 0x80; }));
        }
        starts.push_back(place);
    }
};

// Of every segment its words on both sides, with spaces between them, and the stretches that stand for each other, in the
// reference's order: 1 where the words are the same, 2 where they were shifted as well, else 0; characters of the output
// from and to, of the reference from and to. Neighbours that are the same are one stretch. None where a side is missing.
// `link(output, reference, links, shifted)` returns the words; `shifted` are places of the output.
template <class Link>
nb::list link_pairs(const View& outputs, const View& references, Link link) {
    const LinesView output = outputs.lines(), reference = references.lines();
    check_lengths(output.count, reference.count);
    const auto shown = [](const std::string& text) {
        return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    };
    nb::list segments;
    WordLinks links;
    std::vector<uint8_t> shifted;
    for (size_t k = 0; k < output.count; ++k) {
        if (!output.has(k) || !reference.has(k)) {
            segments.append(nb::none());
            continue;
        }
        links.clear();
        shifted.clear();
        const WordPair words = [&] {
            nb::gil_scoped_release release;
            return link(output[k], reference[k], links, shifted);
        }();
        std::sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        const SpacedWords said(words.output), wanted(words.reference);
        const auto kind = [&](size_t at) {
            const auto [i, j] = links[at];
            return words.output[i] != words.reference[j] ? 0 : i < shifted.size() && shifted[i] ? 2 : 1;
        };
        nb::list found;
        for (size_t at = 0, next; at < links.size(); at = next) {
            next = at + 1;
            const int here = kind(at);
            while (here != 0 && next < links.size() && links[next].first == links[next - 1].first + 1 &&
                   links[next].second == links[next - 1].second + 1 && kind(next) == here)
                ++next;
            found.append(nb::make_tuple(here, said.starts[links[at].first], said.starts[links[next - 1].first + 1] - 1,
                                        wanted.starts[links[at].second], wanted.starts[links[next - 1].second + 1] - 1));
        }
        segments.append(nb::make_tuple(shown(said.text), shown(wanted.text), found));
    }
    return segments;
}

}  // namespace tertium
