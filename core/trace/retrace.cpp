// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/retrace.h"

#include "core/pysrc/expression_names.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/trace/allowance.h"
#include "core/trace/evaluator.h"

#include <algorithm>
#include <unordered_set>

namespace fx {
namespace {
using trace::Tracer;

/// One pass over the saved code in one mode.
class Retrace {
public:
    Retrace(GraphModule& module, std::string_view imports, std::string_view code, Tracer::Mode mode)
        : m_module(module), m_imports(imports), m_code(code), m_index(*module.root), m_tracer(m_graph, m_index, mode),
          m_evaluator(m_tracer) {
        m_tracer.setClass(trace::tracerClass(module.tracerClass));
    }

    /// Throws PythonError and CannotFollow; `line` then says where.
    void run() {
        runImports();
        runCode();
        checkWritten();
        m_module.graph = std::move(m_graph);
    }
    std::size_t offset = 0;
    Warnings warnings;

private:
    void runImports() {
        py::Parser parser(m_imports);
        for (py::Stmt statement; parser.next(statement);) m_evaluator.executeModuleLevel(statement);
    }

    void runCode() {
        py::Parser parser(m_code);
        std::optional<std::uint32_t> defIndent, bodyIndent;
        bool returned = false, empty = true;
        for (py::Stmt statement; parser.next(statement);) {
            offset = statement.offset;
            if (!defIndent) {
                if (statement.kind != py::StmtKind::Def) {
                    m_evaluator.executeModuleLevel(statement);
                    continue;
                }
                if (statement.text != "forward") throw py::sourceError(m_code, offset, Message("trace.no_forward"));
                defIndent = statement.indent;
                m_evaluator.enter(statement);
                continue;
            }
            if (statement.indent <= *defIndent) {
                if (statement.kind == py::StmtKind::Def) break;
                throw py::sourceError(m_code, offset, Message("python.expected_block"));
            }
            checkIndent(statement, bodyIndent);
            empty = false;
            if (!returned) returned = !m_evaluator.execute(statement);
            noteWarnings();
            if (m_tracer.writes().ofModel().size() > m_writes.size()) m_writes.push_back(offset);
        }
        if (!defIndent) throw py::sourceError(m_code, 0, Message("trace.no_code"));
        if (empty && m_tracer.mode() == Tracer::Mode::AsPython) throw trace::PythonError(Message("python.empty_body"));
        m_evaluator.finish();
    }

    /// Generated code has no blocks inside `forward`, so Python compiles only a body whose lines all start in one
    /// column.
    void checkIndent(const py::Stmt& statement, std::optional<std::uint32_t>& bodyIndent) const {
        if (!bodyIndent) bodyIndent = statement.indent;
        if (statement.continuesLine || statement.indent == *bodyIndent) return;
        throw py::sourceError(m_code, statement.offset,
                              statement.indent > *bodyIndent ? Message("python.unexpected_indent")
                                                             : Message("python.unindent"));
    }

    /// Tensors of the model that PyTorch changes while it loads the file have other values than the file: the graph
    /// must not need them.
    void checkWritten() {
        if (m_writes.empty()) return;
        offset = m_writes.front();
        std::unordered_set<const Module*> seen;
        for (const Node& node : m_graph.nodes()) {
            if (node.op() != Op::GetAttr && node.op() != Op::CallModule) continue;
            const PathTarget target = resolvePath(*m_module.root, node.target());
            if (target.tensor) refuseWritten(*target.tensor, node.target());
            if (target.module) refuseWrittenIn(*target.module, node.target(), seen);
        }
        const TextPlace place{py::lineOf(m_code, offset)};
        for (const auto& tensor : m_tracer.writes().ofModel())
            warnings.push_back({Message("trace.tensor_changed_at_load", {{"tensor", py::readText(pathOf(*tensor))}}),
                                {},
                                {},
                                place.text(),
                                place});
    }

    void refuseWritten(const TensorRef& tensor, const std::string& path) const {
        if (trace::isOneOf(m_tracer.writes().ofModel(), tensor))
            throw trace::CannotFollow(Message("trace.changed_at_load", {{"value", "self." + path}}));
    }

    void refuseWrittenIn(const Module& module, const std::string& path, std::unordered_set<const Module*>& seen) const {
        std::vector<const Module*> open{&module};
        while (!open.empty()) {
            const Module& next = *open.back();
            open.pop_back();
            if (!seen.insert(&next).second) continue;
            for (const auto& slot : next.buffers)
                if (slot.tensor) refuseWritten(*slot.tensor, path);
            for (const auto& [name, value] : next.attributes)
                if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor)
                    refuseWritten(**tensor, path);
            for (const auto& child : next.children)
                if (child.module) open.push_back(child.module.get());
        }
    }

    std::string pathOf(const TensorRef& tensor) const {
        const std::string* path = m_index.bufferPath(&tensor);
        if (!path) path = m_index.attributePath(&tensor);
        return path ? *path : std::string();
    }

    void noteWarnings() {
        for (auto& warning : m_tracer.warnings) {
            warning.textPlace = {py::lineOf(m_code, offset)};
            warning.where = warning.textPlace.text();
            warnings.push_back(std::move(warning));
        }
        m_tracer.warnings.clear();
    }

    GraphModule& m_module;
    std::string_view m_imports, m_code;
    Graph m_graph;
    std::vector<std::size_t> m_writes; ///< where the code writes to tensors of the model
    trace::ModuleIndex m_index;
    Tracer m_tracer;
    trace::Evaluator m_evaluator;
};

/// Plain tensors of the root that the graph reads become buffers of the loaded module (torch.fx `_copy_attr`).
void registerReadTensors(GraphModule& module) {
    Module& root = *module.root;
    for (const Node& node : module.graph.nodes()) {
        if (node.op() != Op::GetAttr || node.target().find('.') != std::string::npos) continue;
        const auto found = std::find_if(root.attributes.begin(), root.attributes.end(),
                                        [&](const auto& item) { return item.first == node.target(); });
        if (found == root.attributes.end() || !std::holds_alternative<TensorPtr>(found->second)) continue;
        root.buffers.push_back({found->first, std::get<TensorPtr>(found->second), true});
        root.attributes.erase(found);
    }
}

/// Runs in one mode; returns what stopped it, with `loadFails` set when Python itself would fail.
struct Stopped {
    Message reason;
    std::optional<std::size_t> offset; ///< where in the code; nullopt: before any of it
    bool loadFails = false;
};
std::optional<Stopped> attempt(GraphModule& module, std::string_view imports, std::string_view code,
                               Tracer::Mode mode) {
    const auto buffers = module.root->buffers;
    Retrace retrace(module, imports, code, mode);
    try {
        retrace.run();
        module.warnings.insert(module.warnings.end(), retrace.warnings.begin(), retrace.warnings.end());
        return std::nullopt;
    } catch (const trace::PythonError& error) {
        module.root->buffers = buffers;
        return Stopped{error.message(), retrace.offset, true};
    } catch (const trace::CannotFollow& error) {
        module.root->buffers = buffers;
        return Stopped{error.message(), retrace.offset, false};
    }
}
} // namespace

void retraceSavedCode(GraphModule& module, std::string_view importBlock, std::string_view code,
                      const Progress& progress) {
    trace::Allowance own(trace::Allowance::kMostStatements, progress);
    trace::Allowance* const ofFile = trace::detail::currentAllowance;
    const trace::Spending spending(ofFile ? *ofFile : own);
    const std::string_view refusal = trace::tracerClass(module.tracerClass).refusal;
    const auto stopped = refusal.empty()
                             ? attempt(module, importBlock, code, Tracer::Mode::AsPython)
                             : Stopped{trace::PythonError(std::string(refusal)).message(), std::nullopt, true};
    if (stopped) {
        const auto again =
            trace::isSpent(stopped->reason) ? stopped : attempt(module, importBlock, code, Tracer::Mode::AsWritten);
        if (again)
            throw py::sourceError(code, again->offset.value_or(0), again->reason)
                .hinting(Message("trace.resave").text());
        module.notLoadable = stopped->loadFails;
        const MessageArgument reason("reason", stopped->reason.text()), cause("cause", stopped->reason.code());
        TextPlace place;
        if (stopped->offset) place.line = py::lineOf(code, *stopped->offset);
        module.warnings.push_back({stopped->loadFails ? Message("trace.load_fails", {reason, cause})
                                                      : Message("trace.partly_unknown", {reason, cause}),
                                   {},
                                   {},
                                   stopped->offset
                                       ? place.text() + ": " + std::string(py::lineTextAt(code, *stopped->offset))
                                       : std::string(),
                                   place});
    }
    registerReadTensors(module);
}

void readWrittenCode(GraphModule& module, std::string_view importBlock, std::string_view code,
                     const Progress& progress) {
    trace::Allowance own(trace::Allowance::kMostStatements, progress);
    trace::Allowance* const ofFile = trace::detail::currentAllowance;
    const trace::Spending spending(ofFile ? *ofFile : own);
    if (attempt(module, importBlock, code, Tracer::Mode::AsWritten))
        return retraceSavedCode(module, importBlock, code, progress);
    registerReadTensors(module);
}

} // namespace fx
