// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module_editor.h"

#include <set>
#include <unordered_map>

namespace fx {

/// The nodes of a graph that stand for tensors of its model: get_attr nodes, and the lifted parameters, buffers and
/// constants of an exported program. Describes the model at construction; does not see such nodes added later.
class GraphTensors {
public:
    /// O(nodes).
    explicit GraphTensors(const GraphModule& model);

    /// Returns the path of the tensor that a node stands for; null for other nodes.
    const std::string* path(NodeId node) const;
    /// Returns that tensor, or null.
    TensorPtr tensor(NodeId node) const;

private:
    struct Named {
        std::string path;
        TensorPtr tensor;
    };
    std::unordered_map<NodeId, Named> m_nodes;
};

/// Python's `setattr(module, name, parameter)`: it takes the place of a buffer or another attribute.
void setParameter(Module& module, const std::string& name, TensorPtr tensor);

/// Replaces the tensor at `path`.
void setTensor(ModuleEditor& editor, std::string_view path, TensorPtr tensor);

/// Adds a parameter or a buffer at a path in an existing module; appends a number if the path is taken. Returns the
/// path.
std::string addTensor(GraphModule& model, ModuleEditor& editor, std::string path, TensorPtr tensor);

/// Erases those of `nodes` (get_attr nodes and lifted inputs) that have no users, and the tensors and modules that no
/// node refers to afterwards. Keeps the entries of `lifted`, since the signature of an exported program counts them.
void eraseUnusedTensors(GraphModule& model, const std::set<NodeId>& nodes);

} // namespace fx
