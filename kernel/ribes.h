// What RIBES counts (Isozaki et al. 2010): where the output's words stand in the reference, and how many pairs of them
// are in its order.
//
// A word that is not alone on its side is known by its surroundings: the shortest phrase that begins with it, or ends
// with it, and occurs exactly once on both sides. All phrases of both sides are sorted by their suffixes; how far one
// agrees with its neighbours says from which length on a phrase is alone in a text, and up to which the other text has it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ngrams.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

// For every place of an output the shortest phrase of two words or more from there on that both sides have exactly once.
class SharedPhrases {
public:
    struct Phrase {
        uint32_t length = 0, place = 0;  // in words, 0: there is none; where the reference has it
    };

    const std::vector<Phrase>& find(Symbols output, Symbols reference) {
        const auto n = static_cast<uint32_t>(output.size());
        join(output, reference);
        sort();
        measure();
        found_.assign(n, Agreement{});
        const size_t count = order_.size();
        Walk forward{*this, n};
        for (size_t k = 0; k < count; ++k) forward.step(order_[k], k > 0 ? common_[k] : 0);
        Walk backward{*this, n};
        for (size_t k = count; k-- > 0;) backward.step(order_[k], k + 1 < count ? common_[k + 1] : 0);
        phrases_.assign(n, Phrase{});
        for (uint32_t i = 0; i < n; ++i) {
            const Agreement& here = found_[i];
            const uint32_t length = std::max({2u, here.own + 1, here.second + 1});
            if (length <= here.first) phrases_[i] = {length, here.place};
        }
        return phrases_;
    }

private:
    // How many words from a place on some other place of the output has; the best and the second best of the reference.
    struct Agreement {
        uint32_t own = 0, first = 0, second = 0, place = 0;
    };
    // One way through the sorted suffixes: how far the present one agrees with the last of the output and the last two
    // of the reference.
    struct Walk {
        SharedPhrases& all;
        uint32_t outputs;
        uint32_t own = 0, last = 0, before = 0, place = 0;

        void step(uint32_t suffix, uint32_t common) {
            own = std::min(own, common);
            last = std::min(last, common);
            before = std::min(before, common);
            if (suffix < outputs) {
                Agreement& here = all.found_[suffix];
                here.own = std::max(here.own, own);
                const uint32_t agreed[] = {last, before};
                for (size_t k = 0; k < 2; ++k) {
                    if (agreed[k] > here.first) {
                        here.second = here.first;
                        here.first = agreed[k];
                        here.place = place;  // only the nearer one can be the best of its side
                    } else {
                        here.second = std::max(here.second, agreed[k]);
                    }
                }
                own = ~uint32_t{0};
            } else if (suffix > outputs) {
                before = last;
                last = ~uint32_t{0};
                place = suffix - outputs - 1;
            }
        }
    };

    // Both texts with a symbol between them that equals no other.
    void join(Symbols output, Symbols reference) {
        text_.assign(output.begin(), output.end());
        text_.push_back(0);
        text_.insert(text_.end(), reference.begin(), reference.end());
    }

    // Suffixes in order, by their first 2, 4, 8, ... symbols until no two are equal.
    void sort() {
        const size_t count = text_.size();
        rank_.assign(text_.begin(), text_.end());
        keys_.resize(count);
        for (size_t width = 1;; width *= 2) {
            for (uint32_t at = 0; at < count; ++at) {
                const uint64_t next = at + width < count ? rank_[at + width] + uint64_t{1} : 0;
                keys_[at] = {static_cast<uint64_t>(rank_[at]) << 32 | next, at};
            }
            std::sort(keys_.begin(), keys_.end());
            uint32_t rank = 0;
            for (size_t k = 0; k < count; ++k) {
                rank += k > 0 && keys_[k].first != keys_[k - 1].first;
                rank_[keys_[k].second] = rank;
            }
            if (rank + size_t{1} == count) break;
        }
        order_.resize(count);
        for (size_t k = 0; k < count; ++k) order_[k] = keys_[k].second;
    }

    // common_[k]: with how many symbols suffixes k - 1 and k of the order both begin (Kasai et al. 2001).
    void measure() {
        const size_t count = text_.size();
        common_.assign(count, 0);
        uint32_t length = 0;
        for (uint32_t at = 0; at < count; ++at) {
            if (rank_[at] == 0) {
                length = 0;
                continue;
            }
            const uint32_t other = order_[rank_[at] - 1];
            while (at + length < count && other + length < count && text_[at + length] == text_[other + length]) ++length;
            common_[rank_[at]] = length;
            if (length > 0) --length;
        }
    }

    std::vector<uint32_t> text_, rank_, order_, common_;
    std::vector<std::pair<uint64_t, uint32_t>> keys_;
    std::vector<Agreement> found_;
    std::vector<Phrase> phrases_;
};

struct RankCounts {
    int64_t ranked = 0;      // words of the output that have a place in the reference
    int64_t increasing = 0;  // pairs of them that stand in the reference's order
    int64_t in_runs = 0;     // those of them that stand in one run of neighbours
    int64_t output_length = 0, reference_length = 0;
};

class WordRanks {
public:
    WordRanks(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    RankCounts count(std::string_view output, std::string_view reference) {
        const Words& words = tokenize_output_(output);
        rank(words, tokenize_reference_(reference));
        RankCounts counts;
        counts.ranked = static_cast<int64_t>(ranks_.size());
        counts.output_length = static_cast<int64_t>(words.size());
        counts.reference_length = static_cast<int64_t>(references_.size());
        counts.increasing = increasing_pairs();
        for (size_t first = 0, next; first < ranks_.size(); first = next) {
            next = first + 1;
            while (next < ranks_.size() && ranks_[next].second == ranks_[next - 1].second + 1) ++next;
            counts.in_runs += pairs(static_cast<int64_t>(next - first));
        }
        return counts;
    }

    WordPair link(std::string_view output, std::string_view reference, WordLinks& links) {
        const Words& words = tokenize_output_(output);
        const Words& others = tokenize_reference_(reference);
        rank(words, others);
        links = ranks_;
        return {words, others};
    }

private:
    static int64_t pairs(int64_t things) { return things * (things - 1) / 2; }

    struct Word {
        uint32_t output = 0, reference = 0;  // how often
        uint32_t place = 0;                  // where the reference has it last
    };

    void rank(const Words& words, const Words& others) {
        vocabulary_.reset(words.size() + others.size());
        const Symbols output = vocabulary_.add(words, output_);
        references_ = vocabulary_.add(others, reference_);
        known_.assign(vocabulary_.size() + size_t{1}, Word{});
        for (const uint32_t word : output) ++known_[word].output;
        for (uint32_t j = 0; j < references_.size(); ++j) {
            ++known_[references_[j]].reference;
            known_[references_[j]].place = j;
        }
        ranks_.clear();
        bool searched = false;
        for (uint32_t i = 0; i < output.size(); ++i) {
            const Word& word = known_[output[i]];
            if (word.reference == 0) continue;
            if (word.output == 1 && word.reference == 1) {
                ranks_.emplace_back(i, word.place);
                continue;
            }
            if (!searched) search(output);
            searched = true;
            const int64_t place = place_by_context(i, output.size());
            if (place >= 0) ranks_.emplace_back(i, static_cast<uint32_t>(place));
        }
    }

    void search(Symbols output) {
        right_ = forward_.find(output, references_);
        const auto turn = [](Symbols text, std::vector<uint32_t>& turned) {
            turned.assign(text.rbegin(), text.rend());
            return Symbols(turned);
        };
        left_ = forward_.find(turn(output, turned_output_), turn(references_, turned_reference_));
    }

    // The shorter phrase decides, of two equally long the one to the right. A window has as many words beside the one
    // that is looked for; how wide it may be is part of the definition.
    int64_t place_by_context(size_t i, size_t n) const {
        const size_t widest = std::min(std::max(i, n - i + 1), references_.size());
        const auto right = right_[i], left = left_[n - 1 - i];
        const auto fits = [&](SharedPhrases::Phrase phrase) { return phrase.length > 0 && phrase.length <= widest; };
        if (fits(right) && (!fits(left) || right.length <= left.length)) return right.place;
        if (fits(left)) return static_cast<int64_t>(references_.size()) - 1 - left.place;
        return -1;
    }

    // For every rank how many smaller ones came before it, by a tree of sums (Fenwick 1994).
    int64_t increasing_pairs() {
        sums_.assign(references_.size() + 1, 0);
        int64_t found = 0;
        for (const auto& [at, rank] : ranks_) {
            for (size_t k = rank; k > 0; k -= k & (~k + 1)) found += sums_[k];
            for (size_t k = size_t{rank} + 1; k < sums_.size(); k += k & (~k + 1)) ++sums_[k];
        }
        return found;
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    Vocabulary vocabulary_;
    SharedPhrases forward_;
    std::vector<SharedPhrases::Phrase> right_, left_;
    std::vector<uint32_t> output_, reference_, turned_output_, turned_reference_;
    Symbols references_;
    std::vector<Word> known_;
    WordLinks ranks_;  // places of the output and of the reference
    std::vector<int64_t> sums_;
};

}  // namespace tertium
