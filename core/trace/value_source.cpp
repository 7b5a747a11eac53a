// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/value_source.h"

#include "core/base/utf8.h"

namespace fx {

ExpressionEvaluator::ExpressionEvaluator(std::initializer_list<std::string_view> imports) {
    for (const std::string_view line : imports) {
        py::Parser parser(line);
        for (py::Stmt statement; parser.next(statement);) m_evaluator.executeModuleLevel(statement);
    }
}

trace::Value ExpressionEvaluator::evaluate(std::string_view expression) {
    m_parser.emplace(expression);
    return m_evaluator.evaluate(*m_parser->expression());
}

Argument valueFromSource(std::string_view source) {
    const auto refused = [&](const Message& why) {
        return Error(ErrorKind::Refused,
                     Message("trace.not_a_value", {{"text", wholeCharacters(source, 200)}, {"reason", why.text()}}));
    };
    try {
        ExpressionEvaluator in({"import torch", "import math", "import operator", "from torch import device",
                                "from math import inf, nan"});
        const Argument value = in.tracer().toArgument(in.evaluate(source));
        if (in.graph().size() > 0) throw refused(Message("trace.value_needs_graph"));
        return value;
    } catch (const trace::PythonError& error) {
        throw refused(error.message());
    } catch (const trace::CannotFollow& error) { throw refused(error.message()); } catch (const Error& error) {
        throw error.kind() == ErrorKind::Refused ? error : refused(error.message());
    }
}

} // namespace fx
