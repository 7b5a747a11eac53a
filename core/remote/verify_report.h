// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fx {

/// |b - a| <= atol + rtol * |a|
struct Tolerance {
    double rtol = 0, atol = 0;
};
/// What the user set; all else is torch.testing.assert_close's for the type.
struct Tolerances {
    std::optional<double> rtol, atol;                     ///< for every type
    std::vector<std::pair<std::string, Tolerance>> types; ///< "torch.float16": wins
};

/// How far a value of B is from that of A.
struct ValueDifference {
    std::string dtype;               ///< of A: "torch.float32", or of what is no tensor: "int", "str"
    std::vector<std::int64_t> sizes; ///< of A
    double maxAbs = 0;               ///< largest |b - a|; of elements that are a NaN in neither
    double maxRel = 0;               ///< largest |b - a| / |a|; infinite where a is zero and b is not
    Tolerance tolerance;
    std::int64_t count = 0, beyond = 0;              ///< elements, and those beyond the tolerance
    std::int64_t nansA = 0, nansB = 0, nansBoth = 0; ///< NaN at the same place in both counts as equal
    std::vector<std::int64_t> worst;                 ///< index of the element of maxAbs
    bool equal = true;                               ///< bit for bit
    bool close = true;
    std::string reason; ///< why they cannot be compared, "shape 2×3 in A, 3 in B"; empty: they can
};

struct OutputDifference {
    std::string path; ///< where in what the model returns: "", "[0]", "['logits']"
    ValueDifference value;
};

/// The first node that both models have under one name and whose value differs.
struct NodeDifference {
    std::string node;
    ValueDifference value;
    bool passing = false; ///< what uses it agrees again: the node does more or less in B, as after fusing
    std::string why;      ///< what about the node differs: "its parameters differ: weight, bias"; empty: not known
};

enum class Verdict : std::uint8_t { Equal, Close, Differs, NotComparable };

/// What running two models on the same inputs showed.
struct VerifyReport {
    Verdict verdict = Verdict::Equal;
    std::string reason; ///< of NotComparable
    std::vector<OutputDifference> outputs;
    std::optional<NodeDifference> first;
    std::int64_t nodesCompared = 0,
                 nodesDiffering = 0;  ///< nodes of unchanged names; those that differ beyond the tolerance
    std::vector<std::string> remarks; ///< likely causes, in words
    double millisA = 0, millisB = 0;  ///< of the nodes of each, comparing not counted
    std::vector<std::string> inputs;  ///< what was drawn for them: "x: 1×3×8 float32, normal"
    std::vector<std::string> guessed; ///< those of the inputs that were guessed, and why
    Warnings warnings = {};           ///< of opening the models
};

/// "equal", "within tolerance", "differs", "not comparable"
inline const char* verdictName(Verdict verdict) {
    constexpr const char* names[] = {"equal", "within tolerance", "differs", "not comparable"};
    return names[static_cast<std::size_t>(verdict)];
}

} // namespace fx
