// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/diff.h"

#include <map>

namespace fx {

/// Compares the modules and tensors of two models: those with equal paths, and those used by counterpart nodes.
class TreeDiff {
public:
    TreeDiff(const GraphModule& a, const GraphModule& b, const DiffOptions& options, const Progress& progress);

    /// Whether tensors require gradients is no difference from here on: a run gives the same.
    void ignoreGradients() { m_gradients = false; }
    /// Compares what is at `pathA` and `pathB`: returns Module, Tensor, both or neither. Nonexistent paths are equal.
    std::vector<Aspect> compare(const std::string& pathA, const std::string& pathB);
    /// Compares the rest and moves the results to `diff`.
    void finish(ModelDiff& diff);

private:
    struct Differs {
        bool module = false, tensor = false;
    };
    Differs modules(const Module& a, const Module& b, const std::string& pathA, const std::string& pathB);
    std::vector<Aspect> own(const Module& a, const Module& b) const;
    bool tensors(const TensorPtr& a, const TensorPtr& b, const std::string& pathA, const std::string& pathB);
    void sharing();
    void subgraphs(ModelDiff& diff);
    void orphans(ModelDiff& diff, const GraphModule& mine, const GraphModule& other, bool inA);

    const GraphModule& m_a;
    const GraphModule& m_b;
    const DiffOptions& m_options;
    const Progress& m_progress;
    bool m_gradients = true;
    PathResolver m_pathsA, m_pathsB;
    std::map<std::pair<const Module*, const Module*>, Differs> m_modules;
    std::map<std::pair<const TensorRef*, const TensorRef*>, bool> m_tensors;
    std::map<std::string, std::string> m_renamed[2]; ///< paths of A that B has elsewhere, and vice versa
    std::vector<TreeChange> m_moduleChanges, m_tensorChanges;
};

} // namespace fx
