// METEOR 1.5's alignment (Denkowski and Lavie 2014): most matches, then fewest chunks, then the smallest distance, as
// its beam search finds it. The beam, the order of candidates, what the search counts as a match and the path on which
// it books a distance are part of the definition; they decide among alignments that are equally good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "meteor_candidates.h"

namespace tertium {

class MeteorAligner {
public:
    explicit MeteorAligner(const MeteorWords& words) : words_(words), candidates_(words) {}

    // The matches from left to right in the reference; valid until the next call.
    const std::vector<MeteorMatch>& align(Symbols output, Symbols reference) {
        result_.clear();
        if (output.empty() || reference.empty()) return result_;
        const auto same = [this](uint32_t a, uint32_t b) { return words_.key[a] == words_.key[b]; };
        if (std::equal(output.begin(), output.end(), reference.begin(), reference.end(), same)) {
            // What the search would find: on the first path each word's first free match is the next word.
            for (uint32_t k = 0; k < output.size(); ++k) result_.push_back({MeteorStage::exact, k, 1, k, 1});
            return result_;
        }
        candidates_.read(output, reference);
        start(output.size(), reference.size());
        for (uint32_t at = 0; at < reference.size(); ++at) {
            if (fixed_[at].length > 0)
                for (Path& path : paths_) take_fixed(path, fixed_[at]);
            else if (!closed_[at])
                extend(at);
            else
                continue;
            sort_paths();
        }
        finish();
        return result_;
    }

private:
    static constexpr size_t beam = 40;
    static constexpr int64_t nowhere = -1;
    static constexpr unsigned order_bits = 18;  // a beam of paths with as many candidates as there can be

    struct Rank {  // METEOR's order of preference: most matches, fewest chunks, smallest distance; less is better
        int64_t score = 0, distance = 0;

        void add(int64_t gain, bool chunk) { score += int64_t{chunk} - gain * (int64_t{1} << 32); }
        bool operator<(const Rank& other) const { return score != other.score ? score < other.score : distance < other.distance; }
    };
    struct Path {
        Rank rank;
        int64_t behind = nowhere;  // where the last match ends in the output; nowhere behind a gap
        uint32_t next = 0;         // the first word of the reference that is not decided
        int32_t last = -1;         // the last of its steps
        uint32_t room = 0;         // which words of the output it has used

        Rank rank_with(const MeteorMatch& match) const {
            Rank with = rank;
            with.add(gain_of(match), behind != nowhere && behind != match.start);
            return with;
        }
        void take(const MeteorMatch& match) {
            rank = rank_with(match);
            behind = match.start + match.length;
            next = match.at + match.width;
        }
        void skip() {
            rank.add(0, behind != nowhere);
            behind = nowhere;
        }
    };
    struct Step {
        MeteorMatch match;
        int32_t before;
    };
    struct Child {
        int64_t score;
        uint64_t tie;  // the distance, then the order in which children came
        uint32_t parent;
        int32_t match;  // of the position's candidates; -1: none

        bool operator<(const Child& other) const { return score != other.score ? score < other.score : tie < other.tie; }
    };

    // Words that are not the same count half, and METEOR rounds every sum down: a single one counts nothing.
    static int64_t gain_of(const MeteorMatch& match) {
        return match.stage == MeteorStage::exact ? 2 : int64_t{match.length / 2} + int64_t{match.width / 2};
    }
    static int64_t distance(const MeteorMatch& match) {
        return std::abs(static_cast<int64_t>(match.at) - static_cast<int64_t>(match.start));
    }
    static void take_fixed(Path& path, const MeteorMatch& match) {
        path.take(match);
        path.rank.distance += distance(match);
    }

    // Fixes the matches that compete with no other.
    void start(size_t output, size_t reference) {
        blocks_ = (output + 63) / 64;
        used_.assign(beam * blocks_, 0);
        other_used_.resize(beam * blocks_);
        fixed_.assign(reference, {});
        closed_.assign(reference, false);
        steps_.clear();
        for (uint32_t at = 0; at < reference; ++at) {
            const MeteorMatch* const match = candidates_.definite(at);
            if (match == nullptr) continue;
            fixed_[at] = *match;
            std::fill_n(closed_.begin() + at, match->width, true);
            mark(used_.data(), *match);
        }
        paths_.assign(1, Path{});
    }

    static void mark(uint64_t* used, const MeteorMatch& match) {
        for (uint32_t i = match.start; i < match.start + match.length; ++i) used[i / 64] |= uint64_t{1} << (i % 64);
    }
    static bool is_used(const uint64_t* used, const MeteorMatch& match) {
        for (uint32_t i = match.start; i < match.start + match.length; ++i)
            if (used[i / 64] >> (i % 64) & 1) return true;
        return false;
    }

    // Every path with every match that begins here, and without one; the best of them all stay.
    void extend(uint32_t at) {
        candidates_.gather(at, matches_);
        if (words_.paraphrases != nullptr)
            std::erase_if(matches_, [this](const MeteorMatch& match) {
                return std::find(closed_.begin() + match.at, closed_.begin() + match.at + match.width, true) !=
                       closed_.begin() + match.at + match.width;
            });
        children_.clear();
        order_ = 0;
        worst_ = {INT64_MAX, UINT64_MAX, 0, 0};
        bool branched = false;
        for (uint32_t k = 0; k < paths_.size(); ++k) {
            Path& path = paths_[k];
            if (path.next == at) {
                branched |= branch(k);
                path.skip();
                ++path.next;
            }
            push(path.rank, k, -1);
        }
        if (!branched) return;
        const size_t kept = std::min(beam, children_.size());
        if (kept < children_.size()) std::nth_element(children_.begin(), children_.begin() + (beam - 1), children_.end());
        std::sort(children_.begin(), children_.begin() + static_cast<ptrdiff_t>(kept));
        other_paths_.resize(kept);
        for (size_t k = 0; k < kept; ++k) adopt(children_[k], k);
        paths_.swap(other_paths_);
        used_.swap(other_used_);
    }

    // Paths that take a match. Its distance is booked on the path it leaves, not on its own: a slip of the program's
    // that decides among equals.
    bool branch(uint32_t parent) {
        Path& path = paths_[parent];
        const uint64_t* const used = used_.data() + path.room * blocks_;
        bool any = false;
        for (size_t k = 0; k < matches_.size(); ++k) {
            const MeteorMatch& match = matches_[k];
            if (match.length == 1 ? used[match.start / 64] >> (match.start % 64) & 1 : is_used(used, match)) continue;
            push(path.rank_with(match), parent, static_cast<int32_t>(k));
            path.rank.distance += distance(match);
            any = true;
        }
        return any;
    }

    // Keeps a child that may be among the best; of equals the first is better, so those that come later are lost.
    void push(const Rank& rank, uint32_t parent, int32_t match) {
        const Child child = {rank.score, static_cast<uint64_t>(rank.distance) << order_bits | order_++, parent, match};
        if (!(child < worst_)) return;
        children_.push_back(child);
        if (children_.size() < 2 * beam) return;
        std::nth_element(children_.begin(), children_.begin() + (beam - 1), children_.end());
        children_.resize(beam);
        worst_ = children_.back();
    }

    void adopt(const Child& child, size_t room) {
        uint64_t* const used = other_used_.data() + room * blocks_;
        Path& path = other_paths_[room] = paths_[child.parent];
        const uint64_t* const before = used_.data() + path.room * blocks_;
        for (size_t k = 0; k < blocks_; ++k) used[k] = before[k];
        path.room = static_cast<uint32_t>(room);
        if (child.match < 0) return;
        const MeteorMatch& match = matches_[static_cast<size_t>(child.match)];
        mark(used, match);
        path.rank = {child.score, static_cast<int64_t>(child.tie >> order_bits)};
        path.behind = match.start + match.length;
        path.next = match.at + match.width;
        steps_.push_back({match, path.last});
        path.last = static_cast<int32_t>(steps_.size() - 1);
    }

    void sort_paths() {  // stable, and nearly sorted already
        for (size_t k = 1; k < paths_.size(); ++k) {
            if (!(paths_[k].rank < paths_[k - 1].rank)) continue;
            const Path path = paths_[k];
            size_t at = k;
            for (; at > 0 && path.rank < paths_[at - 1].rank; --at) paths_[at] = paths_[at - 1];
            paths_[at] = path;
        }
    }

    void finish() {
        for (Path& path : paths_) path.skip();
        const auto better = [](const Path& a, const Path& b) { return a.rank < b.rank; };
        const Path& best = *std::min_element(paths_.begin(), paths_.end(), better);
        for (int32_t step = best.last; step >= 0; step = steps_[static_cast<size_t>(step)].before)
            result_.push_back(steps_[static_cast<size_t>(step)].match);
        for (const MeteorMatch& match : fixed_)
            if (match.length > 0) result_.push_back(match);
        std::sort(result_.begin(), result_.end(), [](const MeteorMatch& a, const MeteorMatch& b) { return a.at < b.at; });
    }

    const MeteorWords& words_;
    MeteorCandidates candidates_;
    std::vector<MeteorMatch> fixed_, matches_, result_;
    std::vector<bool> closed_;
    std::vector<Path> paths_, other_paths_;
    std::vector<Child> children_;  // of all paths at a position
    uint64_t order_ = 0;
    Child worst_{};  // what another has to beat
    std::vector<Step> steps_;
    std::vector<uint64_t> used_, other_used_;
    size_t blocks_ = 0;
};

inline constexpr size_t meteor_columns = 23;

// Lengths, function words, and for each stage content and function words matched, output and reference in turn;
// chunks, none where everything matches in one; words matched. `function`: 1 for a function word, by number.
inline void write_meteor_row(Symbols output, Symbols reference, const std::vector<MeteorMatch>& matches,
                             const std::vector<uint8_t>& function, double* row) {
    int64_t counts[meteor_columns] = {};
    counts[0] = static_cast<int64_t>(output.size());
    counts[1] = static_cast<int64_t>(reference.size());
    for (const uint32_t word : output) counts[2] += function[word];
    for (const uint32_t word : reference) counts[3] += function[word];
    int64_t& chunks = counts[20];
    const MeteorMatch* before = nullptr;
    for (const MeteorMatch& match : matches) {
        int64_t* const stage = counts + 4 + 4 * static_cast<size_t>(match.stage);
        for (uint32_t i = match.start; i < match.start + match.length; ++i) ++stage[function[output[i]] ? 2 : 0];
        for (uint32_t j = match.at; j < match.at + match.width; ++j) ++stage[function[reference[j]] ? 3 : 1];
        counts[21] += match.length;
        counts[22] += match.width;
        chunks += before == nullptr || before->start + before->length != match.start || before->at + before->width != match.at;
        before = &match;
    }
    if (chunks == 1 && counts[21] == counts[0] && counts[22] == counts[1]) chunks = 0;
    std::copy_n(counts, meteor_columns, row);
}

// Which two exact matches of the same word could exchange their partners with the fewest crossings, as long as there are
// more of them than the alignment has: the alignment that textbooks draw beside it. For people to look at: of neighbours
// among the matches of a word, in segments of up to 500 matches.
template <class Matches>
std::optional<std::pair<uint32_t, uint32_t>> rejected_exchange(Symbols output, const Matches& matches) {
    const auto size = static_cast<uint32_t>(matches.size());
    if (size > 500) return std::nullopt;
    const auto crosses = [&](uint32_t start, uint32_t at, const MeteorMatch& other) {
        return (start < other.start) != (at < other.at) ? 1 : 0;
    };
    std::optional<std::pair<uint32_t, uint32_t>> best;
    int fewest = 0;
    std::vector<uint32_t> last(output.size(), size);  // by word's first place: the last match of that word
    for (uint32_t b = 0; b < size; ++b) {
        const MeteorMatch& two = matches[b];
        if (static_cast<uint32_t>(two.stage) != 0 || two.length != 1) continue;
        const auto first = static_cast<size_t>(std::find(output.begin(), output.end(), output[two.start]) - output.begin());
        const uint32_t a = std::exchange(last[first], b);
        if (a == size) continue;
        const MeteorMatch& one = matches[a];
        int more = (one.start < two.start) == (one.at < two.at) ? 1 : -1;  // the two cross each other, or no longer do
        for (uint32_t k = 0; k < size; ++k)
            if (k != a && k != b)
                more += crosses(one.start, two.at, matches[k]) + crosses(two.start, one.at, matches[k]) -
                        crosses(one.start, one.at, matches[k]) - crosses(two.start, two.at, matches[k]);
        if (more > 0 && (!best || more < fewest)) {
            best = {a, b};
            fewest = more;
        }
    }
    return best;
}

}  // namespace tertium
