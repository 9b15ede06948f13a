// What is counted for one segment: an output against its references. Each class keeps the memory it needs from
// segment to segment; one object serves one thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edits.h"
#include "ngrams.h"
#include "ter.h"
#include "tokenize.h"
#include "vocabulary.h"

namespace tertium {

// Clipped word n-grams (BLEU; the words of chrF++).
class WordNgrams {
public:
    WordNgrams(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    // Fills matches per order and the length of every reference in words; returns the output's length.
    int64_t count(std::string_view output, std::span<const std::string_view> references, std::span<int64_t> matches,
                  std::span<int64_t> reference_lengths) {
        const Words& words = tokenize_output_(output);
        vocabulary_.reset(words.size());
        const Symbols numbers = vocabulary_.add(words, output_);
        if (references_.size() < references.size()) references_.resize(references.size());
        symbols_.clear();
        for (size_t r = 0; r < references.size(); ++r) {
            symbols_.push_back(vocabulary_.find(tokenize_reference_(references[r]), references_[r]));
            reference_lengths[r] = static_cast<int64_t>(symbols_[r].size());
        }
        matcher_.match(numbers, symbols_, matches);
        return static_cast<int64_t>(numbers.size());
    }

private:
    Tokenizer tokenize_output_, tokenize_reference_;
    Vocabulary vocabulary_;
    NgramMatcher matcher_;
    std::vector<uint32_t> output_;
    std::vector<std::vector<uint32_t>> references_;
    std::vector<Symbols> symbols_;
};

// Texts as sequences of characters.
class Characters {
public:
    Characters(bool lowercase, bool whitespace) : lowercase_(lowercase), whitespace_(whitespace) {}

    // Numbers for the characters of the output, and for those of the reference: for all of them, or only for those
    // that the output has (0 for the others).
    template <bool all>
    void number(std::string_view output, std::string_view reference) {
        alphabet_.reset();
        each(output, output_, [&](char32_t c, bool kept) { return alphabet_.add(c, kept); });
        if constexpr (all)
            each(reference, reference_, [&](char32_t c, bool kept) { return alphabet_.add(c, kept); });
        else
            each(reference, reference_, [&](char32_t c, bool) { return alphabet_.find(c); });
    }
    Symbols output() const { return output_; }
    Symbols reference() const { return reference_; }
    uint32_t size() const { return alphabet_.size(); }

private:
    template <class Number>
    void each(std::string_view text, std::vector<uint32_t>& symbols, Number number) {
        if (lowercase_) {
            lower_utf8(text, lowered_);
            text = lowered_;
        }
        symbols.resize(text.size());
        size_t size = 0;
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at < end;) {
            const char32_t c = decode_utf8(at, end);
            const bool kept = whitespace_ | !is_space(c);  // stored anyway: where spaces stand nobody can predict
            symbols[size] = number(c, kept);
            size += kept;
        }
        symbols.resize(size);
    }

    bool lowercase_, whitespace_;
    std::string lowered_;
    Alphabet alphabet_;
    std::vector<uint32_t> output_, reference_;
};

// Clipped character n-grams (chrF).
class CharacterNgrams {
public:
    CharacterNgrams(bool lowercase, bool whitespace) : characters_(lowercase, whitespace) {}

    // Fills matches per order; returns the lengths of output and reference in characters.
    std::pair<int64_t, int64_t> count(std::string_view output, std::string_view reference, std::span<int64_t> matches) {
        characters_.number<false>(output, reference);
        const Symbols symbols = characters_.reference();
        matcher_.match_characters(characters_.output(), symbols, matches);
        return {static_cast<int64_t>(characters_.output().size()), static_cast<int64_t>(symbols.size())};
    }

private:
    Characters characters_;
    NgramMatcher matcher_;
};

// Character edits of an output against one reference (CER): stripped, the spaces inside count.
class CharacterEdits {
public:
    explicit CharacterEdits(bool lowercase) : characters_(lowercase, true) {}

    EditCounts align(std::string_view output, std::string_view reference, std::string* operations = nullptr) {
        using detail::strip_left, detail::strip_right;
        characters_.number<true>(strip_left(strip_right(output)), strip_left(strip_right(reference)));
        return edits_.align(characters_.reference(), characters_.output(), characters_.size(), operations);
    }

private:
    Characters characters_;
    EditDistance edits_;
};

// Word edits of an output against one reference (WER, TER).
class WordEdits {
public:
    WordEdits(TokenizerOptions outputs, TokenizerOptions references) : tokenize_output_(outputs), tokenize_reference_(references) {}

    EditCounts align(std::string_view output, std::string_view reference, std::string* operations = nullptr) {
        const Words& reference_words = tokenize_reference_(reference);
        vocabulary_.reset(reference_words.size());
        const Symbols references = vocabulary_.add(reference_words, reference_);
        const Symbols outputs = vocabulary_.find(tokenize_output_(output), output_);  // 0 equals no word of the reference
        return edits_.align(references, outputs, vocabulary_.size(), operations);
    }

    // Edits with shifts, and the reference's length.
    std::pair<int64_t, int64_t> translation_edits(std::string_view output, std::string_view reference) {
        const auto [outputs, references] = number(output, reference);
        return {translation_.count(outputs, references, vocabulary_.size()), static_cast<int64_t>(references.size())};
    }

    // Which words stand against each other, with shifts or without, in the reference's order; returns the words of both
    // sides. The shifts can be asked for.
    WordPair link(std::string_view output, std::string_view reference, bool shifts, WordLinks& links) {
        const Words& output_words = tokenize_output_(output);
        const Words& reference_words = tokenize_reference_(reference);
        const auto [outputs, references] = number(output_words, reference_words);
        if (shifts) {
            translation_.count(outputs, references, vocabulary_.size(), &links, &moves_);
        } else {
            edits_.align(references, outputs, vocabulary_.size(), &operations_);
            uint32_t i = 0, j = 0;
            for (const char operation : operations_) {
                if (operation == '=' || operation == 'S') links.emplace_back(i, j);
                i += operation != 'D';
                j += operation != 'I';
            }
        }
        return {output_words, reference_words};
    }
    const std::vector<TranslationEdits::Move>& moves() const { return moves_; }  // of the last pair that was linked

private:
    std::pair<Symbols, Symbols> number(std::string_view output, std::string_view reference) {
        const Words& output_words = tokenize_output_(output);
        return number(output_words, tokenize_reference_(reference));
    }
    std::pair<Symbols, Symbols> number(const Words& output_words, const Words& reference_words) {
        vocabulary_.reset(output_words.size() + reference_words.size());
        const Symbols outputs = vocabulary_.add(output_words, output_);
        return {outputs, vocabulary_.add(reference_words, reference_)};
    }

    Tokenizer tokenize_output_, tokenize_reference_;
    Vocabulary vocabulary_;
    EditDistance edits_;
    TranslationEdits translation_;
    std::vector<TranslationEdits::Move> moves_;
    std::string operations_;
    std::vector<uint32_t> output_, reference_;
};

}  // namespace tertium
