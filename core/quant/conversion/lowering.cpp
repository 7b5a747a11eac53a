// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of a lowering, and its steps for modules.
#include "core/quant/conversion/lowering.h"

#include "core/diag/error.h"
#include "core/module/module_editor.h"
#include "core/passes/dead_code.h"
#include "core/quant/conversion/lowering_passes.h"
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {

void lower(GraphModule& model, const PreparedState& state, QuantEngine* engine) {
    Lowering lowering(model, state, engine);
    lowering.lowerModules();
    lowering.lowerTwoInputModules();
    lowering.lowerDynamicModules();
    lowering.lowerWeightOnlyModules();
    lowering.lowerFunctions();
    lowering.lowerDynamicFunctions();
    lowering.lowerBinaryOperators();
    lowering.lowerInfo();
    lowering.lowerSpecial();
    eliminateDeadCode(model);
    lowering.foldWeights();
    eliminateDeadCode(model);
    lowering.modules().finish();
}

void Lowering::step(const std::function<void(NodeId)>& visit, bool backwards) {
    m_paths.emplace(*m_model.root);
    std::vector<NodeId> order = graph().order();
    if (backwards) std::reverse(order.begin(), order.end());
    for (const NodeId id : order)
        if (!node(id).erased()) visit(id);
    m_paths.reset();
    if (m_replaced.empty()) return;
    ModuleEditor editor(m_model);
    for (const auto& [path, module] : m_replaced) editor.add(path, module);
    m_replaced.clear();
}

std::shared_ptr<Module> Lowering::moduleOf(NodeId id) {
    return node(id).op() == Op::CallModule ? m_paths->resolve(node(id).target()).shared : nullptr;
}

std::string Lowering::typeOf(NodeId id) {
    const auto module = moduleOf(id);
    return module ? module->qualifiedType() : std::string();
}

bool Lowering::isSkipped(NodeId id) const {
    const auto found = m_state.qconfigs.find(m_model.graph.node(id).name());
    return found != m_state.qconfigs.end() && !found->second.qconfig;
}

bool Lowering::isRelu(NodeId id, bool alsoTorch) {
    return isCallOf(node(id), "torch.nn.functional.relu") || (alsoTorch && isCallOf(node(id), "torch.relu")) ||
           typeOf(id) == "torch.nn.modules.activation.ReLU";
}

void Lowering::refuse(NodeId id, std::string_view reason) {
    throw Error(ErrorKind::Refused, Message("quant.lowering", {{"reason", reason}})).onNode(node(id).name());
}

void Lowering::refuseKeyword(NodeId id) {
    throw Error(ErrorKind::Refused, Message("quant.keyword_input")).onNode(node(id).name());
}

/// Quantised convolutions pad by numbers, with zeros or, in one and two dimensions, with what is reflected: their
/// constructors raise otherwise.
void Lowering::refuseOtherPadding(NodeId id, const Module& module) {
    const Module& layer = module.children.empty() ? module : *module.children.front().module;
    if (layer.className.find("Conv") == layer.className.npos) return;
    const auto textOf = [&](std::string_view name) {
        const Argument* value = layer.setting(name);
        const auto* text = value ? value->as<std::string>() : nullptr;
        return text ? *text : std::string();
    };
    const std::string mode = textOf("padding_mode"), padding = textOf("padding");
    const bool reflects = mode == "reflect" && layer.className != "Conv3d";
    const bool isKnown = mode.empty() || mode == "zeros" || reflects;
    if (isKnown && padding.empty()) return;
    throw Error(ErrorKind::Refused, Message("quant.padding", {{"setting", isKnown ? "padding" : "padding_mode"},
                                                              {"value", isKnown ? padding : mode}}))
        .onNode(node(id).name())
        .onModule(node(id).target());
}

/// torch.ao `_match_static_pattern`.
Lowering::Static Lowering::staticPattern(NodeId id, const Wanted& isWanted, std::size_t inputs) {
    if (!isCallOf(node(id), "torch.quantize_per_tensor") || !node(id).args()[0].isNode()) return {};
    Static found{id, kNoNode, node(id).args()[0].node()};
    if (isRelu(found.node, true)) {
        found.relu = found.node;
        if (node(found.relu).args().empty() || !node(found.relu).args()[0].isNode())
            refuse(id, "relu without an input");
        found.node = node(found.relu).args()[0].node();
    }
    if (isSkipped(found.node) || !isWanted(node(found.node))) return {};
    bool hasDequantize = false;
    for (std::size_t i = 0; i < inputs; ++i) {
        if (i >= node(found.node).args().size()) refuseKeyword(found.node);
        const Argument& arg = node(found.node).args()[i];
        if (dequantizeOf(graph(), arg) != kNoNode) hasDequantize = true;
        else if (arg.isNode()) return {};
    }
    return hasDequantize ? found : Static();
}

TensorPtr Lowering::bufferOf(const Argument& argument) {
    return argument.isNode() ? m_paths->resolve(node(argument.node()).target()).tensor : nullptr;
}

QParams Lowering::outputOf(NodeId quantize) {
    const auto& args = node(quantize).args();
    return {bufferOf(args.at(1)), bufferOf(args.at(2))};
}

/// Erases a quantize call and the scale and zero point that only it uses.
void Lowering::eraseQuantize(NodeId quantize) {
    const std::vector<Argument> args = node(quantize).args();
    graph().erase(quantize);
    for (std::size_t i = 1; i < args.size(); ++i)
        if (args[i].isNode()) graph().erase(args[i].node());
}

void Lowering::lowerModules() {
    step([this](NodeId id) { lowerModuleAt(id); });
}

void Lowering::lowerModuleAt(NodeId id) {
    const Static found = staticPattern(
        id, [this](const Node& each) { return staticClass(typeOf(each.id())) != nullptr; }, 1);
    if (!found) return;
    const auto module = moduleOf(found.node);
    const LoweredClass& to = *staticClass(module->qualifiedType());
    if (!to.inner.empty() && module->children.front().module->qualifiedType() != to.inner) return;
    refuseOtherPadding(found.node, *module);
    m_replaced.insert_or_assign(node(found.node).target(), m_modules.make(to.type, *module, outputOf(id)));
    if (node(found.node).args().size() != 1) refuse(found.node, "expected one argument");
    const NodeId dequantize = node(found.node).args()[0].node();
    graph().replaceInput(found.node, dequantize, node(dequantize).args()[0].node());
    graph().replaceAllUses(id, found.node);
    eraseQuantize(id);
}

void Lowering::lowerTwoInputModules() {
    step([this](NodeId id) {
        if (!isCallOf(node(id), "torch.quantize_per_tensor") || !node(id).args()[0].isNode()) return;
        const NodeId layer = node(id).args()[0].node();
        const LoweredClass* to = isSkipped(layer) ? nullptr : twoInputClass(typeOf(layer));
        if (!to || node(layer).args().size() != 2) return;
        const std::vector<Argument> args = node(layer).args();
        for (const Argument& arg : args)
            if (dequantizeOf(graph(), arg) == kNoNode) return;
        const auto module = moduleOf(layer);
        if (module->children.front().module->qualifiedType() != to->inner) return;
        refuseOtherPadding(layer, *module);
        m_replaced.insert_or_assign(node(layer).target(), m_modules.make(to->type, *module, outputOf(id)));
        for (const Argument& arg : args) graph().replaceInput(layer, arg.node(), node(arg.node()).args()[0].node());
        graph().replaceAllUses(id, layer);
        eraseQuantize(id);
    });
}

void Lowering::lowerDynamicModules() {
    step([this](NodeId id) { lowerDynamicModuleAt(id); });
}

void Lowering::lowerDynamicModuleAt(NodeId id) {
    const LoweredClass* to = node(id).op() == Op::CallModule ? dynamicClass(typeOf(id)) : nullptr;
    const NodeId dequantize = to && !node(id).args().empty() ? dequantizeOf(graph(), node(id).args()[0]) : kNoNode;
    if (dequantize == kNoNode) return;
    const Node& quantize = node(node(dequantize).args()[0].node());
    if (!isCallOf(quantize, "torch.quantize_per_tensor_dynamic")) return;
    const auto* dtype = quantize.args().at(1).as<TorchConstant>();
    if (!dtype || (dtype->name != "torch.float16" && dtype->name != "torch.quint8" && dtype->name != "torch.qint8"))
        return;
    const auto module = moduleOf(id);
    if (!to->inner.empty() && module->children.front().module->qualifiedType() != to->inner) return;
    m_replaced.insert_or_assign(node(id).target(), m_modules.makeDynamic(to->type, *module));
    graph().replaceInput(id, dequantize, quantize.args()[0].node());
}

void Lowering::lowerWeightOnlyModules() {
    step([this](NodeId id) {
        const LoweredClass* to = node(id).op() == Op::CallModule ? weightOnlyClass(typeOf(id)) : nullptr;
        if (to) m_replaced.insert_or_assign(node(id).target(), m_modules.makeWeightOnly(to->type, *moduleOf(id)));
    });
}

} // namespace fx::quant
