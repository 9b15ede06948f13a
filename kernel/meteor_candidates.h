// Which words of two segments METEOR may match: the same, of the same stem, synonyms, paraphrases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "meteor_tables.h"

namespace tertium {

enum class MeteorStage : uint32_t { exact, stem, synonym, paraphrase };

struct MeteorMatch {  // words [start, start + length) of the output stand for [at, at + width) of the reference
    MeteorStage stage;
    uint32_t start, length, at, width;
};

// What the stages have to know about every word of a block of segments, by its number.
struct MeteorWords {
    std::vector<uint32_t> key;          // equal for words that METEOR takes for the same
    std::vector<uint32_t> stem;         // empty: no such stage
    NumberLists sets;                   // of synonyms; empty: no such stage
    uint32_t set_count = 0;
    const Paraphrases* paraphrases = nullptr;
    std::vector<uint32_t> phrase_word;  // numbers in the paraphrase table
};

// Small numbers for the hashes of words: equal ones for equal hashes.
inline std::vector<uint32_t> number_hashes(const std::vector<uint32_t>& hashes) {
    std::unordered_map<uint32_t, uint32_t, HashNumber> numbers;
    std::vector<uint32_t> result;
    result.reserve(hashes.size());
    for (const uint32_t hash : hashes)
        result.push_back(numbers.try_emplace(hash, static_cast<uint32_t>(numbers.size())).first->second);
    return result;
}

// Where the words of each group stand in a segment; a stamp instead of clearing.
class Places {
public:
    void open(size_t groups) { groups_.assign(groups, {}); }
    // `group`: of every word, or null where a word is its own group.
    void read(Symbols words, const std::vector<uint32_t>* group) {
        ++epoch_;
        starts_.assign(1, 0);
        present_.clear();
        for (const uint32_t word : words) {
            Group& here = groups_[group ? (*group)[word] : word];
            if (here.epoch != epoch_) {
                here = {epoch_, static_cast<uint32_t>(present_.size())};
                present_.push_back(word);
                starts_.push_back(0);
            }
            ++starts_[here.id + 1];
        }
        for (size_t k = 1; k < starts_.size(); ++k) starts_[k] += starts_[k - 1];
        filled_.assign(starts_.begin(), starts_.end() - 1);
        places_.resize(words.size());
        for (uint32_t i = 0; i < words.size(); ++i)
            places_[filled_[groups_[group ? (*group)[words[i]] : words[i]].id]++] = i;
    }
    Symbols operator[](uint32_t group) const {
        const Group& here = groups_[group];
        if (here.epoch != epoch_) return {};
        return {places_.data() + starts_[here.id], starts_[here.id + 1] - starts_[here.id]};
    }
    const std::vector<uint32_t>& present() const { return present_; }  // the first word of every group
    uint32_t id(uint32_t group) const { return groups_[group].id; }

private:
    struct Group {
        uint32_t epoch = 0, id = 0;
    };
    std::vector<Group> groups_;
    std::vector<uint32_t> present_, places_;
    std::vector<size_t> starts_, filled_;
    uint32_t epoch_ = 0;
};

// Every match that is possible between two segments, by the word of the reference; positions come from the words.
class MeteorCandidates {
public:
    explicit MeteorCandidates(const MeteorWords& words) : words_(words) {
        const auto most = [](const std::vector<uint32_t>& numbers) {
            return numbers.empty() ? size_t{0} : size_t{*std::max_element(numbers.begin(), numbers.end())} + 1;
        };
        keys_.open(most(words.key));
        stems_.open(most(words.stem));
        output_.open(words.key.size());
        reference_.open(words.key.size());
        set_members_.resize(words.set_count);
        seen_.resize(words.key.size());
    }

    void read(Symbols output, Symbols reference) {
        output_words_ = output;
        reference_words_ = reference;
        keys_.read(output, &words_.key);
        if (!words_.stem.empty()) stems_.read(output, &words_.stem);
        output_.read(output, nullptr);
        reference_.read(reference, nullptr);
        covered_.assign(output.size(), 0);
        covered_reference_.assign(reference.size(), 0);
        lists_.clear();
        bounds_.assign(1, 0);
        register_sets();
        for (const uint32_t word : reference_.present()) list(word);
        phrases_.clear();
        phrase_bounds_.assign(reference.size() + 1, 0);
        if (words_.paraphrases != nullptr) find_phrases(output);
    }

    // The single match at this position, if there is one and it competes with no other.
    const MeteorMatch* definite(uint32_t at) {
        const uint32_t word = reference_words_[at], id = reference_.id(word);
        const size_t phrases = phrase_bounds_[at + 1] - phrase_bounds_[at];
        const size_t singles = keys_[words_.key[word]].size() + bounds_[2 * id + 2] - bounds_[2 * id];
        if (singles + phrases != 1) return nullptr;
        gather(at, all_);
        definite_ = all_.front();
        const auto alone = [](const std::vector<size_t>& covered, uint32_t first, uint32_t count) {
            return std::all_of(covered.begin() + first, covered.begin() + first + count, [](size_t c) { return c == 1; });
        };
        const bool free = alone(covered_, definite_.start, definite_.length) &&
                          alone(covered_reference_, definite_.at, definite_.width);
        return free ? &definite_ : nullptr;
    }

    // All matches at this position, stage by stage, from left to right in the output. Of a word that occurs more
    // than `most` times only the occurrences nearest to the position: METEOR has no such limit, and no end either.
    void gather(uint32_t at, std::vector<MeteorMatch>& matches) const {
        matches.clear();
        const uint32_t word = reference_words_[at], id = reference_.id(word);
        const auto add = [&](MeteorStage stage, Symbols places) {
            for (const uint32_t i : nearest(places, at)) matches.push_back({stage, i, 1, at, 1});
        };
        const auto listed = [&](size_t k) { return Symbols(lists_).subspan(bounds_[k], bounds_[k + 1] - bounds_[k]); };
        add(MeteorStage::exact, keys_[words_.key[word]]);
        add(MeteorStage::stem, listed(2 * id));
        add(MeteorStage::synonym, listed(2 * id + 1));
        matches.insert(matches.end(), phrases_.begin() + static_cast<ptrdiff_t>(phrase_bounds_[at]),
                       phrases_.begin() + static_cast<ptrdiff_t>(phrase_bounds_[at + 1]));
    }

private:
    static constexpr size_t most = 512, most_phrases = 4096;
    static constexpr uint32_t none = UINT32_MAX;

    static Symbols nearest(Symbols places, uint32_t at) {
        if (places.size() <= most) return places;
        const auto here = static_cast<size_t>(std::lower_bound(places.begin(), places.end(), at) - places.begin());
        const size_t first = std::min(here - std::min(here, most / 2), places.size() - most);
        return places.subspan(first, most);
    }

    struct Member {  // a word of the output in a set of synonyms
        uint32_t word, next;
    };
    struct SetMembers {
        uint32_t epoch = 0, first = none;
    };

    void register_sets() {
        members_.clear();
        ++epoch_;
        if (words_.sets.size() == 0) return;
        for (const uint32_t word : output_.present())
            for (const uint32_t set : words_.sets[word]) {
                SetMembers& here = set_members_[set];
                if (here.epoch != epoch_) here = {epoch_, none};
                members_.push_back({word, here.first});
                here.first = static_cast<uint32_t>(members_.size() - 1);
            }
    }

    // Places of the output's words with the stem of a word of the reference, then of its synonyms.
    void list(uint32_t word) {
        const auto times = reference_[word].size();
        const uint32_t key = words_.key[word];
        const size_t start = lists_.size();
        if (!words_.stem.empty())
            for (const uint32_t i : stems_[words_.stem[word]])
                if (words_.key[output_words_[i]] != key) lists_.push_back(i);
        bounds_.push_back(lists_.size());
        if (words_.sets.size() != 0) {
            ++mark_;
            for (const uint32_t set : words_.sets[word]) {
                if (set_members_[set].epoch != epoch_) continue;
                for (uint32_t k = set_members_[set].first; k != none; k = members_[k].next) {
                    const uint32_t other = members_[k].word;
                    if (words_.key[other] == key || std::exchange(seen_[other], mark_) == mark_) continue;
                    const Symbols places = output_[other];
                    lists_.insert(lists_.end(), places.begin(), places.end());
                }
            }
            std::sort(lists_.begin() + static_cast<ptrdiff_t>(bounds_.back()), lists_.end());
        }
        bounds_.push_back(lists_.size());
        for (size_t k = start; k < lists_.size(); ++k) covered_[lists_[k]] += times;
        const Symbols same = keys_[key];
        for (const uint32_t i : same) covered_[i] += times;
        for (const uint32_t j : reference_[word]) covered_reference_[j] += same.size() + lists_.size() - start;
    }

    void find_phrases(Symbols output) {
        const auto translate = [&](Symbols words, std::vector<uint32_t>& numbers) {
            numbers.clear();
            for (const uint32_t word : words) numbers.push_back(words_.phrase_word[word]);
        };
        translate(output, output_phrase_);
        translate(reference_words_, reference_phrase_);
        by_phrase_word_.clear();
        for (uint32_t i = 0; i < output_phrase_.size(); ++i) by_phrase_word_[output_phrase_[i]].push_back(i);
        for (uint32_t at = 0; at < reference_phrase_.size(); ++at) {
            const size_t start = phrases_.size();
            words_.paraphrases->visit_phrases(reference_phrase_, at, [&](size_t width, uint32_t entry) {
                const Symbols other = (*words_.paraphrases)[entry];
                const auto found = by_phrase_word_.find(other.front());
                if (found == by_phrase_word_.end()) return true;
                for (const uint32_t i : nearest(found->second, at)) {
                    if (other.size() > output.size() - i || !std::equal(other.begin(), other.end(), output_phrase_.begin() + i))
                        continue;
                    phrases_.push_back({MeteorStage::paraphrase, i, static_cast<uint32_t>(other.size()), at, static_cast<uint32_t>(width)});
                    for (size_t k = 0; k < other.size(); ++k) ++covered_[i + k];
                    for (size_t k = 0; k < width; ++k) ++covered_reference_[at + k];
                }
                return phrases_.size() - start < most_phrases;
            });
            phrase_bounds_[at + 1] = phrases_.size();
        }
    }

    const MeteorWords& words_;
    Symbols output_words_, reference_words_;
    Places keys_, stems_, output_, reference_;
    std::vector<size_t> covered_, covered_reference_;  // by how many matches
    std::vector<uint32_t> lists_;                      // for each word of the reference: stems, synonyms
    std::vector<size_t> bounds_, phrase_bounds_;
    std::vector<Member> members_;
    std::vector<SetMembers> set_members_;
    std::vector<uint32_t> seen_;
    uint32_t epoch_ = 0, mark_ = 0;
    std::vector<MeteorMatch> phrases_, all_;
    MeteorMatch definite_{};
    std::vector<uint32_t> output_phrase_, reference_phrase_;
    std::unordered_map<uint32_t, std::vector<uint32_t>, HashNumber> by_phrase_word_;
};

}  // namespace tertium
