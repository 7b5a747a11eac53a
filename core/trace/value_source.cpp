// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/value_source.h"

#include "core/module/graph_module.h"
#include "core/pysrc/parser.h"
#include "core/trace/evaluator.h"

namespace fx {

Argument valueFromSource(std::string_view source) {
    const auto refused = [&](const Message& why) {
        return Error(ErrorKind::Refused,
                     Message("trace.not_a_value", {{"text", source.substr(0, 200)}, {"reason", why.text()}}));
    };
    Graph graph;
    GraphModule module;
    trace::ModuleIndex index(*module.root);
    trace::Tracer tracer(graph, index, trace::Tracer::Mode::AsPython);
    trace::Evaluator evaluator(tracer);
    try {
        for (const std::string_view line : {"import torch", "import math", "import operator",
                                            "from torch import device", "from math import inf, nan"}) {
            py::Parser parser(line);
            for (py::Stmt statement; parser.next(statement);) evaluator.executeModuleLevel(statement);
        }
        py::Parser parser(source);
        const Argument value = tracer.toArgument(evaluator.evaluate(*parser.expression()));
        if (graph.size() > 0) throw refused(Message("trace.value_needs_graph"));
        return value;
    } catch (const trace::PythonError& error) {
        throw refused(error.message());
    } catch (const trace::CannotFollow& error) { throw refused(error.message()); } catch (const Error& error) {
        throw error.kind() == ErrorKind::Refused ? error : refused(error.message());
    }
}

} // namespace fx
