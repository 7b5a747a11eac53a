// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/python/python_script.h"
#include "core/io/readers.h"
#include "core/module/graph_module.h"

namespace fx {

/// One step to write as Python: the model before and after it, and the script to append to.
struct PythonStep {
    JsonValue json;            ///< the step
    const GraphModule& before; ///< model before the step
    const GraphModule& after;  ///< model after the step
    PythonScript& script;      ///< receives the Python code
    std::size_t number;        ///< from 1
    const Readers& readers;    ///< for patterns

    /// True if the step has this key.
    bool has(std::string_view key) const { return json.find(key).exists(); }
    /// A string value; throws if it is missing.
    std::string text(std::string_view key) const { return std::string(json.at(key).asText()); }
    /// A boolean value; false if it is missing.
    bool flag(std::string_view key) const { return has(key) && json.at(key).asBool(); }
    /// The Python expression for a node that the step names.
    std::string node(std::string_view key) const {
        return PythonScript::node(before.graph, nodeFromJson(json.at(key), before.graph));
    }
};

/// Writes the step `partition`. Returns false if torch.fx has no equivalent, because an exported program calls no
/// modules.
bool writePythonPartition(const PythonStep& step);

/// Writes the step `inline`. Returns false if `_inline_module` would inline another call of the same module.
bool writePythonInline(const PythonStep& step);

/// Writes a step `replace_pattern` whose replacement creates modules. Adds the modules and changes the nodes one by
/// one, because torch.fx does not trace such replacements. Returns false for other replacements.
bool writePythonNewModules(const PythonStep& step);

/// Writes the step `load_weights`. Throws Error{Refused} for an exported program, and for a state dict inside of other
/// objects.
void writePythonWeights(const PythonStep& step);

/// Writes all differences between the nodes before and after the step, one by one.
void writePythonNodeChanges(const PythonStep& step);

/// Returns the error for a step without an equivalent in torch.fx.
Error inexpressible(const PythonStep& step, const Message& why);

/// Writes the torch.fx equivalent of the step. Throws Error{Refused} if none exists.
void writePythonStep(const PythonStep& step);

} // namespace fx
