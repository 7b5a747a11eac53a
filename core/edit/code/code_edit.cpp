// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/code_edit.h"

#include "core/base/python_text.h"
#include "core/edit/code/code_reader.h"
#include "core/module/module_editor.h"
#include "core/trace/allowance.h"

#include <algorithm>

namespace fx {
namespace {

/// Carries out on the graph of a model what the reader found.
class Applier {
public:
    Applier(const CodeReader& reader, GraphModule& model)
        : m_reader(reader), m_model(model), m_graph(model.graph), m_final(reader.copy().idLimit(), kNoNode) {
        for (std::size_t i = 0; i < reader.firstNew(); ++i) m_final[i] = static_cast<NodeId>(i);
    }

    void apply() {
        m_graph.setInsertPoint({});
        addConstants();
        eraseUnused();
        reserveNames();
        for (const NodeId id : m_reader.order) place(id);
        m_graph.setInsertPoint({});
    }
    Warnings warnings;

private:
    bool isNew(NodeId id) const { return index(id) >= m_reader.firstNew(); }

    void addConstants() {
        const auto constants = m_reader.constants();
        if (constants.empty()) return;
        ModuleEditor editor(m_model);
        Module* root = editor.writable("");
        root->buffers.insert(root->buffers.end(), constants.begin(), constants.end());
    }

    /// What changes lets go of its inputs first, so that nothing uses what goes.
    void eraseUnused() {
        for (const NodeId made : m_reader.order)
            if (isNew(made) && m_reader.oldOf(made) != kNoNode && inputsChange(made))
                m_graph.setArgsKwargs(m_reader.oldOf(made), {}, {});
        for (NodeId id = m_graph.last(); id != kNoNode;) {
            const NodeId before = m_graph.prev(id);
            if (!m_reader.isUsed(id)) m_graph.erase(id);
            id = before;
        }
    }

    /// Names that the code gives come before those that nodes get by themselves.
    void reserveNames() {
        for (const NodeId id : m_reader.order)
            if (isNew(id) && !m_reader.nameOf(id).empty() && m_graph.find(m_reader.nameOf(id)) == kNoNode)
                m_graph.names().reserve(m_reader.nameOf(id));
    }

    bool inputsChange(NodeId made) const {
        const auto meaning = [this](NodeId id) {
            return isNew(id) && m_reader.oldOf(id) != kNoNode ? m_reader.oldOf(id) : id;
        };
        return !sameInputs(m_graph.node(m_reader.oldOf(made)), m_reader.copy().node(made), meaning);
    }

    void place(NodeId id) {
        const NodeId old = isNew(id) ? m_reader.oldOf(id) : id;
        const NodeId here = old == kNoNode ? create(id) : old;
        m_final[index(id)] = here;
        if (isNew(id) && old != kNoNode) change(id, old);
        const NodeId expected = m_last == kNoNode ? m_graph.first() : m_graph.next(m_last);
        if (expected != here) m_last == kNoNode ? m_graph.moveBefore(here, expected) : m_graph.moveAfter(here, m_last);
        m_last = here;
    }

    std::function<Argument(NodeId)> toFinal() const {
        return [this](NodeId id) { return Argument(m_final[index(id)]); };
    }

    NodeId create(NodeId id) {
        const Node& node = m_reader.copy().node(id);
        m_graph.setInsertPoint({InsertPoint::Side::After, m_last});
        const std::string name = wish(m_reader.nameOf(id));
        const NodeId made = m_graph.createCopy(node, toFinal(), name);
        if (node.meta().wrapped) setWrapped(made, true);
        return made;
    }

    void change(NodeId id, NodeId old) {
        const Node &node = m_reader.copy().node(id), &before = m_graph.node(old);
        const bool renamed =
            before.op() == Op::Placeholder ? before.target() != node.target() : !m_reader.keepsName(id);
        if (node.target() != before.target())
            node.op() == Op::CallFunction ? m_graph.setCallable(old, node.callable())
                                          : m_graph.setTarget(old, node.target());
        auto newArgs = mapNodes(node.args(), toFinal());
        auto newKwargs = mapNodes(node.kwargs(), toFinal());
        if (!(newArgs == before.args() && newKwargs == before.kwargs()))
            m_graph.setArgsKwargs(old, std::move(newArgs), std::move(newKwargs));
        if (takesType(node) && !sameType(node.type(), m_graph.node(old).type())) m_graph.setType(old, node.type());
        if (node.meta().wrapped != m_graph.node(old).meta().wrapped) setWrapped(old, node.meta().wrapped);
        if (renamed) m_graph.rename(old, wish(m_reader.nameOf(id)));
    }

    /// The line that defines the function has the types of inputs and output.
    bool takesType(const Node& node) const {
        return node.isCall() || node.op() == Op::GetAttr || m_reader.headChanged();
    }
    static bool sameType(const TypePtr& a, const TypePtr& b) { return a == b || (a && b && a->repr() == b->repr()); }

    void setWrapped(NodeId id, bool wrapped) {
        NodeMeta meta = m_graph.node(id).meta();
        meta.wrapped = wrapped;
        m_graph.setMeta(id, std::make_shared<const NodeMeta>(std::move(meta)));
    }

    /// A name that no node has any more can be given again, unlike in torch.fx.
    std::string wish(std::string_view name) {
        if (!name.empty() && m_graph.find(name) == kNoNode && m_graph.names().isUsed(name)) {
            Namespace::Entry entry = m_graph.names().at(name);
            entry.used = false;
            m_graph.names().set(name, std::move(entry));
        }
        return std::string(name);
    }

    const CodeReader& m_reader;
    GraphModule& m_model;
    Graph& m_graph;
    std::vector<NodeId> m_final; ///< by id in the reader's copy: the node in the result
    NodeId m_last = kNoNode;
};

/// Says of what is new or changed what Lancet does not know.
Warnings unknownParts(const CodeReader& reader, const GraphModule& model) {
    Warnings warnings;
    PathResolver paths(*model.root);
    NodeId at = model.graph.first();
    for (const NodeId id : reader.order) {
        const Node& node = model.graph.node(at);
        at = model.graph.next(at);
        if (index(id) < reader.firstNew()) continue;
        if (node.callable() && node.callable()->opaque)
            warnings.push_back({Message("edit.unknown_function", {{"target", node.target()}}), node.name(), {}, {}});
        if (node.callable() && node.callable()->qualifiedName == "_operator.setitem")
            warnings.push_back({Message("edit.item_assignment"), node.name(), {}, {}});
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const auto target = paths.resolve(node.target());
        if (target.kind == PathTarget::Kind::Missing ||
            (node.op() == Op::CallModule && target.kind != PathTarget::Kind::Module))
            warnings.push_back({node.op() == Op::CallModule ? Message("edit.module_kept", {{"path", node.target()}})
                                                            : Message("edit.attribute_kept", {{"path", node.target()}}),
                                node.name(),
                                node.target(),
                                {}});
    }
    return warnings;
}

} // namespace

CodeEdit editCode(const GraphModule& model, std::string_view text, const Progress& progress) {
    CodeReader reader(model, text, progress);
    {
        trace::Allowance allowance(trace::Allowance::kMostStatements, progress);
        const trace::Spending spending(allowance);
        reader.read();
    }
    CodeEdit edit;
    edit.errors = std::move(reader.errors);
    edit.warnings = std::move(reader.warnings);
    if (!edit.errors.empty()) return edit;
    progress.check();
    edit.model = std::make_shared<GraphModule>(model);
    Applier(reader, *edit.model).apply();
    Warnings unknown = unknownParts(reader, *edit.model);
    edit.warnings.insert(edit.warnings.end(), std::make_move_iterator(unknown.begin()),
                         std::make_move_iterator(unknown.end()));
    return edit;
}

Error codeRefusal(std::string_view text, const std::vector<CodeError>& errors) {
    const auto place = [](const CodeError& error) {
        return TextPlace{static_cast<std::size_t>(error.line), static_cast<std::size_t>(error.column)};
    };
    const CodeError& first = errors.front();
    std::string others = first.message.hint();
    for (std::size_t i = 1; i < std::min<std::size_t>(errors.size(), 10); ++i)
        others += (others.empty() ? "also "
                   : i == 1       ? "; also "
                                  : "; ") +
                  place(errors[i]).text() + ": " + errors[i].text();
    return Error(ErrorKind::Refused, first.message)
        .at(place(first))
        .quoting(std::string(py::lineTextAt(text, first.offset)))
        .hinting(others);
}

} // namespace fx
