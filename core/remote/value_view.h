// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"
#include "core/tensor/statistics.h"

namespace fx {

/// The most rows and columns of a tensor that travel at once.
inline constexpr std::int64_t kSliceSide = 64;

/// The part of a tensor that is looked at: its last two dimensions as a table, one index for each of the others.
struct ValueSlice {
    std::vector<std::int64_t> indices; ///< of all dimensions but the last two; what is missing is 0
    std::int64_t row = 0, column = 0;  ///< the first shown
    bool operator==(const ValueSlice&) const = default;
};

/// A tensor, or another value of a node, as it is looked at.
struct ValueView {
    std::string type;  ///< in Python's words: "Tensor", "int"
    std::string text;  ///< of what is no tensor: its repr, cut to 4,000 characters
    std::string dtype; ///< "torch.float32"; empty: no tensor
    std::vector<std::int64_t> sizes;
    TensorStatistics statistics;        ///< of all elements
    ValueSlice slice;                   ///< what of it is in `cells`: what was asked for, moved into the tensor
    std::int64_t rows = 0, columns = 0; ///< at most kSliceSide each; vectors have one row
    std::vector<double> cells;          ///< row by row; of complex tensors the magnitudes
    bool isTensor() const { return !dtype.empty(); }
};

/// What a node gave in a run, beside what the node of that name gave in the original.
struct NodeValues {
    std::vector<std::string>
        parts;             ///< paths of the tensors and other values in it: "", "[0]", "['logits']"; at most 1,000
    std::int64_t part = 0; ///< which of them is in `value`
    ValueView value;
    std::optional<ValueView> original;
    std::optional<ValueDifference> difference; ///< of the value from the original
    std::string noOriginal;                    ///< why there is none, when one was asked for
    std::vector<std::string> inputs;           ///< what was drawn for them: "x: 1×3×8 float32, normal"
    double millis = 0;                         ///< of the runs; 0: another part or slice of what was run before
};

} // namespace fx
