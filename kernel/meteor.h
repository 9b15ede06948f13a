// METEOR 1.5's alignment (Denkowski and Lavie 2014): most matches, then fewest chunks, then the smallest distance, as
// its beam search finds it. The beam, the order of candidates, what the search counts as a match and the path on which
// it books a distance are part of the definition; they decide among alignments that are equally good.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

    struct Path {
        int64_t gain = 0, chunks = 0, distance = 0;
        int64_t behind = nowhere;  // where the last match ends in the output; nowhere behind a gap
        uint32_t next = 0;         // the first word of the reference that is not decided
        int32_t last = -1;         // the last of its steps
        uint32_t room = 0;         // which words of the output it has used

        bool operator<(const Path& other) const {
            if (gain != other.gain) return gain > other.gain;
            return chunks != other.chunks ? chunks < other.chunks : distance < other.distance;
        }
        void take(const MeteorMatch& match) {
            gain += gain_of(match);
            chunks += behind != nowhere && behind != match.start;
            behind = match.start + match.length;
            next = match.at + match.width;
        }
        void skip() {
            chunks += behind != nowhere;
            behind = nowhere;
        }
    };
    struct Step {
        MeteorMatch match;
        int32_t before;
    };
    struct Child {
        Path path;
        int32_t match;  // of the position's candidates; -1: none
        uint32_t order;

        bool operator<(const Child& other) const {
            if (path < other.path) return true;
            return !(other.path < path) && order < other.order;
        }
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
        path.distance += distance(match);
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
        std::erase_if(matches_, [this](const MeteorMatch& match) {
            return std::any_of(closed_.begin() + match.at, closed_.begin() + match.at + match.width, [](bool c) { return c; });
        });
        if (matches_.empty()) {
            for (Path& path : paths_)
                if (path.next == at) skip(path);
            return;
        }
        children_.clear();
        for (Path& path : paths_) {
            if (path.next == at) {
                branch(path);
                skip(path);
            }
            children_.push_back({path, -1, static_cast<uint32_t>(children_.size())});
        }
        const size_t kept = std::min(beam, children_.size());
        std::partial_sort(children_.begin(), children_.begin() + static_cast<ptrdiff_t>(kept), children_.end());
        paths_.resize(kept);
        for (size_t k = 0; k < kept; ++k) adopt(children_[k], k);
        used_.swap(other_used_);
    }

    static void skip(Path& path) {
        path.skip();
        ++path.next;
    }

    // Paths that take a match. Its distance is booked on the path it leaves, not on its own: a slip of the program's
    // that decides among equals. Within a stage distances only grow, so what comes behind a beam of siblings is lost.
    void branch(Path& path) {
        const uint64_t* const used = used_.data() + path.room * blocks_;
        size_t pushed[4] = {};
        for (size_t k = 0; k < matches_.size(); ++k) {
            const MeteorMatch& match = matches_[k];
            if (is_used(used, match)) continue;
            const bool goes_on = path.behind == match.start;
            size_t& siblings = pushed[static_cast<size_t>(match.stage)];
            if (goes_on || match.stage == MeteorStage::paraphrase || siblings < beam) {
                siblings += !goes_on;
                children_.push_back({path, static_cast<int32_t>(k), static_cast<uint32_t>(children_.size())});
                children_.back().path.take(match);
            }
            path.distance += distance(match);
        }
    }

    void adopt(const Child& child, size_t room) {
        uint64_t* const used = other_used_.data() + room * blocks_;
        std::copy_n(used_.data() + child.path.room * blocks_, blocks_, used);
        Path& path = paths_[room] = child.path;
        path.room = static_cast<uint32_t>(room);
        if (child.match < 0) return;
        const MeteorMatch& match = matches_[static_cast<size_t>(child.match)];
        mark(used, match);
        steps_.push_back({match, path.last});
        path.last = static_cast<int32_t>(steps_.size() - 1);
    }

    void sort_paths() {  // stable, and nearly sorted already
        for (size_t k = 1; k < paths_.size(); ++k) {
            if (!(paths_[k] < paths_[k - 1])) continue;
            const Path path = paths_[k];
            size_t at = k;
            for (; at > 0 && path < paths_[at - 1]; --at) paths_[at] = paths_[at - 1];
            paths_[at] = path;
        }
    }

    void finish() {
        for (Path& path : paths_) path.skip();
        const Path& best = *std::min_element(paths_.begin(), paths_.end());
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
    std::vector<Path> paths_;
    std::vector<Child> children_;
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

}  // namespace tertium
