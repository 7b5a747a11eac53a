// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/method_inputs.h"

#include "core/ir/ph.h"
#include "core/ir/print.h"
#include "core/torchscript/input_types.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <set>

namespace fx::script {
namespace {

bool isOptional(const Parameter& parameter) { return parameter.annotation.starts_with("Optional["); }

/// Whether an input of that type can have the value.
bool fits(const Parameter& parameter, const Argument& value) {
    if (isPh(value)) return true;
    if (value.isNone()) return isOptional(parameter);
    std::string_view type = parameter.annotation;
    if (isOptional(parameter)) type = type.substr(9, type.size() - 10);
    if (value.as<bool>()) return type == "bool";
    if (value.as<std::int64_t>()) return type == "int" || type == "float";
    if (value.as<double>()) return type == "float";
    return value.as<std::string>() && type == "str";
}

void check(const Method& method, const Kwargs& fixed) {
    for (const auto& [name, value] : fixed) {
        const auto parameter = std::find_if(method.parameters.begin(), method.parameters.end(),
                                            [&name = name](const Parameter& each) { return each.name == name; });
        if (parameter == method.parameters.end())
            throw Error(ErrorKind::Usage, Message("script.no_such_input", {{"name", name}, {"method", method.name}}));
        if (!fits(*parameter, value))
            throw Error(ErrorKind::Usage,
                        Message("script.cannot_be_fixed",
                                {{"name", name}, {"type", parameter->annotation}, {"value", reprOf(Graph(), value)}}));
    }
}

} // namespace

const Argument* MethodInputs::fixedValue(std::string_view name) const {
    for (const auto& [input, value] : m_fixed)
        if (input == name) return &value;
    return nullptr;
}

void MethodInputs::add(CallFrame& frame) {
    check(frame.method, m_fixed);
    const std::vector<std::uint32_t>& inputs = frame.method.body.inputs;
    std::size_t firstDefault = inputs.size(); // Python takes defaults only at the end
    for (; firstDefault > 1; --firstDefault) {
        const Parameter& parameter = frame.method.parameters.at(firstDefault - 1);
        const Argument* fixed = fixedValue(parameter.name);
        if (parameter.defaultValue < 0 && (!fixed || isPh(*fixed))) break;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        frame.slot(inputs[i]) = i == 0 ? Symbol::ofObject(*frame.self) : placeholder(frame, i, i >= firstDefault);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const std::string& name = frame.method.parameters[i].name;
        const Argument* fixed = fixedValue(name);
        if (!fixed || isPh(*fixed)) continue;
        guard(frame.values[inputs[i]].value.node(), name, *fixed);
        frame.values[inputs[i]] = Symbol::of(*fixed);
    }
    m_last = m_graph.last();
}

Symbol MethodInputs::placeholder(const CallFrame& frame, std::size_t place, bool mayHaveDefault) {
    const Parameter& parameter = frame.method.parameters.at(place);
    const Argument* fixed = fixedValue(parameter.name);
    const bool isGiven = fixed && isPh(*fixed);
    std::vector<Argument> otherwise;
    if (mayHaveDefault && fixed && !isGiven) otherwise.push_back(*fixed);
    else if (parameter.defaultValue >= 0)
        if (const auto* literal =
                std::get_if<Argument>(&frame.program.constants[static_cast<std::size_t>(parameter.defaultValue)]))
            otherwise.push_back(*literal);
    std::string_view annotation = parameter.annotation;
    if (isGiven && isOptional(parameter)) annotation = annotation.substr(9, annotation.size() - 10);
    Symbol symbol =
        Symbol::of(Argument(m_graph.placeholder(parameter.name, std::move(otherwise), inputType(annotation))));
    symbol.type = &frame.typeOf(frame.method.body.inputs[place]);
    symbol.maybeNone = symbol.type->isOptional() && !isGiven;
    if (isGiven) {
        const std::string_view text = symbol.type->text;
        const auto inner = std::find_if(frame.program.types.begin(), frame.program.types.end(),
                                        [&](const Type& type) { return type.text + "?" == text; });
        if (inner != frame.program.types.end()) symbol.type = &*inner;
    }
    return symbol;
}

/// As torch.fx checks an input that `concrete_args` names: what was left out of the graph must not be needed. None is
/// compared, too: after torch.load of a graph with torch.fx's `_assert_is_none`, later traces fail (PyTorch 2.13).
void MethodInputs::guard(NodeId input, const std::string& name, const Argument& value) {
    std::string text = name + " has been specialized to have value ";
    appendStr(text, m_graph, value);
    text += " but got another value";
    const NodeId same = m_graph.callFunction(resolveCallable("_operator.eq"), {input, value});
    m_graph.callFunction(resolveCallable("torch._assert"), {same, Argument(text)});
}

void MethodInputs::noteDeciding(const Symbol& condition) {
    if (condition.is != Symbol::Is::Value || !condition.value.isNode()) return;
    std::vector<NodeId> open = {condition.value.node()};
    std::set<NodeId> seen;
    Kwargs found;
    while (!open.empty()) {
        const fx::Node& node = m_graph.node(open.back());
        open.pop_back();
        if (!seen.insert(node.id()).second) continue;
        if (node.op() == Op::Placeholder) {
            if (node.args().empty() || fixedValue(node.target())) return; // or said to be given
            const Argument& value = node.args()[0];
            if (!value.isNone() && !value.as<bool>() && !value.as<std::string>()) return;
            found.emplace_back(node.target(), value);
        } else if (node.op() == Op::CallFunction &&
                   (node.target().starts_with("_operator.") || node.target() == "bool"))
            for (const Argument& argument : node.args()) forEachNode(argument, [&](NodeId id) { open.push_back(id); });
        else return;
    }
    for (const auto& input : found)
        if (std::find(m_deciding.begin(), m_deciding.end(), input) == m_deciding.end()) m_deciding.push_back(input);
}

} // namespace fx::script
