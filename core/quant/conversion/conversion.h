// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/constant_nodes.h"
#include "core/quant/conversion/conversion_edits.h"
#include "core/quant/conversion/reference_modules.h"
#include "core/quant/convert.h"

namespace fx::quant {

/// Converts a prepared model: replaces observers and layers by the reference form, then lowers it. Mirrors torch.ao's
/// `convert`.
class Conversion {
public:
    /// `prepared`, `options` and `engine` must outlive this object; `engine` may be null.
    Conversion(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine);

    /// Returns the converted model. Throws Error{Refused} where torch.ao raises, and the errors of QuantEngine.
    GraphModule run();

private:
    /// A root buffer that receives an observer's scale or zero point.
    struct PendingBuffer {
        std::string scale, zeroPoint;
        std::shared_ptr<const Module> observer;
        TensorPtr weight;      ///< weight of a functional call that the observer sees first
        std::size_t times = 1; ///< number of observations: one for each call that uses the weight
        bool perChannel = false;
    };
    Graph& graph() { return m_model.graph; }
    const Node& node(NodeId id) { return m_model.graph.node(id); }
    std::vector<std::string> lost(std::vector<std::string> names) const;
    bool hasNoQConfig(NodeId id) const;
    void dequantizeAfter(NodeId id);
    void keepOutputsQuantized(NodeId id);
    void convertObserver(NodeId id, const std::shared_ptr<Module>& observer);
    void quantizeStatically(NodeId id, const std::shared_ptr<Module>& observer, const ObserverTraits& traits);
    void replaceBy(NodeId observer, NodeId quantized);
    std::string attributePrefix(NodeId id);
    void convertStandalone(NodeId id, const Module& module, const PreparedState& state);
    void convertLayer(NodeId id, const std::shared_ptr<Module>& module);
    bool isSupported(const QConfig& qconfig, const Module& module) const;
    std::size_t weightUses(NodeId observer);
    TensorPtr weightOf(NodeId observer);
    void fillBuffers();

    const PreparedModel& m_prepared;
    const BackendConfig& m_backend;
    const ConvertOptions& m_options;
    QuantEngine* m_engine;
    GraphModule m_model;
    std::shared_ptr<Module> m_root; ///< own copy of the root
    NewNames m_names;
    PathResolver m_paths;      ///< of the prepared model
    ConstantNodes m_constants; ///< of the prepared model
    ReferenceModules m_references;
    std::vector<PendingBuffer> m_buffers;
    std::unordered_map<std::string, std::shared_ptr<Module>> m_replaced; ///< by path
};

} // namespace fx::quant
