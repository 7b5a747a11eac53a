// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/code_reader.h"

#include "core/base/python_text.h"
#include "core/edit/code/code_places.h"
#include "core/edit/steps/pattern_step.h"
#include "core/trace/allowance.h"

#include <algorithm>

namespace fx {
namespace {

Message pythonSays(const std::string& text) { return Message("python.raised", {{"text", text}}); }

constexpr std::string_view kUsualImports =
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport operator\nimport math\n";

std::string_view rawName(const std::string& target) {
    return std::string_view(target).substr(std::min(target.find_first_not_of('*'), target.size()));
}

} // namespace

CodeReader::CodeReader(const GraphModule& model, std::string_view text, const Progress& progress)
    : m_model(model), m_text(text), m_progress(progress), m_old(model.graph),
      m_imports(std::string(kUsualImports) + m_old.imports()), m_copy(model.graph),
      m_root(std::make_shared<Module>(*model.root)), m_index(*m_root),
      m_tracer(m_copy, m_index, trace::Tracer::Mode::AsPython), m_evaluator(m_tracer, functionsOf(model)),
      m_free(model.graph), m_claims(model.graph.idLimit()), m_used(model.graph.idLimit()) {
    m_copy.setInsertPoint({});
    m_tracer.setLenient(true);
    m_evaluator.assigned = [this](std::string_view name, const trace::Value& value) { noteAssigned(name, value); };
}

void CodeReader::read() {
    py::Parser imports(m_imports);
    for (py::Stmt statement; imports.next(statement);) m_evaluator.executeModuleLevel(statement);
    claimLines();
    for (std::size_t count = 0; m_at < m_text.size() && errors.size() < kMaxCodeErrors && !m_spent; ++count) {
        if (count % 256 == 0) m_progress.check();
        readLine();
    }
    if (m_part == Part::Before && errors.empty()) fail(0, m_text.size(), Message("code.no_function"));
    if (m_part == Part::Body && !m_indent)
        fail(m_text.size(), m_text.size(),
             pythonSays("IndentationError: expected an indented block after the definition of forward"));
    if (errors.empty() && !m_returned && m_model.graph.outputNode() != kNoNode) finish(m_text.size());
    std::stable_sort(errors.begin(), errors.end(),
                     [](const CodeError& a, const CodeError& b) { return a.offset < b.offset; });
}

CodeReader::Line CodeReader::lineAt(std::size_t start) const {
    const std::size_t end = std::min(m_text.find('\n', start), m_text.size());
    const std::string_view whole = m_text.substr(start, end - start);
    Line line{statementOf(whole), start, std::min(end + 1, m_text.size()), indentOf(whole)};
    // A comment behind a statement of the old code.
    std::size_t hash = whole.find('#');
    for (int tries = 0; tries < 16 && hash != std::string_view::npos; ++tries, hash = whole.find('#', hash + 1))
        if (const std::string_view statement = statementOf(whole.substr(0, hash)); m_old.nodeOf(statement) != kNoNode)
            line.statement = statement;
    return line;
}

/// A node is wanted by the first line that still is its statement; other names that lines begin with are noted.
void CodeReader::claimLines() {
    for (std::size_t start = 0; start < m_text.size();) {
        const Line line = lineAt(start);
        const NodeId node = m_old.nodeOf(line.statement);
        if (node != kNoNode && m_claims[index(node)] == 0) m_claims[index(node)] = start + 1;
        else
            for (const std::string_view name : namesGivenBy(line.statement)) ++m_typed[name];
        start = line.next;
    }
}

void CodeReader::readLine() {
    const Line line = lineAt(m_at);
    if (line.statement.empty() || line.statement.front() == '#') {
        m_at = line.next;
    } else if (m_part == Part::Before) {
        readHead(line);
    } else if (!checkIndent(line)) {
        m_at = line.next;
    } else {
        m_at = keep(line) ? line.next : parse(line);
    }
}

// ── before the body ──────────────────────────────────────────────────────────────────────────────────────────────

void CodeReader::readHead(const Line& line) {
    if (line.statement != m_old.head()) {
        m_at = parse(line);
        return;
    }
    m_part = Part::Body;
    m_headIndent = line.indent;
    m_at = line.next;
    for (const Node& node : m_model.graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        m_evaluator.bind(rawName(node.target()), {trace::Proxy{node.id()}});
        m_used[index(node.id())] = true;
        order.push_back(node.id());
    }
    m_evaluator.bind(m_self, {trace::ModuleValue{m_root.get()}});
}

void CodeReader::enter(const py::Stmt& def) {
    if (def.text != "forward") throw trace::CannotFollow(Message("code.function_name"));
    const std::size_t from = m_copy.idLimit();
    m_headChanged = true;
    if (!def.parameters.empty()) m_self = def.parameters[0].name;
    m_evaluator.enter(def);
    pairInputs(from);
}

/// Inputs are known by their names; as many old as new ones that are left over have been renamed.
void CodeReader::pairInputs(std::size_t from) {
    std::unordered_map<std::string_view, NodeId> olds;
    for (const Node& node : m_model.graph.nodes())
        if (node.op() == Op::Placeholder) olds.emplace(node.target(), node.id());
    m_made.resize(m_copy.idLimit() - firstNew());
    std::vector<NodeId> unknown;
    for (std::size_t i = from; i < m_copy.idLimit(); ++i) {
        const auto made = static_cast<NodeId>(i);
        order.push_back(made);
        m_made[i - firstNew()].name = rawName(m_copy.node(made).target());
        const auto old = olds.find(m_copy.node(made).target());
        if (old == olds.end()) unknown.push_back(made);
        else become(made, old->second);
    }
    std::vector<NodeId> left;
    for (const Node& node : m_model.graph.nodes())
        if (node.op() == Op::Placeholder && !m_used[index(node.id())]) left.push_back(node.id());
    if (left.size() == unknown.size())
        for (std::size_t i = 0; i < left.size(); ++i) become(unknown[i], left[i]);
    if (!m_model.lifted.empty()) checkSignature();
}

void CodeReader::checkSignature() const {
    NodeId last = kNoNode;
    bool same = true;
    for (const NodeId made : order) {
        same = same && oldOf(made) != kNoNode && (last == kNoNode || m_model.graph.isBefore(last, oldOf(made)));
        last = oldOf(made);
    }
    for (const Node& node : m_model.graph.nodes())
        same = same && (node.op() != Op::Placeholder || m_used[index(node.id())]);
    if (!same) throw trace::CannotFollow(Message("code.signature"));
}

// ── the body ─────────────────────────────────────────────────────────────────────────────────────────────────────

bool CodeReader::checkIndent(const Line& line) {
    const std::size_t first = m_text.find_first_not_of(" \t", line.start);
    const auto wrong = [&](const std::string& what) {
        fail(first, first + line.statement.size(), pythonSays(what));
        for (const std::string_view name : namesGivenBy(line.statement)) poison(name);
        return false;
    };
    if (line.indent <= m_headIndent)
        return wrong(m_indent ? Message("code.text_after").text()
                              : "IndentationError: expected an indented block after the definition of forward");
    if (!m_indent) m_indent = line.indent;
    if (line.indent > *m_indent) return wrong("IndentationError: unexpected indent");
    if (line.indent < *m_indent) return wrong("IndentationError: unindent does not match any outer indentation level");
    return true;
}

/// A line that is the statement of a node is that node, when its names still mean what they meant; when they mean other
/// nodes, the node works on those.
bool CodeReader::keep(const Line& line) {
    if (m_headFailed || m_returned || usesShadowed(line.statement)) return false;
    const NodeId id = m_old.nodeOf(line.statement);
    if (id == kNoNode || m_used[index(id)] || m_claims[index(id)] != m_at + 1) return false;
    const Node& node = m_model.graph.node(id);
    if (node.op() == Op::Output && m_headChanged) return false; // it has its type from there
    std::vector<std::pair<NodeId, NodeId>> others;
    for (const NodeId input : node.inputs()) {
        const trace::Value* value = m_evaluator.local(m_old.nameOf(input));
        const auto* proxy = value ? value->as<trace::Proxy>() : nullptr;
        if (!proxy) return false;
        if (proxy->node != input) others.emplace_back(input, proxy->node);
    }
    m_used[index(id)] = true;
    if (others.empty()) {
        order.push_back(id);
        if (node.op() == Op::GetAttr) m_tracer.knowAttribute(node.target(), id);
    } else {
        cloneWith(id, others);
    }
    if (node.op() == Op::Output) m_returned = true;
    else m_evaluator.bind(m_old.nameOf(id), {trace::Proxy{id}});
    return true;
}

/// Whether the statement has a word that means something else here than in generated code.
bool CodeReader::usesShadowed(std::string_view statement) const {
    return std::any_of(m_shadowed.begin(), m_shadowed.end(),
                       [statement](std::string_view name) { return hasWord(statement, name); });
}

void CodeReader::cloneWith(NodeId id, const std::vector<std::pair<NodeId, NodeId>>& others) {
    const Node& node = m_model.graph.node(id);
    const auto now = [&](NodeId input) {
        const auto other =
            std::find_if(others.begin(), others.end(), [&](const auto& pair) { return pair.first == input; });
        return Argument(other == others.end() ? input : other->second);
    };
    const NodeId made = m_copy.createCopy(node, now);
    if (node.meta().wrapped) m_copy.setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
    m_made.resize(m_copy.idLimit() - firstNew());
    m_made.back() = {id, node.op() == Op::Output ? std::string_view() : m_old.nameOf(id)};
    order.push_back(made);
}

/// Reads the statements of one line, which may go on over several, and returns where the next line starts.
std::size_t CodeReader::parse(const Line& line) {
    m_base = line.start;
    py::Parser parser(m_text.substr(m_base));
    try {
        bool first = true;
        for (py::Stmt statement; parser.next(statement); first = false) {
            const std::size_t end = m_base + parser.taken();
            const bool last = parser.atLineEnd();
            if (first && !last && isInPlace(statement, parser.position()))
                m_tracer.setMode(trace::Tracer::Mode::AsWritten);
            if (first || !isFreeing(statement)) execute(statement, end);
            const bool block = statement.kind == py::StmtKind::Unsupported || statement.kind == py::StmtKind::Def;
            if (!last) continue;
            m_tracer.setMode(trace::Tracer::Mode::AsPython);
            const std::size_t next = std::min(m_text.find('\n', m_base + parser.position()), m_text.size() - 1) + 1;
            return block && m_part == Part::Body && m_indent ? resumeFrom(next) : next;
        }
    } catch (const py::SourceError& error) { failed(line, error); }
    m_tracer.setMode(trace::Tracer::Mode::AsPython);
    return resumeFrom(line.next);
}

/// The first line from `start` on that looks like a statement of the body: what is indented more belongs to what
/// failed.
std::size_t CodeReader::resumeFrom(std::size_t start) const {
    while (start < m_text.size() && m_indent) {
        const Line line = lineAt(start);
        if (!line.statement.empty() && (line.indent <= *m_indent || m_old.nodeOf(line.statement) != kNoNode)) break;
        start = line.next;
    }
    return start;
}

/// `;  x = y = None`
bool CodeReader::isFreeing(const py::Stmt& statement) {
    if (statement.kind != py::StmtKind::Assign || statement.value->kind != py::ExprKind::Constant ||
        !statement.value->constant->isNone())
        return false;
    return std::all_of(statement.targets.begin(), statement.targets.end(),
                       [](const py::Expr* target) { return target->kind == py::ExprKind::Name; });
}

/// `x[0] = 5;  setitem = x`, and `x += 2;  iadd = x` where a node iadd did so before: kept as written, for that is how
/// torch.fx writes such nodes, which it cannot trace.
bool CodeReader::isInPlace(const py::Stmt& statement, std::size_t next) const {
    const bool item = statement.kind == py::StmtKind::Assign && statement.targets.size() == 1 &&
                      statement.targets[0]->kind == py::ExprKind::Subscript &&
                      statement.targets[0]->items[0]->kind == py::ExprKind::Name;
    const bool augmented =
        statement.kind == py::StmtKind::AugAssign && statement.targets[0]->kind == py::ExprKind::Name;
    if (!item && !augmented) return false;
    const std::string_view changed = item ? statement.targets[0]->items[0]->text : statement.targets[0]->text;
    const Line rest = lineAt(m_base + next);
    const std::string_view naming =
        rest.statement.substr(std::min<std::size_t>(1, rest.statement.size())); // behind the semicolon
    const auto names = namesGivenBy(statementOf(naming));
    if (names.size() != 1 || !statementOf(naming).ends_with("= " + std::string(changed))) return false;
    const NodeId old = m_old.named(names[0]);
    return item || (old != kNoNode && m_model.graph.node(old).callable() &&
                    m_model.graph.node(old).callable()->module == "_operator" &&
                    m_model.graph.node(old).callable()->name.starts_with('i'));
}

void CodeReader::execute(const py::Stmt& statement, std::size_t end) {
    if (m_returned || m_headFailed) return;
    const std::size_t from = m_copy.idLimit();
    m_naming = statement.kind != py::StmtKind::AugAssign;
    m_tracer.setReadsAgain(m_naming && statement.value && isRead(*statement.value));
    try {
        if (m_part == Part::Before) {
            if (statement.kind != py::StmtKind::Def) return m_evaluator.executeModuleLevel(statement);
            m_part = Part::Body;
            m_headIndent = statement.indent;
            return enter(statement);
        }
        if (!m_indent) m_indent = statement.indent + 1; // behind the colon
        if (!m_evaluator.execute(statement)) {
            m_returned = true;
            m_evaluator.finish();
        }
        if (statement.kind == py::StmtKind::AnnAssign && statement.value) annotate(statement);
    } catch (const trace::PythonError& error) {
        failed(statement, end, error.message());
    } catch (const trace::CannotFollow& error) { failed(statement, end, error.message()); }
    settle(from);
}

/// `name = self.path` is how torch.fx writes a node that reads a tensor: one statement, one node.
bool CodeReader::isRead(const py::Expr& value) {
    return value.kind == py::ExprKind::Attribute ||
           (value.kind == py::ExprKind::Call && value.items[0]->kind == py::ExprKind::Name &&
            value.items[0]->text == "getattr");
}

/// torch.fx has types of nodes but does not trace them.
void CodeReader::annotate(const py::Stmt& statement) {
    if (statement.targets[0]->kind != py::ExprKind::Name) return;
    const trace::Value* value = m_evaluator.local(statement.targets[0]->text);
    const auto* proxy = value ? value->as<trace::Proxy>() : nullptr;
    if (proxy && index(proxy->node) >= firstNew())
        m_copy.setType(proxy->node, m_evaluator.annotation(*statement.annotation));
}

void CodeReader::finish(std::size_t offset) {
    const std::size_t from = m_copy.idLimit();
    try {
        m_evaluator.finish();
    } catch (const trace::CannotFollow& error) { return fail(offset, offset, error.message()); }
    settle(from);
    const TextPlace place{py::lineOf(m_text, offset)};
    warnings.push_back({Message("edit.returns_nothing"), {}, {}, place.text(), place});
}

// ── which node is which ──────────────────────────────────────────────────────────────────────────────────────────

void CodeReader::noteAssigned(std::string_view name, const trace::Value& value) {
    if ((name == m_self || m_evaluator.isGlobal(name) || isPythonBuiltin(name)) &&
        std::find(m_shadowed.begin(), m_shadowed.end(), name) == m_shadowed.end())
        m_shadowed.push_back(name);
    if (!m_naming) return;
    m_made.resize(m_copy.idLimit() - firstNew());
    if (const auto* proxy = value.as<trace::Proxy>();
        proxy && index(proxy->node) >= firstNew() && proxy->node != m_poison) {
        if (Made& made = m_made[index(proxy->node) - firstNew()]; made.name.empty()) made.name = name;
    } else if (const auto* lazy = value.asLazy()) {
        m_lazy.push_back({*lazy, name});
    }
}

/// `s = x.shape` is recorded where it is used first.
void CodeReader::nameLazy() {
    std::erase_if(m_lazy, [this](const Lazy& lazy) {
        if (lazy.value->node == kNoNode) return false;
        if (index(lazy.value->node) >= firstNew())
            if (Made& made = m_made[index(lazy.value->node) - firstNew()]; made.name.empty()) made.name = lazy.name;
        return true;
    });
}

/// Finds out what the nodes are that a statement made.
void CodeReader::settle(std::size_t from) {
    m_made.resize(m_copy.idLimit() - firstNew());
    nameLazy();
    for (std::size_t i = from; i < m_copy.idLimit(); ++i) {
        const auto made = static_cast<NodeId>(i);
        if (made == m_poison) continue;
        order.push_back(made);
        if (const NodeId old = oldFor(made); old != kNoNode) become(made, old);
    }
}

void CodeReader::become(NodeId made, NodeId old) {
    m_made[index(made) - firstNew()].old = old;
    m_used[index(old)] = true;
    const std::string_view name = nameOf(made);
    const trace::Value* value = name.empty() ? nullptr : m_evaluator.local(name);
    const auto* proxy = value ? value->as<trace::Proxy>() : nullptr;
    if (proxy && proxy->node == made) m_evaluator.bind(name, {trace::Proxy{old}});
}

NodeId CodeReader::oldFor(NodeId made) {
    const Node& node = m_copy.node(made);
    const auto canBe = [&](NodeId old) {
        return old != kNoNode && !m_used[index(old)] && m_model.graph.node(old).op() == node.op() &&
               m_claims[index(old)] <= m_at + 1;
    };
    if (node.op() == Op::Output) return canBe(m_model.graph.outputNode()) ? m_model.graph.outputNode() : kNoNode;
    if (const NodeId named = nameOf(made).empty() ? kNoNode : m_old.named(nameOf(made)); canBe(named)) return named;
    const auto meaning = [this](NodeId id) { return index(id) < firstNew() || oldOf(id) == kNoNode ? id : oldOf(id); };
    return m_free.find(node, meaning, [this](NodeId old) {
        return !m_used[index(old)] && m_claims[index(old)] == 0 && !m_typed.contains(m_old.nameOf(old));
    });
}

// ── what is wrong ────────────────────────────────────────────────────────────────────────────────────────────────

void CodeReader::fail(std::size_t offset, std::size_t end, const Message& message) {
    errors.push_back(codeError(m_text, offset, end, message));
}

void CodeReader::failed(const py::Stmt& statement, std::size_t end, const Message& message) {
    m_spent = m_spent || trace::isSpent(message);
    const py::Expr* expr = m_evaluator.failedAt();
    if (expr) fail(m_base + expr->offset, m_base + expr->end, message);
    else if (statement.kind == py::StmtKind::Unsupported)
        fail(m_base + statement.offset, m_base + statement.offset + statement.text.size(), message);
    else fail(m_base + statement.offset, end, message);
    m_headFailed = m_headFailed || statement.kind == py::StmtKind::Def;
    for (const py::Expr* target : statement.targets) {
        if (target->kind == py::ExprKind::Name) poison(target->text);
        for (const py::Expr* item : target->items)
            if (item && item->kind == py::ExprKind::Name) poison(item->text);
    }
}

void CodeReader::failed(const Line& line, const py::SourceError& error) {
    std::size_t at = m_base + error.offset;
    Message message = error.message();
    if (const auto open = openBracket(m_text.substr(line.start, line.next - line.start)); open && at + 1 >= line.next) {
        at = line.start + *open;
        message = Message("code.never_closed", {{"bracket", m_text.substr(at, 1)}});
    }
    fail(at, at + tokenLength(m_text.substr(at)),
         Message("code.syntax", {{"reason", message.text()}, {"cause", message.code()}}));
    if (m_part == Part::Before && line.statement.starts_with("def")) {
        m_part = Part::Body;
        m_headFailed = true;
        m_headIndent = line.indent;
    }
    for (const std::string_view name : namesGivenBy(line.statement)) poison(name);
    // `name $= f(x)`: most lines begin with the name that they give.
    if (const std::string_view name = line.statement.substr(0, tokenLength(line.statement));
        m_old.named(name) != kNoNode)
        poison(name);
}

/// A name that a faulty statement would have defined: what uses it is not wrong for that.
void CodeReader::poison(std::string_view name) {
    if (m_poison == kNoNode) m_poison = m_copy.placeholder("faulty");
    m_evaluator.bind(name, {trace::Proxy{m_poison}});
}

} // namespace fx
