// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/checked_evaluator.h"
#include "core/edit/code/code_edit.h"
#include "core/edit/code/code_lines.h"
#include "core/edit/free_nodes.h"
#include "core/pysrc/parser.h"
#include "core/pysrc/source_error.h"
#include "core/trace/evaluator.h"

namespace fx {

/// Reads edited code from top to bottom on a copy of the graph. A line that equals the statement of a node keeps that
/// node; other lines are traced and append new nodes to the copy. The thread's trace::Allowance limits tracing.
class CodeReader {
public:
    /// All arguments must outlive this object.
    CodeReader(const GraphModule& model, std::string_view text, const Progress& progress);
    /// Reads the whole text and fills `errors`, `warnings` and `order`. Call once.
    void read();

    std::vector<CodeError> errors;
    Warnings warnings;

    // The result if there are no errors. ───────────────────────────────────────────────────────────────────
    /// All nodes in their new order: nodes of the graph, and nodes of the copy with ids from `firstNew()`.
    std::vector<NodeId> order;
    /// The graph with the new nodes.
    const Graph& copy() const { return m_copy; }
    /// The first id of a new node.
    std::size_t firstNew() const { return m_model.graph.idLimit(); }
    /// Returns the node of the graph that a node of the copy corresponds to, or kNoNode if it is new.
    NodeId oldOf(NodeId made) const { return m_made[index(made) - firstNew()].old; }
    /// Returns the name that the code gives to a node of the copy, or an empty string.
    std::string_view nameOf(NodeId made) const { return m_made[index(made) - firstNew()].name; }
    /// True if the code keeps a node of the graph.
    bool isUsed(NodeId old) const { return m_used[index(old)]; }
    /// True if a node of the copy that corresponds to an old node keeps its old name.
    bool keepsName(NodeId made) const { return nameOf(made).empty() || m_old.named(nameOf(made)) == oldOf(made); }
    /// True if the def line has changed, and with it the types of inputs and output.
    bool headChanged() const { return m_headChanged; }
    /// Constants computed by the code, to add to the root module.
    std::span<const Module::Slot> constants() const {
        return std::span(m_root->buffers).subspan(m_model.root->buffers.size());
    }

private:
    struct Made {
        NodeId old = kNoNode;
        std::string_view name;
    };
    struct Line {
        std::string_view statement; ///< without blanks and freed values
        std::size_t start = 0, next = 0;
        std::uint32_t indent = 0;
    };
    void claimLines();
    void readLine();
    Line lineAt(std::size_t start) const;

    // before the body
    void readHead(const Line& line);
    void enter(const py::Stmt& def);
    void pairInputs(std::size_t from);
    void checkSignature() const;

    // the body
    bool checkIndent(const Line& line);
    bool keep(const Line& line);
    bool usesShadowed(std::string_view statement) const;
    void cloneWith(NodeId id, const std::vector<std::pair<NodeId, NodeId>>& others);
    std::size_t parse(const Line& line);
    std::size_t resumeFrom(std::size_t start) const;
    static bool isFreeing(const py::Stmt& statement);
    static bool isRead(const py::Expr& value);
    bool isInPlace(const py::Stmt& statement, std::size_t next) const;
    void execute(const py::Stmt& statement, std::size_t end);
    void annotate(const py::Stmt& statement);
    void finish(std::size_t offset);

    // which node is which
    void noteAssigned(std::string_view name, const trace::Value& value);
    void nameLazy();
    void settle(std::size_t from);
    void become(NodeId made, NodeId old);
    NodeId oldFor(NodeId made);

    // errors
    void fail(std::size_t offset, std::size_t end, const Message& message);
    void failed(const py::Stmt& statement, std::size_t end, const Message& message);
    void failed(const Line& line, const py::SourceError& error);
    void poison(std::string_view name);

    const GraphModule& m_model;
    std::string_view m_text;
    const Progress& m_progress;
    CodeLines m_old;
    std::string m_imports;
    Graph m_copy;
    std::shared_ptr<Module> m_root; ///< a copy that receives constants
    trace::ModuleIndex m_index;
    trace::Tracer m_tracer;
    CheckedEvaluator m_evaluator;
    FreeNodes m_free;

    enum class Part { Before, Body } m_part = Part::Before;
    std::size_t m_at = 0;   ///< start of the current line
    std::size_t m_base = 0; ///< start of the parsed line; offsets in its tree are relative to it
    std::uint32_t m_headIndent = 0;
    std::optional<std::uint32_t> m_indent; ///< of the body
    bool m_headChanged = false, m_headFailed = false, m_returned = false;
    bool m_spent = false;                     ///< the code exceeds the limits of tracing
    bool m_naming = true;                     ///< assignments in the statement name its nodes
    std::vector<std::string_view> m_shadowed; ///< local names that hide names used by generated code
    std::string_view m_self = "self";
    std::vector<std::size_t> m_claims; ///< by id of an old node: start of the first line with its statement, plus 1
    std::vector<char> m_used;          ///< by id of an old node
    std::unordered_map<std::string_view, int> m_typed; ///< names assigned by new lines
    std::vector<Made> m_made;                          ///< by id of a new node
    struct Lazy {
        std::shared_ptr<trace::LazyAttribute> value;
        std::string_view name;
    };
    std::vector<Lazy> m_lazy; ///< named, but recorded only when used
    NodeId m_poison = kNoNode;
};

} // namespace fx
