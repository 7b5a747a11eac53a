// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"
#include "core/tensor/tensor_statistics.h"

namespace fx {

/// The maximum number of rows and columns of a tensor per message.
inline constexpr std::int64_t kSliceSide = 64;

/// The visible part of a tensor: its last two dimensions as a table, with one index for each of the others.
struct ValueSlice {
    std::vector<std::int64_t> indices; ///< for all dimensions except the last two; missing indices are 0
    std::int64_t row = 0, column = 0;  ///< first visible row and column
    bool operator==(const ValueSlice&) const = default;
};

/// A view of a tensor or another value of a node.
struct ValueView {
    std::string type;  ///< Python type: "Tensor", "int"
    std::string text;  ///< for other values: their repr, truncated to 4,000 characters
    std::string dtype; ///< "torch.float32"; empty if not a tensor
    std::vector<std::int64_t> sizes;
    TensorStatistics statistics;        ///< of all elements
    ValueSlice slice;                   ///< the part in `cells`: the requested part, moved to lie inside the tensor
    std::int64_t rows = 0, columns = 0; ///< at most kSliceSide each; vectors have one row
    std::vector<double> cells;          ///< row by row; magnitudes for complex tensors
    /// False for other values, which only have a text.
    bool isTensor() const { return !dtype.empty(); }
};

/// The value of a node in a run, with the value of the same node in the original.
struct NodeValues {
    /// Paths of the tensors and other values in it: "", "[0]", "['logits']". At most 1,000.
    std::vector<std::string> parts;
    std::int64_t part = 0; ///< the index of the part in `value`
    ValueView value;
    std::optional<ValueView> original;
    std::optional<ValueDifference> difference; ///< between the value and the original
    std::string noOriginal;                    ///< why the original has no value, if it was requested
    std::vector<std::string> inputs;           ///< descriptions of the inputs: "x: 1×3×8 float32, normal"
    double millis = 0;                         ///< duration of the runs; 0 for another part or slice of an earlier run
};

} // namespace fx
