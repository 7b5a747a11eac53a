// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <map>
#include <unordered_map>

namespace fx {

/// Finds the tensors of a model that several nodes read: by name, by a call of their module, or by a call of a module
/// around it. One module with several paths is one module. Keeps a reference to the module tree, which must not
/// change.
class TensorReaders {
public:
    /// Linear in nodes and modules.
    explicit TensorReaders(const GraphModule& model);

    /// True if more than one node reads the tensor at `path`.
    bool areSeveral(const std::string& path);

private:
    void addCall(const Module* module);
    void addRead(const std::string& path);

    PathResolver m_paths;
    std::unordered_map<const Module*, int> m_calls; ///< of the module or one around it; exact up to 2
    std::map<std::pair<const Module*, std::string>, int> m_reads;
};

} // namespace fx
