// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module_editor.h"
#include "core/onednn/fused_layer.h"
#include "core/onednn/fused_norm.h"

#include <optional>
#include <set>

namespace fx {

/// Writes fused layers and norms into a model, in graph order. The destructor removes modules and tensors without
/// references. Nothing else may change the module tree during the lifetime of this object.
class LayerWriter {
public:
    /// `model` must outlive this object.
    explicit LayerWriter(GraphModule& model);
    ~LayerWriter();
    LayerWriter(const LayerWriter&) = delete;
    LayerWriter& operator=(const LayerWriter&) = delete;

    /// Replaces the nodes by a call of a GraphModule that holds them, next to the layer in the module tree. Returns
    /// its path.
    std::string write(const onednn::FusedLayer& layer, onednn::Kernel kernel) {
        return write(layer.nodes, layer.layer.node, kernel);
    }
    /// As above, for a norm.
    std::string write(const onednn::FusedNorm& norm) { return write(norm.nodes, norm.norm, onednn::Kernel::OnePass); }
    /// Replaces the nodes by a call of a oneDNN operator (`torch.ops.mkldnn._convolution_pointwise`) on the layer's
    /// weights, which keep their paths.
    void writeOperator(const onednn::FusedLayer& layer);

private:
    std::string write(const std::vector<NodeId>& nodes, NodeId layer, onednn::Kernel kernel);
    std::string freePath(const Node& layer);
    NodeId tensorNode(const std::string& path, NodeId before);
    void replace(const std::vector<NodeId>& nodes, NodeId call);

    GraphModule& m_model;
    std::shared_ptr<const Module> m_root; ///< before any change; still contains all layers
    PathResolver m_paths;
    std::optional<ModuleEditor> m_editor;
    std::set<std::string> m_modules, m_new;
    std::set<NodeId> m_tensors;
};

} // namespace fx
