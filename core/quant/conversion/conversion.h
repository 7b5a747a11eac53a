// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/constant_nodes.h"
#include "core/quant/conversion/graph_edits.h"
#include "core/quant/conversion/reference_modules.h"
#include "core/quant/convert.h"

namespace fx::quant {

/// A model on its way from observers to the reference form, and on to the lowered one: torch.ao's `convert`.
class Conversion {
public:
    Conversion(const PreparedModel& prepared, const ConvertOptions& options, QuantEngine* engine);

    GraphModule run();

private:
    /// A buffer of the root that gets the scale or the zero point of an observer.
    struct PendingBuffer {
        std::string scale, zeroPoint;
        std::shared_ptr<const Module> observer;
        TensorPtr weight;      ///< what the observer has to see first, for weights of functions
        std::size_t times = 1; ///< how often: once for each call that takes it
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
