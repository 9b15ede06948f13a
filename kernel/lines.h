// Lines of UTF-8 text as the kernel reads them: one byte buffer, where each line starts and ends, which are missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan.h"

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

// Calls `visit` with the place of every '\n' in order.
template <class Visit>
void visit_newlines(std::string_view text, Visit visit) {
    const char* at = text.data();
    const char* const end = at + text.size();
    const char* const whole = at + text.size() / 64 * 64;  // nothing behind the text can be read
    visit_marked<Newlines>(at, whole, [&](const char* newline) {
        visit(newline);
        return true;
    });
    at = whole;
    for (; at < end; ++at)
        if (*at == '\n') visit(at);
}

// Splits on '\n' only; a '\r' before it and a leading byte-order mark are dropped. A last line without '\n' counts.
inline LineBounds split_lines(std::string_view text) {
    LineBounds bounds;
    bounds.starts.reserve(text.size() / 64);
    bounds.ends.reserve(text.size() / 64);
    const char* const base = text.data();
    const char* line = base;
    if (text.substr(0, 3) == "\xEF\xBB\xBF") line += 3;
    const auto close = [&](const char* stop) {
        const bool carriage = stop > line && stop[-1] == '\r';
        bounds.starts.push_back(line - base);
        bounds.ends.push_back(stop - base - (carriage ? 1 : 0));
        line = stop + 1;
    };
    visit_newlines(text, close);
    if (line < base + text.size()) close(base + text.size());
    return bounds;
}

}  // namespace tertium
