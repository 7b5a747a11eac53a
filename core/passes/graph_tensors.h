// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module_editor.h"

#include <set>
#include <unordered_map>

namespace fx {

/// The nodes of a graph that are tensors of its model: get_attr nodes, and the inputs of an exported program that stand
/// for parameters, buffers and constants. Knows the model as it was when this was made; not for graphs that gain such
/// nodes meanwhile.
class GraphTensors {
public:
    explicit GraphTensors(const GraphModule& model);

    /// The path of the tensor that a node is; null if it is none.
    const std::string* path(NodeId node) const;
    /// The tensor itself, or null.
    TensorPtr tensor(NodeId node) const;
    /// How many nodes name the path.
    std::size_t nodesOf(const std::string& path) const;

private:
    struct Named {
        std::string path;
        TensorPtr tensor;
    };
    std::unordered_map<NodeId, Named> m_nodes;
    std::unordered_map<std::string, std::size_t> m_paths;
};

/// Puts a tensor at the path of another one.
void setTensor(ModuleEditor& editor, std::string_view path, TensorPtr tensor);

/// Adds a tensor at a path whose module exists, as a parameter or a buffer; with a number at its end if the path is
/// taken. Returns the path.
std::string addTensor(GraphModule& model, ModuleEditor& editor, std::string path, TensorPtr tensor);

/// Erases those of `nodes` (get_attr nodes, and inputs that stand for tensors) that nothing uses any more, with the
/// tensors and modules that nothing names then. `lifted` keeps its entries, by which the signature of an exported
/// program counts.
void eraseUnusedTensors(GraphModule& model, const std::set<NodeId>& nodes);

} // namespace fx
