// JSON lines: texts of wanted keys, and the keys that there are. Only lines are read of which it is certain how Python
// reads them; all others are its to read, so that values and errors are Python's in any case. Texts are valid UTF-8.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lines.h"
#include "utf8.h"

namespace tertium {

// One line, from left to right. Null instead of a place: it is not certain.
class JsonLine {
public:
    // A text between its quotes, as it is written.
    struct Text {
        std::string_view written;
        bool escaped = false;
    };

    // Whether the line is an object, certainly; `visit(key, text)` is called with every member, of which `text` is null
    // unless the value is one. A key with an escape is not certain: it may be spelled in several ways.
    template <class Visit>
    bool read(std::string_view line, Visit visit) {
        end_ = line.data() + line.size();
        const char* at = skip_space(line.data());
        if (at == end_ || *at != '{') return false;
        at = members(at + 1, 1, visit);
        return at != nullptr && skip_space(at) == end_;
    }

    // Adds a text as it is read. `room` is filled anew.
    static void append(const Text& text, std::string& room, std::vector<uint8_t>& out) {
        if (!text.escaped) {
            out.insert(out.end(), text.written.begin(), text.written.end());
            return;
        }
        room.clear();
        const char* at = text.written.data();
        const char* const end = at + text.written.size();
        while (const void* const found = std::memchr(at, '\\', static_cast<size_t>(end - at))) {
            const auto* const slash = static_cast<const char*>(found);
            room.append(at, slash);
            at = slash + 2;
            if (slash[1] != 'u') {
                room.push_back(meaning(slash[1]));
                continue;
            }
            char32_t code = hex(at);
            at += 4;
            if (is_surrogate(code)) {  // the first half: the other one follows
                code = 0x10000 + ((code - 0xD800) << 10) + (hex(at + 2) - 0xDC00);
                at += 6;
            }
            append_utf8(room, code);
        }
        room.append(at, end);
        out.insert(out.end(), room.begin(), room.end());
    }

private:
    static constexpr int deepest = 32;
    static constexpr char32_t no_code = 0xFFFFFFFF;

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_surrogate(char32_t code) { return code >= 0xD800 && code < 0xE000; }

    // What the letter behind a backslash stands for; 0 if for nothing.
    static char meaning(char letter) {
        switch (letter) {
            case '"': case '\\': case '/': return letter;
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            default: return 0;
        }
    }

    // Four digits as a number.
    static char32_t hex(const char* at) {
        char32_t code = 0;
        for (int k = 0; k < 4; ++k) {
            const char letter = static_cast<char>(at[k] | 0x20);
            const bool digit = is_digit(at[k]);
            if (!digit && (letter < 'a' || letter > 'f')) return no_code;
            code = code << 4 | static_cast<char32_t>(digit ? at[k] - '0' : letter - 'a' + 10);
        }
        return code;
    }

    const char* skip_space(const char* at) const {
        while (at != end_ && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) ++at;
        return at;
    }

    // The next quote, backslash or control character.
    const char* skip_plain(const char* at) const {
        constexpr uint64_t ones = 0x0101010101010101, high = 0x8080808080808080;
        for (uint64_t bytes = 0; end_ - at >= 8; at += 8) {
            std::memcpy(&bytes, at, 8);
            const uint64_t quote = bytes ^ (ones * '"'), slash = bytes ^ (ones * '\\');
            if ((((quote - ones) & ~quote) | ((slash - ones) & ~slash) | ((bytes - ones * 0x20) & ~bytes)) & high) break;
        }
        while (at != end_ && *at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
        return at;
    }

    // Behind an escape that begins here.
    const char* skip_escape(const char* at) const {
        if (end_ - at < 2) return nullptr;
        if (at[1] != 'u') return meaning(at[1]) == 0 ? nullptr : at + 2;
        if (end_ - at < 6) return nullptr;
        const char32_t code = hex(at + 2);
        if (code == no_code) return nullptr;
        if (!is_surrogate(code)) return at + 6;
        if (code >= 0xDC00 || end_ - at < 12 || at[6] != '\\' || at[7] != 'u') return nullptr;
        const char32_t other = hex(at + 8);
        return is_surrogate(other) && other >= 0xDC00 ? at + 12 : nullptr;
    }

    // Behind the text whose first quote is before this place.
    const char* read_text(const char* at, Text& text) const {
        const char* const first = at;
        text.escaped = false;
        while (true) {
            at = skip_plain(at);
            if (at == end_) return nullptr;
            if (*at == '"') break;
            if (*at != '\\') return nullptr;
            text.escaped = true;
            at = skip_escape(at);
            if (at == nullptr) return nullptr;
        }
        text.written = {first, static_cast<size_t>(at - first)};
        return at + 1;
    }

    const char* skip_digits(const char* at) const {
        if (at == end_ || !is_digit(*at)) return nullptr;
        while (at != end_ && is_digit(*at)) ++at;
        return at;
    }

    const char* skip_number(const char* at) const {
        if (*at == '-') ++at;
        const bool zero = at != end_ && *at == '0';
        at = zero ? at + 1 : skip_digits(at);
        if (at != nullptr && at != end_ && *at == '.') at = skip_digits(at + 1);
        if (at == nullptr || at == end_ || (*at | 0x20) != 'e') return at;
        ++at;
        if (at != end_ && (*at == '+' || *at == '-')) ++at;
        return skip_digits(at);
    }

    const char* skip_word(const char* at, std::string_view word) const {
        return std::string_view(at, static_cast<size_t>(end_ - at)).starts_with(word) ? at + word.size() : nullptr;
    }

    // Behind a value that is not a text.
    const char* skip_value(const char* at, int depth) const {
        switch (*at) {
            case '{': return depth < deepest ? members(at + 1, depth + 1, [](const Text&, const Text*) { return true; }) : nullptr;
            case '[': return depth < deepest ? items(at + 1, depth + 1) : nullptr;
            case 't': return skip_word(at, "true");
            case 'f': return skip_word(at, "false");
            case 'n': return skip_word(at, "null");
            default: return *at == '-' || is_digit(*at) ? skip_number(at) : nullptr;
        }
    }

    // Behind a value and the space after it; there is something after it in any case.
    const char* read_value(const char* at, int depth, Text& text, bool& is_text) const {
        at = skip_space(at);
        if (at == end_) return nullptr;
        is_text = *at == '"';
        at = is_text ? read_text(at + 1, text) : skip_value(at, depth);
        if (at == nullptr) return nullptr;
        at = skip_space(at);
        return at == end_ ? nullptr : at;
    }

    const char* items(const char* at, int depth) const {
        at = skip_space(at);
        if (at != end_ && *at == ']') return at + 1;
        Text text;
        bool is_text = false;
        for (;; ++at) {
            at = read_value(at, depth, text, is_text);
            if (at == nullptr || (*at != ',' && *at != ']')) return nullptr;
            if (*at == ']') return at + 1;
        }
    }

    template <class Visit>
    const char* members(const char* at, int depth, Visit visit) const {
        at = skip_space(at);
        if (at != end_ && *at == '}') return at + 1;
        Text key, text;
        bool is_text = false;
        for (;; ++at) {
            at = skip_space(at);
            if (at == end_ || *at != '"') return nullptr;
            at = read_text(at + 1, key);
            if (at == nullptr) return nullptr;
            at = skip_space(at);
            if (at == end_ || *at != ':') return nullptr;
            at = read_value(at + 1, depth, text, is_text);
            if (at == nullptr || (*at != ',' && *at != '}') || !visit(std::as_const(key), is_text ? &text : nullptr)) return nullptr;
            if (*at == '}') return at + 1;
        }
    }

    const char* end_ = nullptr;
};

// The texts of one key, one after the other.
struct JsonColumn {
    std::vector<uint8_t> text;
    std::vector<int64_t> starts, ends;
};

// Adds a text for every line to every column, and to `others` the numbers of lines that Python has to read: those that
// are not certain, and those in which a key is not there once and with a text. Their texts are empty.
inline void read_json_texts(const LinesView& lines, std::span<const std::string> keys, std::span<JsonColumn> columns,
                            std::vector<int64_t>& others) {
    JsonLine reader;
    std::vector<JsonLine::Text> texts(keys.size());
    std::vector<bool> found(keys.size());
    std::string room;
    for (size_t i = 0; i < lines.count; ++i) {
        found.assign(keys.size(), false);
        size_t left = keys.size();
        const auto visit = [&](const JsonLine::Text& key, const JsonLine::Text* text) {
            if (key.escaped) return false;
            for (size_t k = 0; k < keys.size(); ++k) {
                if (key.written != keys[k]) continue;
                if (text == nullptr || found[k]) return false;
                found[k] = true;
                texts[k] = *text;
                --left;
            }
            return true;
        };
        const bool certain = lines.has(i) && reader.read(lines[i], visit) && left == 0;
        if (!certain) others.push_back(static_cast<int64_t>(i));
        for (size_t k = 0; k < keys.size(); ++k) {
            columns[k].starts.push_back(static_cast<int64_t>(columns[k].text.size()));
            if (certain) JsonLine::append(texts[k], room, columns[k].text);
            columns[k].ends.push_back(static_cast<int64_t>(columns[k].text.size()));
        }
    }
}

// The keys of all lines of which it is certain what they say, in the order in which they appear first.
struct JsonKeys {
    std::vector<std::string> keys;
    std::vector<int64_t> lines;   // in which they appear first
    std::vector<int64_t> others;  // lines that Python has to read
};

inline JsonKeys read_json_keys(const LinesView& lines) {
    JsonKeys found;
    JsonLine reader;
    std::set<std::string, std::less<>> seen;
    std::vector<std::string_view> keys, before;  // of this line, and of the last one: mostly the same
    for (size_t i = 0; i < lines.count; ++i) {
        keys.clear();
        const auto visit = [&](const JsonLine::Text& key, const JsonLine::Text*) {
            keys.push_back(key.written);
            return !key.escaped;
        };
        if (!lines.has(i) || !reader.read(lines[i], visit)) {
            found.others.push_back(static_cast<int64_t>(i));
            continue;
        }
        for (size_t k = 0; k < keys.size(); ++k) {
            if ((k < before.size() && keys[k] == before[k]) || seen.contains(keys[k])) continue;
            seen.emplace(keys[k]);
            found.keys.emplace_back(keys[k]);
            found.lines.push_back(static_cast<int64_t>(i));
        }
        std::swap(keys, before);
    }
    return found;
}

}  // namespace tertium
