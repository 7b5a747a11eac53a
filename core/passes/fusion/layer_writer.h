// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module_editor.h"
#include "core/onednn/fused_layer.h"
#include "core/onednn/fused_norm.h"

#include <optional>
#include <set>

namespace fx {

/// Puts fused layers and norms into a model, in graph order; modules and tensors that nothing uses any more go when it
/// is destroyed. Until then the module tree must not be changed in any other way.
class LayerWriter {
public:
    explicit LayerWriter(GraphModule& model);
    ~LayerWriter();
    LayerWriter(const LayerWriter&) = delete;
    LayerWriter& operator=(const LayerWriter&) = delete;

    /// As a call of a GraphModule that holds the nodes, beside the layer in the module tree. Returns its path.
    std::string write(const onednn::FusedLayer& layer, onednn::Kernel kernel) {
        return write(layer.nodes, layer.layer.node, kernel);
    }
    std::string write(const onednn::FusedNorm& norm) { return write(norm.nodes, norm.norm, onednn::Kernel::OnePass); }
    /// As a call of an operator of oneDNN (`torch.ops.mkldnn._convolution_pointwise`) on the weights of the layer,
    /// which stay where they are.
    void writeOperator(const onednn::FusedLayer& layer);

private:
    std::string write(const std::vector<NodeId>& nodes, NodeId layer, onednn::Kernel kernel);
    std::string freePath(const Node& layer);
    NodeId tensorNode(const std::string& path, NodeId before);
    void replace(const std::vector<NodeId>& nodes, NodeId call);

    GraphModule& m_model;
    std::shared_ptr<const Module> m_root; ///< as it was; layers are always there
    PathResolver m_paths;
    std::optional<ModuleEditor> m_editor;
    std::set<std::string> m_modules, m_new;
    std::set<NodeId> m_tensors;
};

} // namespace fx
