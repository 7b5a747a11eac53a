// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/card_text.h"

#include "core/base/listed.h"
#include "core/module/brief_settings.h"
#include "core/module/call_semantics.h"
#include "core/onednn/fused_layer.h"
#include "core/ops/catalogue.h"
#include "core/ops/python_functions.h"

#include <cstdio>

namespace fx {
namespace {

std::string bytesText(std::int64_t bytes) {
    constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %s", unit > 0 && value < 99.95 ? 1 : 0, value, kUnits[unit]);
    return text;
}

std::string sizesText(const std::vector<std::int64_t>& sizes) {
    if (sizes.empty()) return "scalar";
    return joined(sizes, "×");
}

/// "relu" of torch.nn.functional.relu; "aten.addmm" of torch.ops.aten.addmm.default.
std::string shortName(const Callable& callable) {
    std::string_view name = callable.qualifiedName;
    constexpr std::string_view kOps = "torch.ops.";
    if (name.starts_with(kOps) && callable.kind != Callable::Kind::HigherOrderOp) {
        name.remove_prefix(kOps.size());
        const auto dot = name.find('.');
        return std::string(name.substr(0, dot == name.npos ? dot : name.find('.', dot + 1)));
    }
    return std::string(name.substr(name.rfind('.') + 1));
}

/// "64×56×56" of the first value with a shape.
std::string shapeOf(const Node& node) {
    for (const ValueInfo& value : node.meta().values)
        if (std::string shape = value.shapeText(); !shape.empty()) return shape;
    return {};
}

std::string dtypeOf(const Node& node) {
    const auto& values = node.meta().values;
    if (values.empty()) return {};
    const std::string& dtype = values[0].dtype;
    return dtype.starts_with("torch.") ? dtype.substr(6) : dtype;
}

void say(CardText& text, std::string brief, const std::string& settings = {}) {
    text.brief = static_cast<std::uint32_t>(brief.size());
    text.what = std::move(brief) + settings;
}

/// "Conv2d + relu" of the nodes that a fused layer replaced.
std::string fusedText(const GraphModule& fused) {
    std::string text;
    PathResolver paths(*fused.root);
    for (const Node& node : fused.graph.nodes()) {
        std::string name;
        if (node.op() == Op::CallModule) {
            const Module* module = paths.resolve(node.target()).module;
            name = module ? module->className : node.target();
        } else if (node.op() == Op::CallFunction || node.op() == Op::CallMethod) {
            name = node.callable() ? shortName(*node.callable()) : node.target();
        }
        if (!name.empty()) text += (text.empty() ? "" : " + ") + name;
    }
    return text;
}

} // namespace

CardTexts::CardTexts(const GraphModule& module) : m_module(module), m_paths(*module.root) {
    for (const LiftedInput& input : module.lifted) m_lifted.emplace(index(input.node), &input);
}

std::string CardTexts::nameInside(std::string_view name, std::string_view box) {
    if (box.size() + 2 > name.size() || box.empty() || name[box.size()] != '_') return std::string(name);
    for (std::size_t i = 0; i < box.size(); ++i)
        if (name[i] != (box[i] == '.' ? '_' : box[i])) return std::string(name);
    return std::string(name.substr(box.size() + 1));
}

const CardTexts::Signature& CardTexts::signatureOf(const Node& node) {
    const bool method = node.op() == Op::CallMethod;
    const auto [entry, isNew] = m_signatures.try_emplace((method ? "." : "") + node.target());
    if (!isNew) return entry->second;
    Signature& signature = entry->second;
    signature.family = ops::familyOfFunction(canonicalName(node));
    if (const auto op = method ? std::nullopt : ops::findOperator(node.target())) {
        for (const ops::Argument argument : op->arguments())
            signature.parameters.emplace_back(argument.name(), argument.defaultValue());
    } else if (const auto function = ops::findFunction(method ? "torch.Tensor." + node.target() : node.target())) {
        for (const ops::Parameter& parameter : function->parameters())
            if (parameter.kind != ops::Parameter::Kind::VarPositional)
                signature.parameters.emplace_back(parameter.name, parameter.defaultValue);
    }
    return signature;
}

void CardTexts::describeAttribute(std::string_view path, CardText& text) {
    const PathTarget target = m_paths.resolve(path);
    if (target.tensor) {
        text.side = bytesText(target.tensor->byteCount());
        const char* kind = target.kind == PathTarget::Kind::Parameter ? "Parameter"
                           : target.kind == PathTarget::Kind::Buffer  ? "Buffer"
                                                                      : "Tensor";
        say(text, kind, ' ' + sizesText(target.tensor->sizes));
    } else if (target.kind == PathTarget::Kind::Module) {
        say(text, target.module->className);
    } else {
        say(text, target.value ? valueText(m_module.graph, *target.value, {}) : "self." + std::string(path));
    }
}

void CardTexts::describeModule(const Node& node, CardText& text) {
    const Module* module = m_paths.resolve(node.target()).module;
    if (!module) return say(text, "self." + node.target());
    const auto [family, isNew] = m_families.try_emplace(module->qualifiedType());
    if (isNew) family->second = ops::familyOfModule(module->qualifiedType());
    text.family = family->second;
    const auto kernel = module->graphModule ? onednn::kernelOf(*module) : std::nullopt;
    if (kernel)
        return say(text, fusedText(*module->graphModule),
                   *kernel == onednn::Kernel::OneDnn ? " in oneDNN"
                   : *kernel == onednn::Kernel::Mkl  ? " in MKL"
                                                     : " in one pass");
    const std::string settings = briefSettings(*module);
    say(text, module->className, settings.empty() ? settings : ' ' + settings);
}

void CardTexts::describeInput(const Node& node, std::string_view box, CardText& text) {
    const auto lifted = m_lifted.find(index(node.id()));
    if (lifted != m_lifted.end() && !lifted->second->path.empty()) return describeAttribute(lifted->second->path, text);
    if (!node.args().empty()) return say(text, "Input", " = " + valueText(m_module.graph, node.args()[0], box));
    const std::string dtype = dtypeOf(node);
    say(text, "Input", dtype.empty() ? dtype : ' ' + dtype);
}

void CardTexts::describeCall(const Node& node, std::string_view box, CardText& text) {
    const Graph& graph = m_module.graph;
    const Signature& signature = signatureOf(node);
    text.family = signature.family;
    if (node.op() == Op::CallFunction)
        if (std::string expression = operatorText(graph, node, box); !expression.empty())
            return say(text, std::move(expression));
    say(text, node.callable() ? shortName(*node.callable()) : node.target(),
        constantsText(graph, node, signature.parameters, box));
}

void CardTexts::describe(const Node& node, std::string_view box, CardText& text) {
    switch (node.op()) {
    case Op::Placeholder: return describeInput(node, box, text);
    case Op::GetAttr: return describeAttribute(node.target(), text);
    case Op::Output:
        return say(text, node.args().empty() ? "return" : "return " + valueText(m_module.graph, node.args()[0], box));
    case Op::CallModule: return describeModule(node, text);
    case Op::CallFunction:
    case Op::CallMethod: return describeCall(node, box, text);
    }
}

CardText CardTexts::of(const Node& node, std::string_view box) {
    CardText text;
    text.name = nameInside(node.name(), box);
    describe(node, box, text);
    if (text.side.empty()) text.side = shapeOf(node);
    return text;
}

} // namespace fx
