// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/function_source.h"

#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/trace/evaluator.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::string_view kUsualImports = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n";

/// One trace of one function.
class FunctionTrace {
public:
    FunctionTrace(std::string_view source, std::string_view name) : m_source(source), m_name(name), m_index(*m_module.root), m_tracer(m_module.graph, m_index, trace::Tracer::Mode::AsPython), m_evaluator(m_tracer) {}

    GraphModule run() {
        py::Parser usual(kUsualImports);
        for (py::Stmt statement; usual.next(statement);) m_evaluator.executeModuleLevel(statement);
        try {
            runModuleLevel();
            runFunction();
        } catch (const trace::PythonError& error) {
            throw failed(error.what());
        } catch (const trace::CannotFollow& error) {
            throw failed(error.what());
        }
        m_module.className = std::string(m_name);
        return std::move(m_module);
    }

private:
    Error failed(const std::string& why) const {
        const Error place = py::sourceError(m_source, m_offset, why);
        return Error(ErrorKind::Refused, "the function '" + std::string(m_name) + "' cannot be traced: " + why).at(place.where).quoting(place.source);
    }

    /// Imports and constants of the file; other statements have no part in a trace.
    void runModuleLevel() {
        py::Parser parser(m_source);
        for (py::Stmt statement; parser.next(statement);) {
            m_offset = statement.offset;
            const bool counts = statement.kind == py::StmtKind::Import || statement.kind == py::StmtKind::ImportFrom || statement.kind == py::StmtKind::Assign;
            if (statement.indent != 0 || !counts || isInDef(statement)) continue;
            try {
                m_evaluator.executeModuleLevel(statement);
            } catch (const trace::CannotFollow&) {
                // Should the function need it, its use says so.
            } catch (const trace::PythonError&) {
            }
        }
    }

    /// `def f(x): return x`: the statement after the colon has the indent of the def.
    bool isInDef(const py::Stmt& statement) const {
        const auto line = m_source.rfind('\n', statement.offset);
        const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
        return m_source.substr(start, statement.offset - start).starts_with("def ");
    }

    void runFunction() {
        py::Parser parser(m_source);
        bool inside = false, returned = false, empty = true;
        std::uint32_t indent = 0;
        for (py::Stmt statement; parser.next(statement);) {
            if (!inside) {
                if (statement.kind != py::StmtKind::Def || statement.indent != 0 || statement.text != m_name) continue;
                m_offset = statement.offset;
                inside = true;
                indent = statement.indent;
                m_evaluator.enterFunction(statement);
                continue;
            }
            if (statement.indent <= indent && !isInDef(statement)) break;
            m_offset = statement.offset;
            empty = false;
            if (!returned) returned = !m_evaluator.execute(statement);
        }
        if (empty) throw trace::PythonError("IndentationError: expected an indented block after function definition");
        m_evaluator.finish();
    }

    std::string_view m_source, m_name;
    GraphModule m_module;
    trace::ModuleIndex m_index;
    trace::Tracer m_tracer;
    trace::Evaluator m_evaluator;
    std::size_t m_offset = 0;
};

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

} // namespace

std::vector<std::string> functionsOfSource(std::string_view source) {
    std::vector<std::string> names;
    py::Parser parser(source);
    for (py::Stmt statement; parser.next(statement);)
        if (statement.kind == py::StmtKind::Def && statement.indent == 0) names.emplace_back(statement.text);
    return names;
}

GraphModule traceFunctionSource(std::string_view source, std::string_view name) {
    const auto names = functionsOfSource(source);
    if (names.empty()) throw Error(ErrorKind::Refused, "the source defines no function").hinting("write `def pattern(x): return ...`");
    if (name.empty() && names.size() > 1)
        throw Error(ErrorKind::Refused, "the source defines several functions: " + listed(names)).hinting("name one of them");
    const std::string wanted = name.empty() ? names[0] : std::string(name);
    if (std::find(names.begin(), names.end(), wanted) == names.end())
        throw Error(ErrorKind::Refused, "the source defines no function '" + wanted + "', only " + listed(names));
    return FunctionTrace(source, wanted).run();
}

} // namespace fx
