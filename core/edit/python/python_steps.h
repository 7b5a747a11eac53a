// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/python/python_script.h"
#include "core/module/graph_module.h"

namespace fx {

/// One step as Python: the model before and after it, and the script that it is added to.
struct PythonStep {
    JsonValue json;
    const GraphModule& before;
    const GraphModule& after;
    PythonScript& script;
    std::size_t number; ///< from 1

    bool has(std::string_view key) const { return json.find(key).exists(); }
    std::string text(std::string_view key) const { return std::string(json.at(key).asText()); }
    bool flag(std::string_view key) const { return has(key) && json.at(key).asBool(); }
    std::string node(std::string_view key) const {
        return PythonScript::node(before.graph, nodeFromJson(json.at(key), before.graph));
    }
};

/// Writes the step `partition`. Returns false if torch.fx has no equivalent: an exported program calls no modules.
bool writePythonPartition(const PythonStep& step);

/// Writes the step `inline`. Returns false if `_inline_module` would inline another call of the same module.
bool writePythonInline(const PythonStep& step);

/// Writes a step `replace_pattern` whose replacement creates modules: these are added one by one, and the nodes change
/// one by one, since torch.fx traces no such replacement. Returns false for other replacements.
bool writePythonNewModules(const PythonStep& step);

/// Writes all differences between the nodes before and after the step, one by one.
void writePythonNodeChanges(const PythonStep& step);

/// The refusal of a step that torch.fx cannot do.
Error inexpressible(const PythonStep& step, const Message& why);

/// Writes the torch.fx equivalent of the step. Throws Error{Refused} if there is none.
void writePythonStep(const PythonStep& step);

} // namespace fx
