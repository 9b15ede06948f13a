// Sums of sparse rows under many weights: W @ S where S is stored row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace tertium {

// Row i holds values[starts[i]..starts[i+1]) in the columns indices[...]; a column may come several times.
template <class Index, class Value>
struct SparseView {
    std::span<const int64_t> starts;
    std::span<const Index> indices;
    std::span<const Value> values;
    size_t width;

    size_t rows() const { return starts.size() - 1; }

    void check() const {
        if (starts.empty() || starts.front() != 0 || static_cast<size_t>(starts.back()) != indices.size() || indices.size() != values.size())
            throw std::invalid_argument("sparse rows: starts must lead from 0 to the number of indices and values");
        for (size_t i = 0; i + 1 < starts.size(); ++i)
            if (starts[i] > starts[i + 1]) throw std::invalid_argument("sparse rows: starts must not fall");
        for (const Index column : indices)
            if (column < 0 || static_cast<size_t>(column) >= width) throw std::invalid_argument("sparse rows: an index lies outside the columns");
    }

    // Adds to `sums` (a number for each column) in the order in which values are stored, so that any block of weights
    // gives the same bits. Half of all weights of a permutation test are 0: their rows are not read.
    void weigh(std::span<const double> weights, double* sums) const {
        for (size_t i = 0; i < weights.size(); ++i) {
            const double weight = weights[i];
            if (weight == 0) continue;
            for (auto at = static_cast<size_t>(starts[i]), end = static_cast<size_t>(starts[i + 1]); at < end; ++at)
                sums[indices[at]] += weight * static_cast<double>(values[at]);
        }
    }
};

}  // namespace tertium
