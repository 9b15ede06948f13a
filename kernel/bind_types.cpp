// Bindings of what is counted over a whole corpus: types and their sparse rows, NIST's information.
#include <nanobind/stl/unique_ptr.h>

#include "binding.h"
#include "information.h"
#include "types.h"

namespace tertium {
namespace {

std::vector<LinesView> lines_of(const std::vector<const View*>& views) {
    std::vector<LinesView> lines;
    for (const View* view : views) lines.push_back(view->lines());
    return lines;
}

// Calls `count(i, output, references)` for every segment, the references empty where the output is missing or has none.
template <class Count>
void for_each_segment(const LinesView& output, const std::vector<LinesView>& streams, Count count) {
    std::vector<std::string_view> texts;
    for (size_t i = 0; i < output.count; ++i) {
        texts.clear();
        if (output.has(i))
            for (const auto& stream : streams)
                if (stream.has(i)) texts.push_back(stream[i]);
        count(i, output[i], std::span<const std::string_view>(texts));
    }
}

// The types as lines: a buffer, starts and ends.
nb::tuple give_types(Types& types) {
    auto [text, bounds] = types.release();
    std::vector<int64_t> starts(bounds.begin(), bounds.end() - 1), ends(bounds.begin() + 1, bounds.end());
    return nb::make_tuple(give_away(std::vector<uint8_t>(text.begin(), text.end())), give_away(std::move(starts)), give_away(std::move(ends)));
}

// Types in order of first appearance, and the sparse rows: starts, columns, numbers. Type t has the columns 3t, 3t + 1
// and 3t + 2: occurrences in the output, in the reference that has most, in both.
nb::tuple count_types(const View& outputs, const std::vector<const View*>& references, const std::string& tokenizer,
                      const std::string& reference_tokenizer) {
    const LinesView output = outputs.lines();
    const std::vector<LinesView> streams = lines_of(references);
    for (const auto& stream : streams) check_lengths(output.count, stream.count);
    TypeCounts counts(options_of(tokenizer), options_of(reference_tokenizer));
    {
        nb::gil_scoped_release release;
        for_each_segment(output, streams, [&](size_t, std::string_view text, std::span<const std::string_view> texts) {
            if (!texts.empty()) counts.add(text, texts);
            counts.close_row();
        });
        counts.finish();
    }
    return nb::make_tuple(give_types(counts.types), give_away(std::move(counts.starts)), give_away(std::move(counts.indices)),
                          give_away(std::move(counts.values)));
}

// The types of several lists, each once, in order of first appearance; and the place of every type of every list in it.
nb::tuple join_types(const std::vector<const View*>& lists) {
    Types types;
    std::vector<int64_t> places;
    {
        const std::vector<LinesView> lines = lines_of(lists);
        nb::gil_scoped_release release;
        for (const auto& list : lines)
            for (size_t i = 0; i < list.count; ++i) places.push_back(static_cast<int64_t>(types.add(list[i])) - 1);
    }
    return nb::make_tuple(give_types(types), give_away(std::move(places)));
}

// A number below 2^bits for every type, by all of its text (FNV-1a, mixed): the same in every process, where hashes of
// vocabularies have secrets of their own.
nb::object part_types(const View& view, unsigned bits) {
    if (bits < 1 || bits > 8) throw std::invalid_argument("parts are told apart by 1 to 8 bits, not by " + std::to_string(bits));
    const LinesView types = view.lines();
    std::vector<uint8_t> parts(types.count);
    {
        nb::gil_scoped_release release;
        for (size_t i = 0; i < types.count; ++i) {
            uint64_t hash = 0xcbf29ce484222325;
            for (const char byte : types[i]) hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
            parts[i] = static_cast<uint8_t>(((hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15) >> (64 - bits));
        }
    }
    return nb::cast(give_away(std::move(parts)));
}

// Numbers of the words of further references; their texts are not needed after it.
void add_references(NgramInformation& table, const std::vector<const View*>& references, const std::string& tokenizer) {
    const std::vector<LinesView> streams = lines_of(references);
    Tokenizer tokenize(options_of(tokenizer));
    nb::gil_scoped_release release;
    for (const auto& stream : streams)
        for (size_t i = 0; i < stream.count; ++i)
            if (stream.has(i)) table.add(tokenize(stream[i]));
}

std::unique_ptr<NgramInformation> make_information(const std::vector<const View*>& references, const std::string& tokenizer, size_t order) {
    auto table = std::make_unique<NgramInformation>(order);
    add_references(*table, references, tokenizer);
    table->finish();
    return table;
}

void finish_information(NgramInformation& table) {
    nb::gil_scoped_release release;
    table.finish();
}

// rows: information of the shared n-grams and n-grams of the output for n = 1..order, output length, average reference length.
void count_information(const View& outputs, const std::vector<const View*>& references, const std::string& tokenizer,
                       const std::string& reference_tokenizer, const NgramInformation& table, size_t order, bool zero_is_no_history, Rows rows) {
    const LinesView output = outputs.lines();
    const std::vector<LinesView> streams = lines_of(references);
    for (const auto& stream : streams) check_lengths(output.count, stream.count);
    check_shape(rows, output.count, 2 * order + 2);
    const size_t stride = rows.shape(1);
    InformedMatches matches(options_of(tokenizer), options_of(reference_tokenizer), table, zero_is_no_history);
    nb::gil_scoped_release release;
    for_each_segment(output, streams, [&](size_t i, std::string_view text, std::span<const std::string_view> texts) {
        if (texts.empty()) return;
        double* const row = rows.data() + i * stride;
        const auto [length, reference_words] = matches.count(text, texts, {row, order});
        for (size_t n = 0; n < order; ++n) row[order + n] = static_cast<double>(length > n ? length - n : 0);
        row[2 * order] = static_cast<double>(length);
        row[2 * order + 1] = static_cast<double>(reference_words) / static_cast<double>(texts.size());
    });
}

}  // namespace

void bind_types(nb::module_& m) {
    m.def("count_types", &count_types, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a);
    m.def("join_types", &join_types, "lists"_a);
    m.def("part_types", &part_types, "types"_a, "bits"_a);
    nb::class_<NgramInformation>(m, "NgramInformation")
        .def(nb::new_([](size_t order) { return std::make_unique<NgramInformation>(order); }), "order"_a)
        .def(nb::new_(&make_information), "references"_a, "tokenizer"_a, "order"_a)
        .def("add", &add_references, "references"_a, "tokenizer"_a)
        .def("finish", &finish_information)
        .def_prop_ro("words", &NgramInformation::words);
    m.def("count_information", &count_information, "outputs"_a, "references"_a, "tokenizer"_a, "reference_tokenizer"_a, "table"_a, "order"_a,
          "zero_is_no_history"_a, "rows"_a.noconvert());
}

}  // namespace tertium
