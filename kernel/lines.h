// Lines of UTF-8 text as the kernel reads them: one byte buffer, where each line starts and ends, which are missing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tertium {

struct LinesView {
    const char* data = nullptr;
    const int64_t* starts = nullptr;
    const int64_t* ends = nullptr;
    const bool* missing = nullptr;  // null: none is missing
    size_t count = 0;

    std::string_view operator[](size_t i) const {
        return {data + starts[i], static_cast<size_t>(ends[i] - starts[i])};
    }
    bool has(size_t i) const { return missing == nullptr || !missing[i]; }
};

struct LineBounds {
    std::vector<int64_t> starts, ends;
};

// Splits on '\n' only; a '\r' before it and a leading byte-order mark are dropped. A last line without '\n' counts.
inline LineBounds split_lines(std::string_view text) {
    LineBounds bounds;
    const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    bounds.starts.reserve(lines);
    bounds.ends.reserve(lines);
    const char* const base = text.data();
    const char* const end = base + text.size();
    const char* line = base;
    if (text.substr(0, 3) == "\xEF\xBB\xBF") line += 3;
    while (line < end) {
        auto* stop = static_cast<const char*>(std::memchr(line, '\n', static_cast<size_t>(end - line)));
        if (stop == nullptr) stop = end;
        const bool carriage = stop > line && stop[-1] == '\r';
        bounds.starts.push_back(line - base);
        bounds.ends.push_back(stop - base - (carriage ? 1 : 0));
        line = stop + 1;
    }
    return bounds;
}

}  // namespace tertium
