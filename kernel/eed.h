// The extended edit distance (Stanchev et al. 2019): characters, with jumps where the reference has a space, and a price
// for characters of the output that are visited more than once or never.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "utf8.h"

namespace tertium {

struct ExtendedEdits {
    double distance = 0, visits = 0;  // visits beyond the first of every place, and places never visited
    int64_t reference_length = 0;
};

class ExtendedEditDistance {
public:
    ExtendedEditDistance(double jump, double deletion, double insertion) : jump_(jump), deletion_(deletion), insertion_(insertion) {}

    // Sums are made in the order of the definition: which place of a row is its least depends on their last bits.
    ExtendedEdits count(std::string_view output, std::string_view reference) {
        read(output, output_);
        read(reference, reference_);
        const size_t n = output_.size();
        if (n > 0 && reference_.size() > most_cells / n)
            throw std::length_error("an output of " + std::to_string(n) + " and a reference of " + std::to_string(reference_.size()) +
                                    " characters; the extended edit distance compares at most " + std::to_string(most_cells) +
                                    " pairs of characters");
        row_.assign(n + 1, 1.0);
        row_[0] = 0.0;
        steps_.resize(n + 1);
        visited_.assign(n + 1, 0);
        for (const char32_t symbol : reference_) advance(symbol);
        ExtendedEdits edits;
        edits.distance = row_[n];
        edits.reference_length = static_cast<int64_t>(reference_.size());
        for (const uint32_t times : visited_) edits.visits += times > 0 ? times - 1.0 : 1.0;
        return edits;
    }

private:
    static constexpr size_t most_cells = size_t{1} << 32;

    static void read(std::string_view text, std::vector<char32_t>& symbols) {
        symbols.clear();
        const char* const end = text.data() + text.size();
        for (const char* at = text.data(); at < end;) symbols.push_back(decode_utf8(at, end));
    }

    void advance(char32_t symbol) {
        const size_t n = output_.size();
        double* const row = row_.data();
        double* const steps = steps_.data();
        const char32_t* const output = output_.data();
        for (size_t i = 1; i <= n; ++i) {  // from above and from the corner: no step depends on another
            const double diagonal = row[i - 1] + (output[i - 1] == symbol ? 0.0 : 1.0), above = row[i] + insertion_;
            steps[i] = above < diagonal ? above : diagonal;
        }
        double left = row[0] + 1.0, least = left;
        size_t place = 0;
        row[0] = left;
        for (size_t i = 1; i <= n; ++i) {
            const double along = left + deletion_;
            left = along < steps[i] ? along : steps[i];
            row[i] = left;
            if (left < least) {
                least = left;
                place = i;
            }
        }
        ++visited_[place];
        if (symbol == U' ') {
            const double most = jump_ + least;
            for (size_t i = 0; i <= n; ++i) row[i] = most < row[i] ? most : row[i];
        }
    }

    double jump_, deletion_, insertion_;
    std::vector<char32_t> output_, reference_;
    std::vector<double> row_, steps_;
    std::vector<uint32_t> visited_;
};

}  // namespace tertium
