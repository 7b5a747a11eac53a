// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_remedy.h"

#include "core/python/python_interpreter.h"

namespace fx::python {

std::optional<Message> remedyOf(Interpreter& in, const Message& why, const std::vector<Place>& calls) {
    if (!why.is("python.control_flow") && !why.is("python.iterated")) return std::nullopt;
    if (const ModuleFrame& module = in.stack().failedModule; !module.path.empty())
        return Message("trace.keep_as_leaf",
                       {{"path", module.path}, {"type", module.type.substr(module.type.rfind('.') + 1)}});
    if (calls.size() > 1 && calls.back().file) {
        const std::string name(calls[calls.size() - 2].function);
        const Value module = in.importModule(calls.back().file->name, true);
        auto* file = module.as<SourceFile>();
        const Value* function = file ? in.run(*file).names.find(name) : nullptr;
        if (function && function->as<Function>()) return Message("trace.wrap_function", {{"name", name}});
    }
    return Message("trace.fix_inputs");
}

} // namespace fx::python
