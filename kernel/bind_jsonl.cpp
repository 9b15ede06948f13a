// Bindings of JSON lines: what of them is read without Python's decoder.
#include "binding.h"
#include "jsonl.h"

namespace tertium {
namespace {

// Numbers of lines that Python has to read, and of every key its texts: a buffer with bounds.
nb::tuple json_texts(const View& view, const std::vector<std::string>& keys) {
    std::vector<JsonColumn> columns(keys.size());
    std::vector<int64_t> others;
    {
        nb::gil_scoped_release release;
        read_json_texts(view.lines(), keys, columns, others);
    }
    nb::list texts;
    for (JsonColumn& column : columns)
        texts.append(nb::make_tuple(give_away(std::move(column.text)), give_away(std::move(column.starts)), give_away(std::move(column.ends))));
    return nb::make_tuple(give_away(std::move(others)), texts);
}

// Numbers of lines that Python has to read, keys of all others, and the line in which each of them appears first.
nb::tuple json_keys(const View& view) {
    JsonKeys found;
    {
        nb::gil_scoped_release release;
        found = read_json_keys(view.lines());
    }
    nb::list keys;
    for (const std::string& key : found.keys) keys.append(nb::str(key.data(), key.size()));
    return nb::make_tuple(give_away(std::move(found.others)), keys, give_away(std::move(found.lines)));
}

}  // namespace

void bind_jsonl(nb::module_& m) {
    m.def("json_texts", &json_texts, "lines"_a, "keys"_a);
    m.def("json_keys", &json_keys, "lines"_a);
}

}  // namespace tertium
