// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torchscript/importer.h"
#include "core/io/torchscript/input_types.h"
#include "core/ir/ph.h"
#include "core/ir/print.h"
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

const Argument* Importer::fixedValue(std::string_view name) const {
    for (const auto& [input, value] : m_options.fixed)
        if (input == name) return &value;
    return nullptr;
}

/// The parameters of the method, self aside. A fixed input keeps its name, and its value becomes its default.
void Importer::makeInputs(Frame& frame) {
    check(frame.method, m_options.fixed);
    const std::vector<std::uint32_t>& inputs = frame.method.body.inputs;
    std::size_t firstDefault = inputs.size(); // Python takes defaults only at the end
    for (; firstDefault > 1; --firstDefault) {
        const Parameter& parameter = frame.method.parameters.at(firstDefault - 1);
        const Argument* fixed = fixedValue(parameter.name);
        if (parameter.defaultValue < 0 && (!fixed || isPh(*fixed))) break;
    }
    for (std::size_t i = 0; i < inputs.size(); ++i)
        slot(frame, inputs[i]) = i == 0 ? Symbol::ofObject(m_root) : inputSymbol(frame, i, i >= firstDefault);
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        const std::string& name = frame.method.parameters[i].name;
        const Argument* fixed = fixedValue(name);
        if (!fixed || isPh(*fixed)) continue;
        guard(frame.values[inputs[i]].value.node(), name, *fixed);
        frame.values[inputs[i]] = Symbol::of(*fixed);
    }
    m_lastInput = m_module->graph.last();
}

Symbol Importer::inputSymbol(Frame& frame, std::size_t place, bool mayHaveDefault) {
    const Parameter& parameter = frame.method.parameters.at(place);
    const Argument* fixed = fixedValue(parameter.name);
    const bool isGiven = fixed && isPh(*fixed);
    std::vector<Argument> otherwise;
    if (mayHaveDefault && fixed && !isGiven) otherwise.push_back(*fixed);
    else if (parameter.defaultValue >= 0)
        if (const auto* literal =
                std::get_if<Argument>(&m_program.constants[static_cast<std::size_t>(parameter.defaultValue)]))
            otherwise.push_back(*literal);
    std::string_view annotation = parameter.annotation;
    if (isGiven && isOptional(parameter)) annotation = annotation.substr(9, annotation.size() - 10);
    Symbol symbol =
        Symbol::of(Argument(m_module->graph.placeholder(parameter.name, std::move(otherwise), inputType(annotation))));
    symbol.type = &typeOf(frame, frame.method.body.inputs[place]);
    symbol.maybeNone = symbol.type->isOptional() && !isGiven;
    if (isGiven) {
        const std::string_view text = symbol.type->text;
        const auto inner = std::find_if(m_program.types.begin(), m_program.types.end(),
                                        [&](const Type& type) { return type.text + "?" == text; });
        if (inner != m_program.types.end()) symbol.type = &*inner;
    }
    return symbol;
}

/// As torch.fx checks an input that `concrete_args` names: what was left out of the graph must not be needed. None is
/// compared, too: after torch.load of a graph with torch.fx's `_assert_is_none`, later traces fail (PyTorch 2.13).
void Importer::guard(NodeId input, const std::string& name, const Argument& value) {
    Graph& graph = m_module->graph;
    std::string text = name + " has been specialized to have value ";
    appendStr(text, graph, value);
    text += " but got another value";
    const NodeId same = graph.callFunction(resolveCallable("_operator.eq"), {input, value});
    graph.callFunction(resolveCallable("torch._assert"), {same, Argument(text)});
}

/// Notes in `m_deciding` the inputs that a caller may leave out if they alone decide a condition: `mask is not None`,
/// flags and texts. Numbers do not count, they are data like tensors.
void Importer::noteDeciding(const Symbol& condition) {
    const Graph& graph = m_module->graph;
    if (condition.is != Symbol::Is::Value || !condition.value.isNode()) return;
    std::vector<NodeId> open = {condition.value.node()};
    std::set<NodeId> seen;
    Kwargs found;
    while (!open.empty()) {
        const fx::Node& node = graph.node(open.back());
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
