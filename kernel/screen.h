// Which detectors of errors can find anything in an output: what a text surely lacks need not be looked for.
//
// A screen may say "perhaps" where there is nothing, never "nothing" where a detector finds something. What is a letter,
// a mark or white space, and how letters are folded, it is told by whoever asks, for the characters that occur.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lines.h"
#include "secrets.h"
#include "utf8.h"
#include "vocabulary.h"

namespace tertium {

// The different characters of texts.
class CharacterSet {
public:
    CharacterSet() : seen_(0x110000, false) {}
    void add(std::string_view text) {
        const char* at = text.data();
        const char* const end = at + text.size();
        while (at < end) seen_[std::min<char32_t>(decode_utf8(at, end), 0x10FFFF)] = true;
    }
    std::vector<uint32_t> list() const {
        std::vector<uint32_t> codes;
        for (uint32_t code = 0; code < seen_.size(); ++code)
            if (seen_[code]) codes.push_back(code);
        return codes;
    }

private:
    std::vector<bool> seen_;
};

// What characters are, and what they are folded to.
class CharacterKinds {
public:
    enum : uint8_t { letter = 1, mark = 2, space = 4, digit = 8, pair = 16, unusual = 32, symbol = 64, upper = 128 };

    void add(char32_t code, uint8_t kind, std::string_view folded) {
        if (code > 0x10FFFF) throw std::out_of_range("no character has the number " + std::to_string(code));
        if (kinds_.size() <= code) {
            kinds_.resize(code + 1, 0);
            folds_.resize(code + 1);
        }
        kinds_[code] = kind;
        folds_[code] = {static_cast<uint32_t>(folded_.size()), static_cast<uint32_t>(folded.size())};
        folded_.append(folded);
    }
    uint8_t kind(char32_t code) const { return code < kinds_.size() ? kinds_[code] : 0; }
    std::string_view fold(char32_t code) const {
        return code < folds_.size() ? std::string_view(folded_).substr(folds_[code].first, folds_[code].second) : std::string_view();
    }

private:
    std::vector<uint8_t> kinds_;
    std::vector<std::pair<uint32_t, uint32_t>> folds_;  // from where, how many bytes
    std::string folded_;
};

// Words that are asked for and never change.
class WordSet {
public:
    explicit WordSet(const LinesView& words) {
        size_t bytes = 0;
        for (size_t i = 0; i < words.count; ++i) bytes += words.has(i) ? words[i].size() : 0;
        text_.reserve(bytes);
        slots_.assign(std::bit_ceil(2 * words.count + 2), std::string_view());
        for (size_t i = 0; i < words.count; ++i) {
            if (!words.has(i) || words[i].empty()) continue;
            std::string_view& slot = slots_[place(words[i])];
            if (!slot.empty()) continue;
            text_.append(words[i]);
            slot = std::string_view(text_).substr(text_.size() - words[i].size());
        }
    }
    WordSet(const WordSet&) = delete;
    WordSet& operator=(const WordSet&) = delete;
    bool has(std::string_view word) const { return !slots_[place(word)].empty(); }

private:
    size_t place(std::string_view word) const {
        const size_t mask = slots_.size() - 1;
        size_t at = hash_text(word) & mask;
        while (!slots_[at].empty() && slots_[at] != word) at = (at + 1) & mask;
        return at;
    }

    std::string text_;  // never grows beyond what was reserved, so that the slots stay where they point
    std::vector<std::string_view> slots_;
};

// A text as the screen sees it.
class Reading {
public:
    size_t characters = 0, stripped = 0;  // in all, and without white space at both ends
    uint8_t kinds = 0;                    // of all characters together
    bool glued = false;                   // a long run without white space, of few different characters
    bool marked = false;                  // a word has marks
    Words words;                          // folded
    std::vector<uint32_t> lengths;        // of folded words, in characters
    std::vector<bool> names;              // words that begin with a capital and are long enough
    std::vector<uint32_t> numbers;        // of words, in a vocabulary

    void read(std::string_view text, const CharacterKinds& kinds_of) {
        clear();
        const char* at = text.data();
        const char* const end = at + text.size();
        size_t leading = 0, trailing = 0, written = 0;
        bool inside = false;
        while (at < end) {
            const char32_t code = decode_utf8(at, end);
            const uint8_t kind = kinds_of.kind(code);
            ++characters;
            kinds |= kind;
            if (kind & CharacterKinds::space) {
                ++trailing;
                leading += trailing == characters;
                close_run();
            } else {
                trailing = 0;
                run_.push_back(code);
            }
            if (!(kind & CharacterKinds::letter) && !(inside && (kind & CharacterKinds::mark))) {
                if (inside) close_word(written);
                inside = false;
                continue;
            }
            if (!inside) open_word(kind);
            written = inside ? written + 1 : 1;
            inside = true;
            marked |= (kind & CharacterKinds::mark) != 0;
            folded_.append(kinds_of.fold(code));
        }
        if (inside) close_word(written);
        close_run();
        stripped = leading == characters ? 0 : characters - leading - trailing;
        finish();
    }
    bool any_in(const WordSet& set) const { return std::any_of(words.begin(), words.end(), [&](auto word) { return set.has(word); }); }

private:
    static constexpr size_t shortest_name = 3, shortest_run = 12, few = 10;

    void clear() {
        characters = stripped = 0;
        kinds = 0;
        glued = marked = false;
        folded_.clear();
        starts_.clear();
        names.clear();
        run_.clear();
    }
    void open_word(uint8_t kind) {
        starts_.push_back(folded_.size());
        names.push_back((kind & CharacterKinds::upper) != 0);
    }
    void close_word(size_t written) {
        if (written < shortest_name) names.back() = false;
    }
    void close_run() {
        if (run_.size() >= shortest_run && !glued) {
            const size_t size = run_.size();
            std::sort(run_.begin(), run_.end());
            const auto different = static_cast<size_t>(std::unique(run_.begin(), run_.end()) - run_.begin());
            glued = different + few <= size;
        }
        run_.clear();
    }
    void finish() {
        starts_.push_back(folded_.size());
        folded_.append(readable_bytes, '\0');
        words.open(names.size());
        lengths.clear();
        for (size_t k = 0; k < names.size(); ++k) {
            const auto word = std::string_view(folded_).substr(starts_[k], starts_[k + 1] - starts_[k]);
            words.push_back(word);
            lengths.push_back(static_cast<uint32_t>(
                std::count_if(word.begin(), word.end(), [](char c) { return !is_continuation(static_cast<unsigned char>(c)); })));
        }
    }

    std::string folded_;
    std::vector<size_t> starts_;
    std::vector<char32_t> run_;
};

// What the screen has to know of the test set, and where detectors draw their lines.
struct ScreenFacts {
    const CharacterKinds& kinds_of;
    const WordSet& source_numbers;  // number words, folded
    const WordSet& numbers;
    const WordSet* target;  // words of the target language; null where no language is identified
    double ratio;           // characters of translation per character of source; NaN where it is not known
    double short_share, long_share, omission_share, familiar_share, copied_share;
};

// What detectors may find, a bit for each.
namespace findable {
enum : uint16_t {
    empty = 1, unknown = 2, unbalanced = 4, repetition = 8, number = 16, untranslated = 32, name = 64, copied = 128,
    truncation = 256, over_generation = 512, omission = 1024, language = 2048,
};
}

// A segment at a time: its source and references are read once for all outputs.
class Screen {
public:
    explicit Screen(const ScreenFacts& facts) : facts_(facts) {}

    // Forgets the segment before. `bytes` are those of all outputs that will be judged.
    void open(const std::string_view* source, const std::vector<std::string_view>& references, size_t outputs, size_t bytes) {
        has_source_ = source != nullptr;
        references_ = references.size();
        least_ = most_ = std::nan("");
        source_number_ = symbols_ = false;
        facts_of_.clear();
        names_.clear();
        if (outputs_.size() < outputs) outputs_.resize(outputs);
        if (kept_.size() < references_) kept_.resize(references_);
        output_ = 0;
        for (const auto reference : references) bytes += reference.size();
        if (has_source_) bytes += 3 * source->size();  // its words, and what is left of them without their endings
        vocabulary_.reset(bytes / 2 + references_ + outputs + 3);  // between two words there is something else
        note(0);
        if (has_source_) open_source(*source);
        for (size_t k = 0; k < references_; ++k) open_reference(references[k], static_cast<uint32_t>(k));
        for (uint32_t id = 1; id < facts_of_.size(); ++id)
            if (facts_of_[id].name && facts_of_[id].upper && facts_of_[id].references == references_) names_.push_back(id);
    }

    // What may be found in the next output.
    uint16_t judge(std::string_view output) {
        namespace f = findable;
        Reading& text = outputs_.at(output_++);  // the vocabulary knows long words by their text, which has to stay
        text.read(output, facts_.kinds_of);
        const auto ids = vocabulary_.add(text.words, text.numbers);
        note(vocabulary_.size());
        uint16_t found = 0;
        const auto set = [&found](bool perhaps, uint16_t bit) { found = static_cast<uint16_t>(found | (perhaps ? bit : 0)); };
        set(text.stripped == 0, f::empty);
        set(text.kinds & CharacterKinds::unusual, f::unknown);
        set(text.kinds & CharacterKinds::pair, f::unbalanced);
        set(text.glued || loops(ids), f::repetition);
        set(has_source_ && (source_number_ || may_count(text, facts_.numbers)), f::number);
        const auto got = static_cast<double>(text.stripped);
        set(text.stripped > 0 && got < facts_.short_share * least_, f::truncation);
        set(got > facts_.long_share * most_, f::over_generation);
        set(references_ > 0 && !ids.empty() && !(static_cast<double>(text.characters) >= facts_.omission_share * least_), f::omission);
        judge_words(text, ids, found);
        return found;
    }

private:
    static constexpr uint32_t shortest_untranslated = 3, longer_than = 5, endings = 2;
    static constexpr size_t longest_loop = 12, identifiable = 40, fewest_copied = 3, fewest_own = 2;

    struct WordFacts {
        uint32_t references = 0;  // that have it, counted while each before it has it too
        uint32_t output = 0;      // the last that has it
        bool source = false, kept = false, suspect = false, name = false, upper = false;
    };

    void note(uint32_t size) { facts_of_.resize(size + size_t{1}); }

    static bool may_count(const Reading& text, const WordSet& words) {
        return (text.kinds & CharacterKinds::digit) || text.marked || text.any_in(words);
    }

    void expect(double length) {
        least_ = std::fmin(least_, length);
        most_ = std::fmax(most_, length);
    }

    void open_source(std::string_view source) {
        source_.read(source, facts_.kinds_of);
        source_number_ = may_count(source_, facts_.source_numbers);
        if (!std::isnan(facts_.ratio)) expect(static_cast<double>(source_.characters) * facts_.ratio);
        const auto ids = vocabulary_.add(source_.words, source_.numbers);
        note(vocabulary_.size());
        cut_.open(endings * ids.size());
        for (size_t k = 0; k < ids.size(); ++k) {
            WordFacts& word = facts_of_[ids[k]];
            word.source = true;
            word.suspect |= source_.lengths[k] >= shortest_untranslated;
            word.name |= source_.names[k];
            std::string_view stem = source_.words[k];
            for (uint32_t n = 0; source_.lengths[k] > longer_than && n < endings; ++n) {
                while (is_continuation(static_cast<unsigned char>(stem.back()))) stem.remove_suffix(1);
                stem.remove_suffix(1);
                cut_.push_back(stem);
            }
        }
        const auto stems = vocabulary_.add(cut_, cut_numbers_);
        note(vocabulary_.size());
        for (const uint32_t id : stems) facts_of_[id].suspect = true;
    }

    void open_reference(std::string_view reference, uint32_t k) {
        Reading& text = kept_[k];
        text.read(reference, facts_.kinds_of);
        expect(static_cast<double>(text.characters));
        const auto ids = vocabulary_.add(text.words, text.numbers);
        note(vocabulary_.size());
        for (size_t i = 0; i < ids.size(); ++i) {
            WordFacts& word = facts_of_[ids[i]];
            word.kept = true;
            word.references += word.references == k;
            word.upper |= k == 0 && text.names[i];
        }
        symbols_ |= k == 0 && (text.kinds & CharacterKinds::symbol);
    }

    // Whether a block of words stands there several times in a row: those of one or two words three times.
    static bool loops(std::span<const uint32_t> ids) {
        for (size_t period = 1; period <= longest_loop; ++period) {
            size_t run = 0;
            for (size_t i = period; i < ids.size(); ++i) {
                run = ids[i] == ids[i - period] ? run + 1 : 0;
                if (run >= (period <= 2 ? 2 * period : period)) return true;
            }
        }
        return false;
    }

    void judge_words(const Reading& text, std::span<const uint32_t> ids, uint16_t& found) {
        size_t different = 0, familiar = 0, shared = 0, own = 0, own_shared = 0;
        bool unkept = false, suspect = false;
        for (size_t k = 0; k < ids.size(); ++k) {
            WordFacts& word = facts_of_[ids[k]];
            shared += word.source;
            own += !word.kept;
            own_shared += !word.kept && word.source;
            unkept |= !word.kept && word.source;
            suspect |= !word.kept && word.suspect;
            if (word.output == output_) continue;
            word.output = output_;
            ++different;
            familiar += facts_.target != nullptr && facts_.target->has(text.words[k]);
        }
        const auto share = [](size_t part, size_t all) { return static_cast<double>(part) / static_cast<double>(std::max<size_t>(1, all)); };
        const auto set = [&found](bool perhaps, uint16_t bit) { found = static_cast<uint16_t>(found | (perhaps ? bit : 0)); };
        const bool copied = unkept && ids.size() >= fewest_copied && own >= fewest_own && share(shared, ids.size()) >= facts_.copied_share &&
                            share(own_shared, own) >= facts_.copied_share;
        set(has_source_ && suspect, findable::untranslated);
        set(has_source_ && copied, findable::copied);
        const bool lost = std::any_of(names_.begin(), names_.end(), [&](uint32_t id) { return facts_of_[id].output != output_; });
        set(has_source_ && references_ > 0 && (lost || symbols_), findable::name);
        const bool known = has_source_ && static_cast<double>(familiar) >= facts_.familiar_share * static_cast<double>(different);
        set(facts_.target != nullptr && text.characters >= identifiable && !known, findable::language);
    }

    const ScreenFacts& facts_;
    Vocabulary vocabulary_;
    Reading source_;
    std::vector<Reading> kept_, outputs_;
    std::vector<WordFacts> facts_of_;  // by number
    std::vector<uint32_t> names_, cut_numbers_;
    Words cut_;
    bool has_source_ = false, source_number_ = false, symbols_ = false;
    size_t references_ = 0;
    double least_ = 0, most_ = 0;
    uint32_t output_ = 0;  // how many were judged
};

}  // namespace tertium
