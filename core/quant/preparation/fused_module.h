// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/backend_config.h"
#include "core/quant/preparation/pattern_matches.h"

namespace fx::quant {

/// Creates the fused module from the matched ones, as torch.ao's fuser methods do. `moduleOf` returns the module that
/// a node calls, with shared ownership. Throws Error{Refused} for modes and shapes that torch.ao refuses.
class FusedModuleMaker {
public:
    using Lookup = std::function<std::shared_ptr<Module>(NodeId)>; ///< null for a node that calls no module
    /// `graph` must outlive this object.
    FusedModuleMaker(const Graph& graph, Lookup moduleOf, bool isQat)
        : m_graph(graph), m_moduleOf(std::move(moduleOf)), m_isQat(isQat) {}

    /// Returns the fused module of a match. `root` is the node of its layer.
    std::shared_ptr<Module> make(const PatternConfig& config, const MatchedPart& matched, NodeId root) const;

private:
    std::shared_ptr<Module> part(const MatchedPart& matched, const std::string& path, bool rootTrains) const;
    std::shared_ptr<Module> folded(const FusedForm::Part& part, const MatchedPart& matched, bool rootTrains) const;
    void check(const FusedForm& form, const MatchedPart& matched, NodeId root) const;

    const Graph& m_graph;
    Lookup m_moduleOf;
    bool m_isQat;
};

} // namespace fx::quant
