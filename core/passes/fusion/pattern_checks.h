// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/passes/fusion/pattern_library.h"
#include "core/passes/graph_tensors.h"

namespace fx {

/// Checks that a match of a library pattern computes the same as the pattern: its constants, and the arguments by
/// which calls in other spellings can differ.
class PatternChecks {
public:
    /// All arguments must outlive this object.
    PatternChecks(const GraphModule& model, const LibraryPattern& library, const Graph& pattern)
        : m_model(model), m_library(library), m_pattern(pattern), m_paths(*model.root), m_tensors(model) {}

    /// True if the match is exact. `aten` additionally requires known sizes for normalisations, because they are
    /// written into the call.
    bool accept(const InternalMatch& match, bool aten) const;

private:
    bool constantsFit(const InternalMatch& match) const;
    bool callsFit(const InternalMatch& match) const;
    bool callFits(const Node& pattern, const Node& node) const;
    bool moduleFits(const Node& pattern, const Node& node) const;
    bool isVector(const Argument& value) const;
    bool isFloat(const Argument& value) const;

    const GraphModule& m_model;
    const LibraryPattern& m_library;
    const Graph& m_pattern;
    mutable PathResolver m_paths;
    GraphTensors m_tensors;
};

} // namespace fx
