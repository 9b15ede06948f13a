// What LEPOR counts (Han et al. 2012): which output word stands where in the reference, and how far it has moved.
//
// Output words are aligned from left to right, each with a free occurrence of the same word: one that shares a word of
// its surroundings if there is one, and of those the nearest. Where a word occurs a few times, all are tried. Where it
// occurs often that would be quadratic: then its occurrences are listed for every word that they have around them, and
// the nearest free one in a list is found by bisection.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ngrams.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

struct Alignment {
    int64_t matches = 0;      // words that are aligned
    double displacement = 0;  // sum of |j r - pos c|: c r times the sum of |j/c - pos/r|; whole, exact below 2^53
};

namespace detail {

// Where each word occurs in the reference, in order; words without a number (0) are of no interest.
class Occurrences {
public:
    void list(Symbols reference, uint32_t words) {
        if (reference.size() > (size_t{1} << 30))
            throw std::length_error("a reference has " + std::to_string(reference.size()) + " words; at most 1073741824 can be aligned");
        starts_.assign(size_t{words} + 2, 0);
        for (const uint32_t word : reference) starts_[word + 1] += 1;
        for (size_t word = 1; word < starts_.size(); ++word) starts_[word] += starts_[word - 1];
        next_.assign(starts_.begin(), starts_.end() - 1);
        places_.resize(reference.size());
        for (uint32_t at = 0; at < reference.size(); ++at) places_[next_[reference[at]]++] = at;
    }
    std::span<const uint32_t> of(uint32_t word) const {
        return {places_.data() + starts_[word], starts_[word + 1] - starts_[word]};
    }

private:
    std::vector<uint32_t> starts_, next_, places_;
};

// The nearer of two places, the left one of two equally near; -1: none so far.
inline int64_t nearer(int64_t best, int64_t place, int64_t at) {
    if (best < 0) return place;
    const int64_t now = std::abs(place - at), before = std::abs(best - at);
    return now < before || (now == before && place < best) ? place : best;
}

// Places of frequent words in lists, one for each word that is around some of them. Places that have been taken stay in
// their lists and are passed over; whoever passes leaves a shortcut.
class PlaceLists {
public:
    static constexpr uint32_t anything = 0;  // the list of all places of a word

    void open(uint32_t words) {
        entries_.clear();
        starts_.assign(size_t{words} + 2, 0);
    }
    void add(uint32_t around, uint32_t at) { entries_.push_back(static_cast<uint64_t>(around) << 32 | at); }
    // Nothing more will be added for this word; all words come in order.
    void close(uint32_t word) {
        starts_[word + 1] = entries_.size();
        std::sort(entries_.begin() + static_cast<int64_t>(starts_[word]), entries_.end());
    }
    void finish() {
        if (entries_.size() >= ~uint32_t{0}) throw std::length_error("a segment repeats its words too often for this window");
        right_.resize(entries_.size());
        left_.resize(entries_.size() + 1);  // left_[e]: from entry e - 1
        for (uint32_t e = 0; e < entries_.size(); ++e) {
            right_[e] = e + 1;
            left_[e + 1] = e;
        }
    }

    // The nearest place in a list that is not taken, or the best so far if that is nearer.
    int64_t nearest(uint32_t word, uint32_t around, uint32_t at, const std::vector<uint8_t>& taken, int64_t best) {
        const auto begin = static_cast<uint32_t>(starts_[word]), end = static_cast<uint32_t>(starts_[word + 1]);
        const uint64_t wanted = static_cast<uint64_t>(around) << 32 | at;
        const auto here = static_cast<uint32_t>(
            std::lower_bound(entries_.begin() + begin, entries_.begin() + end, wanted) - entries_.begin());
        const auto is_taken = [&](uint32_t e) { return taken[static_cast<uint32_t>(entries_[e])] != 0; };
        const auto consider = [&](uint64_t entry) {
            if (entry >> 32 == around) best = nearer(best, static_cast<uint32_t>(entry), at);
        };
        const uint32_t behind = follow(right_, here, [&](uint32_t e) { return e < end && is_taken(e); });
        if (behind < end) consider(entries_[behind]);
        const uint32_t before = follow(left_, here, [&](uint32_t e) { return e > begin && is_taken(e - 1); });
        if (before > begin) consider(entries_[before - 1]);
        return best;
    }

private:
    template <class Passed>
    static uint32_t follow(std::vector<uint32_t>& steps, uint32_t from, Passed passed) {
        uint32_t to = from;
        while (passed(to)) to = steps[to];
        while (passed(from)) from = std::exchange(steps[from], to);
        return to;
    }

    std::vector<uint64_t> entries_;  // word by word: what is around, and where
    std::vector<size_t> starts_;     // by word
    std::vector<uint32_t> right_, left_;
};

inline double moved(size_t output_at, size_t output_length, size_t reference_at, size_t reference_length) {
    const auto here = static_cast<int64_t>(output_at + 1) * static_cast<int64_t>(reference_length);
    const auto there = static_cast<int64_t>(reference_at + 1) * static_cast<int64_t>(output_length);
    return static_cast<double>(std::abs(here - there));
}

// Calls `visit(word)` for every word up to `window` places away on either side.
template <class Visit>
void around(Symbols symbols, size_t at, size_t window, Visit visit) {
    for (size_t k = at - std::min(at, window); k < at; ++k) visit(symbols[k]);
    const size_t behind = std::min(symbols.size() - at - 1, window);
    for (size_t k = at + 1; k <= at + behind; ++k) visit(symbols[k]);
}

}  // namespace detail

// The alignment of the papers.
class LeporAligner {
public:
    // Words of the output are numbered 1 ... words; those that only the reference has are 0. If `links` is given it
    // receives what is aligned, from left to right in the output.
    Alignment align(Symbols output, Symbols reference, uint32_t words, size_t window, WordLinks* links = nullptr) {
        window_ = window;
        occurrences_.list(reference, words);
        taken_.assign(reference.size(), false);
        seen_.resize(std::max<size_t>(seen_.size(), size_t{words} + 1));  // stamps are never used again
        index_frequent(reference, words);
        Alignment alignment;
        for (uint32_t j = 0; j < output.size(); ++j) {
            const std::span<const uint32_t> places = occurrences_.of(output[j]);
            const int64_t place = places.size() <= few ? try_all(output, reference, j, places) : look_up(output, j);
            if (place < 0) continue;
            taken_[static_cast<size_t>(place)] = true;
            alignment.matches += 1;
            if (links) links->emplace_back(j, static_cast<uint32_t>(place));
            alignment.displacement += detail::moved(j, output.size(), static_cast<size_t>(place), reference.size());
        }
        return alignment;
    }

private:
    static constexpr size_t few = 32;

    void index_frequent(Symbols reference, uint32_t words) {
        lists_.open(words);
        for (uint32_t word = 1; word <= words; ++word) {
            const std::span<const uint32_t> places = occurrences_.of(word);
            if (places.size() > few) list_places(reference, places);
            lists_.close(word);
        }
        lists_.finish();
    }

    void list_places(Symbols reference, std::span<const uint32_t> places) {
        for (const uint32_t at : places) lists_.add(detail::PlaceLists::anything, at);
        for (const uint32_t at : places) {
            stamp_ += 1;
            detail::around(reference, at, window_, [&](uint32_t word) {
                if (word != 0 && std::exchange(seen_[word], stamp_) != stamp_) lists_.add(word, at);
            });
        }
    }

    int64_t try_all(Symbols output, Symbols reference, uint32_t j, std::span<const uint32_t> places) {
        if (places.empty()) return -1;
        if (places.size() == 1) return taken_[places[0]] ? -1 : int64_t{places[0]};
        stamp_ += 1;
        detail::around(output, j, window_, [&](uint32_t word) { seen_[word] = stamp_; });
        int64_t best = -1, supported = -1;
        for (const uint32_t at : places) {
            if (taken_[at]) continue;
            best = detail::nearer(best, at, j);
            bool shared = false;
            detail::around(reference, at, window_, [&](uint32_t word) { shared |= seen_[word] == stamp_; });
            if (shared) supported = detail::nearer(supported, at, j);
        }
        return supported >= 0 ? supported : best;
    }

    int64_t look_up(Symbols output, uint32_t j) {
        stamp_ += 1;
        int64_t best = -1;
        detail::around(output, j, window_, [&](uint32_t word) {
            if (std::exchange(seen_[word], stamp_) != stamp_) best = lists_.nearest(output[j], word, j, taken_, best);
        });
        return best >= 0 ? best : lists_.nearest(output[j], detail::PlaceLists::anything, j, taken_, best);
    }

    size_t window_ = 0;
    detail::Occurrences occurrences_;
    detail::PlaceLists lists_;
    std::vector<uint8_t> taken_;
    std::vector<uint64_t> seen_;  // by word: the stamp of the last place that had it around
    uint64_t stamp_ = 0;
};

// What the authors' Perl programs do instead: a reference position is taken if a recorded one begins with its digits;
// all but the first and the last two output words confirm themselves and stand at the first occurrence; beyond the end
// nothing equals nothing and before the beginning the end comes again; every output word forgets which places earlier
// ones have confirmed; equal length and all words matched is no displacement at all.
class PerlAligner {
public:
    Alignment align(Symbols output, Symbols reference, uint32_t words) {
        occurrences_.list(reference, words);
        Alignment alignment;
        alignment.matches = count_common(output, reference.size(), words);
        const size_t c = output.size(), r = reference.size();
        if (c == r && static_cast<size_t>(alignment.matches) == c) return alignment;
        confirm(output, reference);
        forget(r);
        for (size_t j = 0; j < c; ++j) {
            const std::span<const uint32_t> places = occurrences_.of(output[j]);
            if (places.empty()) continue;
            const size_t place = confirmed_at_[j] != nowhere ? confirmed_at_[j] : nearest_unconfirmed(j, places);
            alignment.displacement += detail::moved(j, c, place, r);
        }
        return alignment;
    }

private:
    static constexpr uint32_t nowhere = ~uint32_t{0};

    int64_t count_common(Symbols output, size_t reference_length, uint32_t words) {
        blocked_.assign(reference_length, false);
        next_.assign(size_t{words} + 1, 0);
        int64_t matches = 0;
        for (const uint32_t word : output) {
            const std::span<const uint32_t> places = occurrences_.of(word);
            uint32_t& next = next_[word];  // what is blocked stays blocked
            while (next < places.size() && blocked_[places[next]]) ++next;
            if (next == places.size()) continue;
            ++matches;
            uint32_t digits = places[next];
            do blocked_[digits] = true;
            while ((digits /= 10) > 0);
        }
        return matches;
    }

    // For every output word the first occurrence whose surroundings agree.
    void confirm(Symbols output, Symbols reference) {
        const size_t c = output.size();
        confirmed_at_.assign(c, nowhere);
        for (size_t j = 0; j < c; ++j) {
            const std::span<const uint32_t> places = occurrences_.of(output[j]);
            const int64_t side = j == 0 ? 1 : j + 2 >= c ? -1 : 0;
            for (const uint32_t k : places)
                if (side == 0 || agree(output, reference, static_cast<int64_t>(j), k, side)) {
                    confirmed_at_[j] = k;
                    break;
                }
        }
    }

    // One of the next two words (or of the last two) is one of the reference's.
    static bool agree(Symbols output, Symbols reference, int64_t j, int64_t k, int64_t side) {
        for (const int64_t a : {side, 2 * side})
            for (const int64_t b : {side, 2 * side}) {
                const int64_t here = number_at(output, j + a), there = number_at(reference, k + b);
                if (here == there) return true;
            }
        return false;
    }
    // Perl's indices: -1 is the last; outside there is an empty word, which no text has.
    static int64_t number_at(Symbols symbols, int64_t at) {
        const auto size = static_cast<int64_t>(symbols.size());
        if (at < 0) at += size;
        return at < 0 || at >= size ? -1 : symbols[static_cast<size_t>(at)];
    }

    // A place stays confirmed only if no later output word has passed over it in its own search.
    void forget(size_t reference_length) {
        still_confirmed_.assign(reference_length, false);
        size_t passed = 0;  // places before this have been passed over by later words
        for (size_t j = confirmed_at_.size(); j-- > 0 && passed < reference_length;) {
            const uint32_t at = confirmed_at_[j];
            if (at != nowhere && at >= passed) still_confirmed_[at] = true;
            passed = std::max(passed, at == nowhere ? reference_length : size_t{at} + 1);
        }
    }

    // The first place of the reference if all are confirmed or ten thousand words away: an undefined place is 0.
    size_t nearest_unconfirmed(size_t j, std::span<const uint32_t> places) const {
        size_t nearest = 0;
        int64_t distance = 10000 + static_cast<int64_t>(j);
        for (const uint32_t k : places) {
            const int64_t here = std::abs(static_cast<int64_t>(k) - static_cast<int64_t>(j));
            if (still_confirmed_[k] || here >= distance) continue;
            nearest = k;
            distance = here;
        }
        return nearest;
    }

    detail::Occurrences occurrences_;
    std::vector<uint8_t> blocked_, still_confirmed_;
    std::vector<uint32_t> next_, confirmed_at_;
};

// Everything LEPOR, hLEPOR and nLEPOR need of an output and one reference.
class LeporCounts {
public:
    LeporCounts(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    struct Found {
        size_t output_length, reference_length;
        double displacement;
    };

    // Fills the matches for n = 1, 2 ...; those of single words are the alignment's.
    Found count(std::string_view output, std::string_view reference, size_t window, bool perl, std::span<int64_t> matches) {
        const Words& words = tokenize_output_(output);
        vocabulary_.reset(words.size());
        const Symbols outputs = vocabulary_.add(words, output_);
        const Symbols references = vocabulary_.find(tokenize_reference_(reference), reference_);
        const Alignment alignment = perl ? perl_.align(outputs, references, vocabulary_.size())
                                         : aligner_.align(outputs, references, vocabulary_.size(), window);
        if (matches.size() > 1) matcher_.match(outputs, {&references, 1}, matches);
        if (!matches.empty()) matches[0] = alignment.matches;
        return {outputs.size(), references.size(), alignment.displacement};
    }

    // Which words the papers' alignment puts together; returns the words of both sides.
    WordPair link(std::string_view output, std::string_view reference, size_t window, WordLinks& links) {
        const Words& output_words = tokenize_output_(output);
        const Words& reference_words = tokenize_reference_(reference);
        vocabulary_.reset(output_words.size());
        const Symbols outputs = vocabulary_.add(output_words, output_);
        aligner_.align(outputs, vocabulary_.find(reference_words, reference_), vocabulary_.size(), window, &links);
        return {output_words, reference_words};
    }

private:
    Tokenizer tokenize_output_, tokenize_reference_;
    Vocabulary vocabulary_;
    NgramMatcher matcher_;
    LeporAligner aligner_;
    PerlAligner perl_;
    std::vector<uint32_t> output_, reference_;
};

}  // namespace tertium
