// Every output against every reference: texts are read once, as numbers over an alphabet that all of them share, and
// n-grams are found through an index of the references. Of matrices with one plane for every count.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "lines.h"
#include "ngrams.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

// Texts one after the other as numbers 1, 2, 3 ...; a missing text has none.
struct Sequences {
    std::vector<uint32_t> symbols;
    std::vector<size_t> starts{0};  // of every text, and the end of the last

    size_t count() const { return starts.size() - 1; }
    Symbols operator[](size_t i) const { return {symbols.data() + starts[i], starts[i + 1] - starts[i]}; }
};

// Two sides over one alphabet.
struct Sides {
    Sequences outputs, references;
    uint32_t alphabet = 0;  // every number is at most this
};

inline bool is_same(const LinesView& a, const LinesView& b) {
    return a.data == b.data && a.starts == b.starts && a.ends == b.ends && a.missing == b.missing && a.count == b.count;
}

// Words of both sides, read once if they are the same. They are copied first, because a tokenizer uses its memory
// again for the next line.
inline Sides number_words(const LinesView& outputs, const LinesView& references, TokenizerOptions options,
                          TokenizerOptions reference_options, bool same) {
    std::string text;
    std::vector<size_t> ends;  // of the words in it
    const auto read = [&](const LinesView& lines, TokenizerOptions how, Sequences& side) {
        Tokenizer tokenize(how);
        const size_t before = ends.size();
        for (size_t i = 0; i < lines.count; ++i) {
            if (lines.has(i))
                for (const std::string_view word : tokenize(lines[i])) {
                    text.append(word);
                    ends.push_back(text.size());
                }
            side.starts.push_back(ends.size() - before);
        }
    };
    Sides sides;
    read(outputs, options, sides.outputs);
    if (!same) read(references, reference_options, sides.references);
    text.append(readable_bytes, '\0');
    Words words;
    words.open(ends.size());
    size_t start = 0;
    for (const size_t end : ends) {
        words.push_back(std::string_view(text).substr(start, end - start));
        start = end;
    }
    Vocabulary vocabulary;
    vocabulary.reset(words.size());
    std::vector<uint32_t> room;
    const Symbols numbers = vocabulary.add(words, room);
    const size_t middle = sides.outputs.starts.back();
    sides.outputs.symbols.assign(numbers.begin(), numbers.begin() + static_cast<ptrdiff_t>(middle));
    sides.references.symbols.assign(numbers.begin() + static_cast<ptrdiff_t>(middle), numbers.end());
    if (same) sides.references = sides.outputs;
    sides.alphabet = vocabulary.size();
    return sides;
}

// Characters of both sides: without white space, or with it; CER strips the ends first.
inline Sides number_characters(const LinesView& outputs, const LinesView& references, bool lowercase, bool whitespace, bool strip) {
    Alphabet alphabet;
    alphabet.reset();
    std::string lowered;
    const auto read = [&](const LinesView& lines, Sequences& side) {
        for (size_t i = 0; i < lines.count; ++i) {
            std::string_view text = lines.has(i) ? lines[i] : std::string_view();
            if (strip) text = detail::strip_left(detail::strip_right(text));
            if (lowercase) {
                lower_utf8(text, lowered);
                text = lowered;
            }
            const char* const end = text.data() + text.size();
            for (const char* at = text.data(); at < end;) {
                const char32_t c = decode_utf8(at, end);
                if (whitespace || !is_space(c)) side.symbols.push_back(alphabet.add(c));
            }
            side.starts.push_back(side.symbols.size());
        }
    };
    Sides sides;
    read(outputs, sides.outputs);
    if (is_same(outputs, references))
        sides.references = sides.outputs;
    else
        read(references, sides.references);
    sides.alphabet = alphabet.size();
    return sides;
}

// Clipped n-gram matches, order by order. As in ngrams.h, an n-gram is known by its first n-1 symbols and its last,
// and positions that the other side lacks go no further. Every n-gram of the references has a list of those that have
// it, and how often: an output meets only the references it shares an n-gram with.
class PairNgrams {
public:
    explicit PairNgrams(const Sides& sides) : outputs_(sides.outputs), references_(sides.references) {
        if (outputs_.symbols.size() + references_.symbols.size() > max_symbols)
            throw std::length_error("the texts to compare have more than " + std::to_string(max_symbols) +
                                    " symbols; pass fewer at a time");
        open(outputs_, output_positions_);
        open(references_, reference_positions_);
    }

    // Matches of the next order, the first being 1: for every output a row of all references.
    void next(double* matches) {
        std::vector<uint32_t> sums(references_.count());
        advance([&] { index(); }, [&](size_t i) {
            std::fill(sums.begin(), sums.end(), 0);
            for (const Counted here : bag_)
                for (size_t p = lists_[here.what]; p < lists_[here.what + 1]; ++p)
                    sums[postings_[p].what] += std::min(here.times, postings_[p].times);
            std::copy(sums.begin(), sums.end(), matches + i * references_.count());
        });
    }

    // The same against one text that stands for all: it has of every n-gram what the references have, each times its
    // weight, so nobody asks which references those are. Calls `give(i, matches)` for every output.
    template <class Give>
    void next_of_mean(const double* weights, Give give) {
        std::vector<double> mean;
        const auto weigh = [&] {
            mean.clear();
            number([&](const Slot& slot, uint32_t reference) {
                if (slot.ngram == mean.size()) mean.push_back(0);
                mean[slot.ngram] += weights[reference];
            });
        };
        advance(weigh, [&](size_t i) {
            double sum = 0;
            for (const Counted here : bag_) sum += std::min(static_cast<double>(here.times), mean[here.what]);
            give(i, sum);
        });
    }

private:
    static constexpr size_t max_symbols = size_t{1} << 30;
    static constexpr uint32_t none = ~uint32_t{0};

    struct Counted {
        uint32_t what, times;  // an n-gram of a text, or a text that has an n-gram
    };
    struct Slot {
        uint64_t key = 0;
        uint32_t ngram = none;  // none: the slot is free
        uint32_t found = none;  // its latest entry in found_
    };
    // The n-grams of a side that can still grow: where they begin, and their numbers.
    struct Positions {
        std::vector<uint32_t> at, ngram;
        std::vector<size_t> starts;  // of every text, and the end of the last

        template <class Rule>
        void keep(Rule rule) {
            size_t kept = 0, p = 0;
            for (size_t i = 0; i + 1 < starts.size(); ++i) {
                starts[i] = kept;
                for (; p < starts[i + 1]; ++p) {
                    at[kept] = at[p];
                    ngram[kept] = ngram[p];
                    kept += rule(ngram[p]);
                }
            }
            starts.back() = kept;
        }
    };

    // Goes on to the next order: calls `read()`, which numbers the references' n-grams, then `visit(i)` for every output
    // when its own are in the bag.
    template <class Read, class Visit>
    void advance(Read read, Visit visit) {
        ++order_;
        read();
        std::vector<char> met(ngrams_, 0);  // n-grams that some output has
        place_.assign(ngrams_, none);
        walk(outputs_, output_positions_, [&](size_t i, auto&& each) {
            bag_.clear();
            each([&](uint64_t key) { return count(locate(key).ngram); });
            for (const Counted here : bag_) {
                met[here.what] = 1;
                place_[here.what] = none;
            }
            visit(i);
        });
        reference_positions_.keep([&](uint32_t ngram) { return met[ngram] != 0; });
    }

    static void open(const Sequences& texts, Positions& positions) {
        positions.starts = texts.starts;
        positions.ngram.assign(texts.symbols.size(), 0);
        for (size_t i = 0; i < texts.count(); ++i)
            for (uint32_t at = 0; at < texts[i].size(); ++at) positions.at.push_back(at);
    }

    // Calls `visit(i, each)` for every text: `each(number)` gives all its positions the number of their key, or drops
    // them where that is none.
    template <class Visit>
    void walk(const Sequences& texts, Positions& positions, Visit visit) const {
        size_t kept = 0, p = 0;
        for (size_t i = 0; i < texts.count(); ++i) {
            const Symbols text = texts[i];
            const size_t stop = positions.starts[i + 1];
            positions.starts[i] = kept;
            visit(i, [&](auto&& number) {
                for (; p < stop; ++p) {
                    const size_t last = positions.at[p] + order_ - 1;
                    if (last >= text.size()) continue;
                    const uint32_t ngram = number(static_cast<uint64_t>(positions.ngram[p]) << 32 | text[last]);
                    positions.at[kept] = positions.at[p];
                    positions.ngram[kept] = ngram;
                    kept += ngram != none;
                }
            });
        }
        positions.starts.back() = kept;
    }

    Slot& locate(uint64_t key) {
        size_t at = hash_ngram(key, by_) >> shift_;
        while ((slots_[at].ngram != none) & (slots_[at].key != key)) at = (at + 1) & mask_;
        return slots_[at];
    }

    // Numbers the references' n-grams, and calls `seen(slot, reference)` at each place where one is.
    template <class Seen>
    void number(Seen seen) {
        const size_t capacity = std::bit_ceil(std::max<size_t>(64, 2 * reference_positions_.starts.back()));
        mask_ = capacity - 1;
        shift_ = 64 - static_cast<unsigned>(std::countr_zero(capacity));
        slots_.assign(capacity, Slot{});
        ngrams_ = 0;
        walk(references_, reference_positions_, [&](size_t j, auto&& each) {
            each([&](uint64_t key) {
                Slot& slot = locate(key);
                if (slot.ngram == none) slot = {key, ngrams_++, none};
                seen(slot, static_cast<uint32_t>(j));
                return slot.ngram;
            });
        });
    }

    // Numbers them and lists the references of each.
    void index() {
        found_.clear();
        number([&](Slot& slot, uint32_t reference) {
            if (slot.found != none && found_[slot.found].posting.what == reference) {
                ++found_[slot.found].posting.times;
            } else {
                slot.found = static_cast<uint32_t>(found_.size());
                found_.push_back({slot.ngram, {reference, 1}});
            }
        });
        lists_.assign(ngrams_ + size_t{2}, 0);  // one ahead, so that filling moves every start to its place
        for (const Found& one : found_) ++lists_[one.ngram + 2];
        for (size_t k = 2; k < lists_.size(); ++k) lists_[k] += lists_[k - 1];
        postings_.resize(found_.size());
        for (const Found& one : found_) postings_[lists_[one.ngram + 1]++] = one.posting;
    }

    // One more of an n-gram in the output under way.
    uint32_t count(uint32_t ngram) {
        if (ngram == none) return none;
        if (place_[ngram] == none) {
            place_[ngram] = static_cast<uint32_t>(bag_.size());
            bag_.push_back({ngram, 0});
        }
        ++bag_[place_[ngram]].times;
        return ngram;
    }

    struct Found {
        uint32_t ngram;
        Counted posting;
    };

    const Sequences& outputs_;
    const Sequences& references_;
    size_t order_ = 0;
    Positions output_positions_, reference_positions_;
    std::vector<Slot> slots_;
    size_t mask_ = 0;
    unsigned shift_ = 0;
    const Secrets by_ = secrets;
    uint32_t ngrams_ = 0;            // how many different ones the references have
    std::vector<Found> found_;       // in the order of the references
    std::vector<size_t> lists_;      // where the postings of an n-gram begin
    std::vector<Counted> postings_;  // references and how often they have it
    std::vector<Counted> bag_;       // the n-grams of the output under way
    std::vector<uint32_t> place_;    // where in the bag an n-gram is
};

// Numbers of two texts as 1, 2, 3 ... again: what is sized by the alphabet is then sized by the pair.
class PairNumbers {
public:
    explicit PairNumbers(const Sides& sides) : alphabet_(sides.alphabet), known_(size_t{sides.alphabet} + 1) {}

    // The two texts and the largest number in them; as they are where their alphabet is no longer than they are.
    std::tuple<Symbols, Symbols, uint32_t> operator()(Symbols output, Symbols reference) {
        if (alphabet_ <= output.size() + reference.size()) return {output, reference, alphabet_};
        if (++pair_ == 0) {
            known_.assign(known_.size(), Known{});
            pair_ = 1;
        }
        size_ = 0;
        number(output, output_);
        number(reference, reference_);
        return {output_, reference_, size_};
    }

private:
    struct Known {
        uint32_t pair = 0, number = 0;
    };

    void number(Symbols text, std::vector<uint32_t>& numbers) {
        numbers.resize(text.size());
        for (size_t k = 0; k < text.size(); ++k) {
            Known& known = known_[text[k]];
            if (known.pair != pair_) known = {pair_, ++size_};
            numbers[k] = known.number;
        }
    }

    uint32_t alphabet_, pair_ = 0, size_ = 0;
    std::vector<Known> known_;
    std::vector<uint32_t> output_, reference_;
};

}  // namespace tertium
