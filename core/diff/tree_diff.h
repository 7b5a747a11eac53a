// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/content.h"
#include "core/diff/diff.h"

#include <map>
#include <optional>

namespace fx {

/// Compares the modules and tensors of two models: those with equal paths, and those that counterpart nodes use.
class TreeDiff {
public:
    /// All arguments must outlive this object.
    TreeDiff(const GraphModule& a, const GraphModule& b, const DiffOptions& options, const Progress& progress);

    /// Compares the modules or tensors at `pathA` and `pathB`: returns Module, Tensor, both or neither. Missing paths
    /// are equal. Costs nothing for an object that both models share.
    std::vector<Aspect> compare(const std::string& pathA, const std::string& pathB);
    /// Compares the remaining modules and tensors and moves the results to `diff`.
    void finish(ModelDiff& diff);

private:
    struct Differs {
        bool module = false, tensor = false;
    };
    Differs modules(const Module& a, const Module& b, const std::string& pathA, const std::string& pathB);
    struct ModulePair {
        const Module *a, *b;
        std::string pathA, pathB;
    };
    std::vector<Aspect> own(const ModulePair& pair);
    Content& content();
    bool sameValues(const TensorPtr& a, const TensorPtr& b, const std::string& path);
    bool isFile() const { return m_options.scope != DiffScope::Models; }
    bool tensors(const TensorPtr& a, const TensorPtr& b, const std::string& pathA, const std::string& pathB);
    void sharing();
    void tensorPaths(ModelDiff& diff);
    void subgraphs(ModelDiff& diff);
    void orphans(ModelDiff& diff, const GraphModule& mine, const GraphModule& other, bool inA);

    const GraphModule& m_a;
    const GraphModule& m_b;
    const DiffOptions& m_options;
    const Progress& m_progress;
    std::optional<Content> m_content;              ///< created on first use: versions of a model share what is alike
    std::vector<std::string> m_hookedA, m_hookedB; ///< paths, sorted
    PathResolver m_pathsA, m_pathsB;
    std::map<std::pair<const Module*, const Module*>, Differs> m_modules;
    std::unordered_map<const Module*, const Module*> m_inFile; ///< modules of A that were met: those of B
    std::map<std::pair<const TensorRef*, const TensorRef*>, bool> m_tensors;
    std::map<std::string, std::string> m_renamed[2]; ///< paths of A that B has elsewhere, and vice versa
    std::vector<TreeChange> m_moduleChanges, m_tensorChanges;
};

} // namespace fx
