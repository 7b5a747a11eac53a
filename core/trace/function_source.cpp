// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/function_source.h"

#include "core/trace/function_interpreter.h"

#include <algorithm>

namespace fx {
namespace {

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

std::vector<std::string> functionsOf(const py::SourceTree& tree) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < tree.size(); at = tree.bodyEnd(at))
        if (const auto name = py::definedFunction(tree[at]); tree[at].indent == 0 && !name.empty())
            names.emplace_back(name);
    return names;
}

GraphModule traced(const py::SourceTree& tree, const std::string& name) {
    GraphModule module;
    trace::ModuleIndex index(*module.root);
    trace::Tracer tracer(module.graph, index, trace::Tracer::Mode::AsPython);
    trace::FunctionInterpreter(tracer, tree).traceFunction(name);
    module.className = name;
    return module;
}

} // namespace

GraphModule traceFunctionSource(std::string_view source, std::string_view name) {
    const py::SourceTree tree(source);
    const auto names = functionsOf(tree);
    if (names.empty()) throw Error(ErrorKind::Refused, Message("trace.no_function"));
    if (name.empty() && names.size() > 1)
        throw Error(ErrorKind::Refused, Message("trace.several_functions", {{"names", listed(names)}}));
    const std::string wanted = name.empty() ? names[0] : std::string(name);
    if (std::find(names.begin(), names.end(), wanted) == names.end())
        throw Error(ErrorKind::Refused,
                    Message("trace.unknown_function", {{"name", wanted}, {"known", listed(names)}}));
    return traced(tree, wanted);
}

} // namespace fx
