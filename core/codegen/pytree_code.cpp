// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/pytree_code.h"

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
} // namespace

PythonCode generatePython(const GraphModule& module) {
    PythonCode code = generatePython(module.graph);
    const auto form = std::dynamic_pointer_cast<const PytreeForm>(module.origin);
    if (!form || !fits(*form, module.graph)) return code;
    constexpr std::string_view kDef = "\ndef forward(self", kReturn = "\n    return ";
    const std::size_t def = code.text.find(kDef);
    const std::size_t returns = code.text.rfind(kReturn);
    if (def == std::string::npos) return code;
    if (form->unflattens && returns != std::string::npos) {
        const std::size_t end = std::min(code.text.find('\n', returns + 1), code.text.size());
        code.text.insert(end, ", self._out_spec)");
        code.text.insert(returns + kReturn.size(), "pytree.tree_unflatten(");
    }
    std::string head = std::string(kDef);
    for (const std::string& parameter : form->parameters) head += ", " + parameter;
    head += "):\n    " + form->binding;
    const std::size_t end = code.text.find('\n', def + 1);
    code.text.replace(def, end - def, head);
    // The binding is one more line, of the placeholders.
    const auto line = static_cast<std::size_t>(
        std::count(code.text.begin(), code.text.begin() + static_cast<std::ptrdiff_t>(def) + 2, '\n'));
    code.lineNodes.insert(code.lineNodes.begin() + static_cast<std::ptrdiff_t>(std::min(line, code.lineNodes.size())),
                          kNoNode);
    for (std::int32_t& each : code.nodeLines)
        if (each > static_cast<std::int32_t>(line)) ++each;
    return code;
}

} // namespace fx
