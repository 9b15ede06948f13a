// Which n-grams of an output its references have, one by one: what the sums of NgramMatcher are made of, for people to
// look at. All texts' n-grams of one length are sorted together, so nothing is hashed and equal means equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ngrams.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

class NgramList {
public:
    struct Ngram {
        uint32_t text, at;  // where it is met first: the output is text 0, references follow
    };

    // Numbers of all texts; equal symbols, whatever text they are in, have equal numbers. `shared`: only n-grams are of
    // interest that the output and a reference have.
    void open(std::vector<Symbols> texts, bool shared) {
        texts_ = std::move(texts);
        shared_ = shared;
        order_ = 0;
        entries_.clear();
        for (uint32_t t = 0; t < texts_.size(); ++t)
            for (uint32_t at = 0; at < texts_[t].size(); ++at) entries_.push_back({0, t, at});
        numbers_.assign(texts_[0].size(), none);
    }

    // The n-grams of the next length; false if there are none.
    bool next() {
        size_t kept = 0;
        for (Entry entry : entries_) {  // longer ones begin with those of the length before
            if (entry.at + order_ >= texts_[entry.text].size() || (shared_ && order_ > 0 && !is_shared(static_cast<uint32_t>(entry.key)))) continue;
            entry.key = (order_ > 0 ? entry.key << 32 : 0) | texts_[entry.text][entry.at + order_];
            entries_[kept++] = entry;
        }
        entries_.resize(kept);
        ++order_;
        std::sort(entries_.begin(), entries_.end());
        ngrams_.clear();
        counts_.clear();
        std::fill(numbers_.begin(), numbers_.end(), none);
        uint64_t before = 0;
        for (Entry& entry : entries_) {
            if (ngrams_.empty() || entry.key != before) {
                before = entry.key;
                ngrams_.push_back({entry.text, entry.at});
                counts_.resize(counts_.size() + texts_.size(), 0);
            }
            const auto number = static_cast<uint32_t>(ngrams_.size() - 1);
            ++counts_[number * texts_.size() + entry.text];
            if (entry.text == 0) numbers_[entry.at] = number;
            entry.key = number;
        }
        return !ngrams_.empty();
    }
    size_t order() const { return order_; }
    size_t texts() const { return texts_.size(); }
    const std::vector<Ngram>& ngrams() const { return ngrams_; }
    uint32_t count(uint32_t ngram, size_t text) const { return counts_[ngram * texts_.size() + text]; }
    // How often the reference has it that has it most.
    uint32_t most(uint32_t ngram) const {
        uint32_t most = 0;
        for (size_t t = 1; t < texts_.size(); ++t) most = std::max(most, count(ngram, t));
        return most;
    }
    // Which n-gram begins at a place of the output.
    uint32_t ngram_at(uint32_t at) const { return numbers_[at]; }
    static constexpr uint32_t none = ~uint32_t{0};

private:
    struct Entry {
        uint64_t key;
        uint32_t text, at;
        auto operator<=>(const Entry&) const = default;
    };
    bool is_shared(uint32_t ngram) const { return count(ngram, 0) > 0 && most(ngram) > 0; }

    size_t order_ = 0;
    bool shared_ = false;
    std::vector<Symbols> texts_;
    std::vector<Entry> entries_;  // where n-grams begin; the key is the number of one, in between
    std::vector<Ngram> ngrams_;
    std::vector<uint32_t> counts_;   // by n-gram and text
    std::vector<uint32_t> numbers_;  // by place of the output
};

// A run of the output's symbols, and the longest n-gram that counts and has them; 0 for one that is clipped, with how
// often the output says it and how often a reference does.
struct MatchedRun {
    uint32_t order = 0, first = 0, last = 0, said = 0, most = 0;  // [first, last)
};

// Of equal n-grams the first ones count, as many as a reference has. Runs end where no n-gram of that length goes on,
// unless `joined`.
inline void match_runs(NgramList& list, size_t length, size_t longest, bool joined, std::vector<MatchedRun>& runs) {
    std::vector<uint32_t> order(length, 0), bridge(length, 0);  // bridge: the longest that has this symbol and the next
    std::vector<MatchedRun> clipped(length);
    std::vector<uint32_t> seen;
    for (uint32_t n = 1; n <= longest && list.next(); ++n) {
        seen.assign(list.ngrams().size(), 0);
        for (uint32_t at = 0; at < length; ++at) {
            const uint32_t ngram = list.ngram_at(at);
            if (ngram == NgramList::none) continue;
            const uint32_t most = list.most(ngram);
            if (++seen[ngram] <= most) {
                for (uint32_t k = at; k < at + n; ++k) order[k] = n;
                for (uint32_t k = at; k + 1 < at + n; ++k) bridge[k] = n;
            } else if (n == 1 && most > 0) {
                clipped[at] = {0, at, at + 1, list.count(ngram, 0), most};
            }
        }
    }
    runs.clear();
    for (uint32_t at = 0; at < length; ++at) {
        if (order[at] == 0) {
            if (clipped[at].most > 0) runs.push_back(clipped[at]);
        } else if (!runs.empty() && runs.back().last == at && runs.back().order == order[at] && (joined || bridge[at - 1] == order[at])) {
            ++runs.back().last;
        } else {
            runs.push_back({order[at], at, at + 1, 0, 0});
        }
    }
}

// Words of an output and its references as numbers.
class WordTexts {
public:
    WordTexts(TokenizerOptions outputs, TokenizerOptions references) : options_(references), output_(outputs) {}

    // The words of the output; they live until the next call.
    const Words& read(std::string_view output, std::span<const std::string_view> references, NgramList& list, bool shared) {
        while (references_.size() < references.size()) references_.emplace_back(options_);
        const Words& words = output_(output);
        std::vector<const Words*> all = {&words};
        size_t size = words.size();
        for (size_t r = 0; r < references.size(); ++r) size += all.emplace_back(&references_[r](references[r]))->size();
        vocabulary_.reset(size);
        numbers_.resize(all.size());
        std::vector<Symbols> texts;
        for (size_t t = 0; t < all.size(); ++t) texts.push_back(vocabulary_.add(*all[t], numbers_[t]));
        words_ = std::move(all);
        list.open(std::move(texts), shared);
        return words;
    }
    std::string text(const NgramList::Ngram& ngram, size_t order) const {
        std::string joined;
        for (size_t k = 0; k < order; ++k) {
            if (k > 0) joined += ' ';
            joined += (*words_[ngram.text])[ngram.at + k];
        }
        return joined;
    }

private:
    TokenizerOptions options_;
    Tokenizer output_;
    std::vector<Tokenizer> references_;
    std::vector<const Words*> words_;
    Vocabulary vocabulary_;
    std::vector<std::vector<uint32_t>> numbers_;
};

// Characters of an output and a reference as numbers: their code points, and at which character of the text each stands.
class CharacterTexts {
public:
    CharacterTexts(bool lowercase, bool whitespace) : lowercase_(lowercase), whitespace_(whitespace) {}

    void read(std::string_view output, std::string_view reference, NgramList& list, bool shared) {
        number(output, 0);
        number(reference, 1);
        list.open({symbols_[0], symbols_[1]}, shared);
    }
    const std::string& output() const { return text_[0]; }
    const std::vector<uint32_t>& places() const { return places_; }  // of the output's symbols
    size_t size() const { return symbols_[0].size(); }
    std::string text(const NgramList::Ngram& ngram, size_t order) const {
        std::string joined;
        for (size_t k = 0; k < order; ++k) append_utf8(joined, symbols_[ngram.text][ngram.at + k]);
        return joined;
    }

private:
    void number(std::string_view given, size_t side) {
        std::string& text = text_[side];
        if (lowercase_)
            lower_utf8(given, text);
        else
            text.assign(given);
        symbols_[side].clear();
        if (side == 0) places_.clear();
        const char* at = text.data();
        const char* const end = at + text.size();
        for (uint32_t place = 0; at < end; ++place) {
            const char32_t c = decode_utf8(at, end);
            if (!whitespace_ && is_space(c)) continue;
            symbols_[side].push_back(static_cast<uint32_t>(c));
            if (side == 0) places_.push_back(place);
        }
    }

    bool lowercase_, whitespace_;
    std::string text_[2];
    std::vector<uint32_t> symbols_[2], places_;
};

}  // namespace tertium
