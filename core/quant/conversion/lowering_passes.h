// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/conversion/conversion_edits.h"
#include "core/quant/conversion/lowered_modules.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// The steps of a lowering and their shared state: the model, its modules before the step, and the replacements.
class Lowering {
public:
    /// All arguments must outlive this object; `engine` may be null.
    Lowering(GraphModule& model, const PreparedState& state, QuantEngine* engine)
        : m_model(model), m_state(state), m_engine(engine), m_modules(engine) {}

    void lowerModules();           ///< `dequantize` ─ reference module ─ `quantize`
    void lowerTwoInputModules();   ///< the same with two dequantized inputs
    void lowerDynamicModules();    ///< `quantize_per_tensor_dynamic` ─ `dequantize` ─ reference module
    void lowerWeightOnlyModules(); ///< a reference module whose weight alone is quantised, such as an embedding
    void lowerFunctions();         ///< linear, conv and similar
    void lowerDynamicFunctions();  ///< linear
    void lowerBinaryOperators();   ///< add, mul, matmul
    void lowerInfo();              ///< shape and size of a dequantized value
    void lowerSpecial();           ///< operators that accept quantised values, or have a quantised form
    void foldWeights();            ///< turns prepacked weights into attributes
    /// The maker of the quantised modules, for `LoweredModules::finish`.
    LoweredModules& modules() { return m_modules; }

private:
    /// `dequantize` ─ node [─ relu] ─ `quantize`
    struct Static {
        NodeId quantize = kNoNode, relu = kNoNode, node = kNoNode;
        explicit operator bool() const { return node != kNoNode; }
    };
    using Wanted = std::function<bool(const Node&)>;
    Static staticPattern(NodeId id, const Wanted& isWanted, std::size_t inputs);
    /// Runs a step on all nodes in order; only the next step sees the modules that it replaces.
    void step(const std::function<void(NodeId)>& visit, bool backwards = false);

    Graph& graph() { return m_model.graph; }
    const Node& node(NodeId id) { return m_model.graph.node(id); }
    std::shared_ptr<Module> moduleOf(NodeId id);
    std::string typeOf(NodeId id);
    bool isSkipped(NodeId id) const;
    bool isRelu(NodeId id, bool alsoTorch);
    QParams outputOf(NodeId quantize);
    TensorPtr bufferOf(const Argument& argument);
    TensorPtr constantOf(const Argument& argument);
    void eraseQuantize(NodeId quantize);
    void lowerModuleAt(NodeId id);
    void lowerDynamicModuleAt(NodeId id);
    void lowerFunctionAt(NodeId id);
    void lowerDynamicFunctionAt(NodeId id);
    void lowerBinaryAt(NodeId id);
    void lowerSpecialAt(NodeId id);
    void replaceByOperator(NodeId id, std::string_view target, const std::vector<Argument>& qparams);
    std::vector<NodeId> producers(NodeId id);
    std::shared_ptr<Module> packed(NodeId prepack);
    [[noreturn]] void refuse(NodeId id, std::string_view reason);
    [[noreturn]] void refuseKeyword(NodeId id);
    void refuseOtherPadding(NodeId id, const Module& module);
    [[noreturn]] void refusePerChannel(NodeId id, std::string_view type);
    [[noreturn]] void refuseArgument(NodeId prepack, std::string_view operation, std::string_view name,
                                     bool isTransposed);

    GraphModule& m_model;
    const PreparedState& m_state;
    QuantEngine* m_engine;
    LoweredModules m_modules;
    std::optional<PathResolver> m_paths;
    std::unordered_map<std::string, std::shared_ptr<Module>> m_replaced; ///< by path; replacements of the current step
};

} // namespace fx::quant
