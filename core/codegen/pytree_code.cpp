// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/pytree_code.h"

#include "core/base/listed.h"
#include "core/codegen/code_writer.h"
#include "core/module/pytree_form.h"

#include <algorithm>

namespace fx {
namespace {
bool fits(const PytreeForm& form, const Graph& graph) {
    std::size_t place = 0;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        if (place == form.inputs.size() || form.inputs[place++] != node.target()) return false;
    }
    return place == form.inputs.size();
}

/// torch.fx `_PyTreeCodeGen.gen_var_bindings`: the annotations on a line of their own, then the placeholders without.
std::string bindings(const PytreeForm& form, const Graph& graph) {
    if (!form.binding.empty()) return "\n    " + form.binding;
    CodeWriter writer(graph, false);
    writer.writeAll();
    std::vector<std::string> names = writer.parameters, arguments = form.parameters;
    if (form.bindsSelf) {
        names.insert(names.begin(), "self");
        arguments.insert(arguments.begin(), "self");
    }
    if (names.empty()) return {};
    std::string annotated;
    for (std::string& name : names) {
        if (name.find(':') != std::string::npos) annotated += name + "; ";
        name = name.substr(0, name.find(':'));
        name = name.substr(0, name.find('#'));
    }
    if (!annotated.empty()) annotated = "\n    " + annotated + "\n";
    return annotated + "\n    " + joined(names) + ", = fx_pytree.tree_flatten_spec([" + joined(arguments) +
           "], self._in_spec)";
}
} // namespace

bool hasNestedInputs(const GraphModule& module) {
    const auto* form = dynamic_cast<const PytreeForm*>(module.origin.get());
    return form && form->isNested && fits(*form, module.graph);
}

PythonCode generatePython(const GraphModule& module) {
    PythonCode code = generatePython(module.graph);
    if (!hasNestedInputs(module)) return code;
    const auto* form = static_cast<const PytreeForm*>(module.origin.get());
    constexpr std::string_view kDef = "\ndef forward(self", kReturn = "\n    return ";
    const std::size_t def = code.text.find(kDef);
    const std::size_t returns = code.text.rfind(kReturn);
    if (def == std::string::npos) return code;
    if (form->unflattens && returns != std::string::npos) {
        const std::size_t end = std::min(code.text.find('\n', returns + 1), code.text.size());
        code.text.insert(end, ", self._out_spec)");
        code.text.insert(returns + kReturn.size(), "pytree.tree_unflatten(");
    }
    const auto lineOf = [&](std::size_t at) {
        return std::count(code.text.begin(), code.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    };
    std::string head = std::string(kDef);
    for (const std::string& parameter : form->parameters) head += ", " + parameter;
    const std::string made = head + "):" + bindings(*form, module.graph);
    const std::size_t end = code.text.find('\n', def + 1);
    code.text.replace(def, end - def, made);
    // The bindings are more lines, of the placeholders.
    const auto added = std::count(made.begin() + 1, made.end(), '\n');
    const auto line = std::min<std::ptrdiff_t>(lineOf(def + 2), std::ssize(code.lineNodes));
    code.lineNodes.insert(code.lineNodes.begin() + line, static_cast<std::size_t>(added), kNoNode);
    for (std::int32_t& each : code.nodeLines)
        if (each > line) each += static_cast<std::int32_t>(added);
    return code;
}

} // namespace fx
