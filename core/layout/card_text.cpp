// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/card_text.h"

#include "core/layout/call_text.h"
#include "core/module/brief_settings.h"
#include "core/module/call_semantics.h"
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
    std::string text;
    for (const auto size : sizes) text += (text.empty() ? "" : "×") + std::to_string(size);
    return text;
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

} // namespace

CardTexts::CardTexts(const GraphModule& module) : m_module(module), m_paths(*module.root) {
    for (const LiftedInput& input : module.lifted) m_lifted.emplace(index(input.node), &input);
}
CardTexts::~CardTexts() = default;

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

std::string CardTexts::attributeText(std::string_view path, std::string& side) {
    const PathTarget target = m_paths.resolve(path);
    if (target.tensor) {
        side = bytesText(target.tensor->byteCount());
        const char* kind = target.kind == PathTarget::Kind::Parameter ? "Parameter "
                           : target.kind == PathTarget::Kind::Buffer  ? "Buffer "
                                                                      : "Tensor ";
        return kind + sizesText(target.tensor->sizes);
    }
    if (target.kind == PathTarget::Kind::Module) return target.module->className;
    if (target.value) return valueText(m_module.graph, *target.value, {});
    return "self." + std::string(path);
}

std::string CardTexts::moduleText(const Node& node, CardText& text) {
    const Module* module = m_paths.resolve(node.target()).module;
    if (!module) return "self." + node.target();
    const auto [family, isNew] = m_families.try_emplace(module->qualifiedType());
    if (isNew) family->second = ops::familyOfModule(module->qualifiedType());
    text.family = family->second;
    text.brief = static_cast<std::uint32_t>(module->className.size());
    const std::string settings = briefSettings(*module);
    return settings.empty() ? module->className : module->className + " " + settings;
}

std::string CardTexts::whatOf(const Node& node, std::string_view box, CardText& text) {
    const Graph& graph = m_module.graph;
    switch (node.op()) {
    case Op::Placeholder: {
        const auto lifted = m_lifted.find(index(node.id()));
        if (lifted != m_lifted.end() && !lifted->second->path.empty())
            return attributeText(lifted->second->path, text.side);
        if (!node.args().empty()) return "Input = " + valueText(graph, node.args()[0], box);
        const std::string dtype = dtypeOf(node);
        return dtype.empty() ? "Input" : "Input " + dtype;
    }
    case Op::GetAttr: return attributeText(node.target(), text.side);
    case Op::Output: return node.args().empty() ? "return" : "return " + valueText(graph, node.args()[0], box);
    case Op::CallModule: return moduleText(node, text);
    case Op::CallFunction:
    case Op::CallMethod: break;
    }
    const Signature& signature = signatureOf(node);
    text.family = signature.family;
    if (node.op() == Op::CallFunction)
        if (std::string expression = operatorText(graph, node, box); !expression.empty()) return expression;
    const std::string name = node.callable() ? shortName(*node.callable()) : node.target();
    text.brief = static_cast<std::uint32_t>(name.size());
    return name + constantsText(graph, node, signature.parameters, box);
}

CardText CardTexts::of(const Node& node, std::string_view box) {
    CardText text;
    text.name = nameInside(node.name(), box);
    text.what = whatOf(node, box, text);
    if (text.brief == 0) {
        const bool firstWord = node.op() == Op::Placeholder || node.op() == Op::GetAttr;
        text.brief =
            static_cast<std::uint32_t>(std::min(firstWord ? text.what.find(' ') : text.what.npos, text.what.size()));
    }
    if (std::string shape = shapeOf(node); text.side.empty()) text.side = std::move(shape);
    return text;
}

} // namespace fx
