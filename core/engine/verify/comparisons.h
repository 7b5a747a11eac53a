// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

namespace fx::engine {

/// Comparisons of numbers (`x.sum() > 1e5`) that only one of the models makes, and that came out one way in the models'
/// own data. Of the other way something is known only where inputs lead there and the outputs show it: for some inputs
/// the comparison comes out the other way for some elements, both models agree, and the model gives something else when
/// it is made to come out as it used to. Where no inputs do, the comparison could as well not be there, or be wrong.
class Comparisons {
public:
    Comparisons(const VerifySide& a, const VerifySide& b, const ChangedPart& part);

    /// What a node of A, or of B, gave.
    void note(bool inB, const Node& node, const Value& value);
    /// The names of those of which the other way is not known. `region`: all that changed.
    std::vector<std::string> unseen(const Stage& stage, const ChangedPart::Region& region) const;

private:
    struct Comparison {
        bool inB = false;
        NodeId node = kNoNode;
        bool isTrue = false, isFalse = false; ///< somewhere
    };
    std::vector<Comparison> m_all;
};

} // namespace fx::engine
