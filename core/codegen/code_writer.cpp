// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/code_writer.h"

#include "core/base/python_text.h"
#include "core/codegen/computed_text.h"
#include "core/diag/error.h"
#include "core/ir/code_words.h"
#include "core/ir/print.h"
#include "core/ops/python_operators.h"

#include <algorithm>

namespace fx {
namespace {
bool isOperator(const Callable& callable) {
    return callable.kind == Callable::Kind::OpOverload || callable.kind == Callable::Kind::HigherOrderOp;
}
} // namespace

CodeWriter::CodeWriter(const Graph& graph, bool frees) : globals(graph), m_graph(graph), m_writesFrees(frees) {
    body.reserve(graph.size() * 80);
    nodeStarts.reserve(graph.size());
}

void CodeWriter::writeAll() {
    if (m_writesFrees) collectLastUses();
    for (const Node& node : m_graph.nodes()) {
        nodeStarts.push_back(body.size());
        globals.writing = node.id();
        try {
            writeNode(node);
        } catch (Error& error) {
            if (error.node.empty()) error.onNode(node.name());
            throw;
        }
        writeFrees(node);
    }
    globals.checkUndefined();
}

std::string CodeWriter::head() const {
    std::string out = "def forward(self";
    // A first parameter that is called self already stands for it.
    const bool hasSelf = !parameters.empty() && parameters[0] == "self";
    for (std::size_t i = hasSelf ? 1 : 0; i < parameters.size(); ++i) out += ", " + parameters[i];
    return out + ")" + returnAnnotation + ":";
}

/// A value is freed by its last user. Walking backwards, the first user met is that one; the order inside one clause is
/// the order of the user's inputs.
void CodeWriter::collectLastUses() {
    m_freeStart.assign(m_graph.idLimit() + 1, 0);
    std::vector<bool> seen(m_graph.idLimit());
    m_frees.reserve(m_graph.size());
    for (NodeId id = m_graph.last(); id != kNoNode; id = m_graph.prev(id)) {
        m_freeStart[index(id)] = static_cast<std::uint32_t>(m_frees.size());
        for (const NodeId input : m_graph.node(id).inputs()) {
            if (seen[index(input)]) continue;
            seen[index(input)] = true;
            m_frees.push_back(input);
        }
    }
}

void CodeWriter::writeFrees(const Node& node) {
    if (node.op() == Op::Placeholder) return;
    if (node.op() != Op::Output && m_writesFrees) {
        const NodeId before = m_graph.prev(node.id()); // the next slice: the walk went backwards
        const std::size_t end = before == kNoNode ? m_frees.size() : m_freeStart[index(before)];
        const char* separator = ";  ";
        const auto free = [&](NodeId id) {
            body += std::exchange(separator, " = ");
            body += globals.nodeName(id);
        };
        for (std::size_t i = m_freeStart[index(node.id())]; i < end; ++i) free(m_frees[i]);
        if (node.users().empty()) free(node.id());
        if (separator[0] == ' ') body += " = None";
    }
    body += '\n';
}

void CodeWriter::writeName(const Node& node, const std::string& annotation) {
    body += globals.nodeName(node.id());
    body += annotation;
    body += " = ";
}

void CodeWriter::writeNode(const Node& node) {
    const std::string annotation = node.type() ? " : " + globals.typeName(*node.type()) : "";
    switch (node.op()) {
    case Op::Placeholder: return writePlaceholder(node, annotation);
    case Op::CallFunction: return writeFunction(node, annotation);
    case Op::CallMethod: {
        writeName(node, annotation);
        if (node.args().empty())
            throw Error(ErrorKind::Refused, Message("codegen.method_without_object", {{"node", node.name()}}))
                .onNode(node.name());
        writeTarget([&] { writeValue(node.args()[0]); }, node.target());
        return writeCallArgs(node, 1);
    }
    case Op::CallModule:
        writeName(node, annotation);
        writeTarget([&] { body += "self"; }, node.target());
        return writeCallArgs(node, 0);
    case Op::GetAttr: writeName(node, annotation); return writeTarget([&] { body += "self"; }, node.target());
    case Op::Output:
        if (node.type()) returnAnnotation = " -> " + globals.typeName(*node.type());
        body += "return ";
        if (!node.args().empty()) writeValue(node.args()[0]);
        return;
    }
}

void CodeWriter::writePlaceholder(const Node& node, const std::string& annotation) {
    const std::string defaultText = node.args().empty() ? "" : " = " + value(node.args()[0]);
    parameters.push_back(node.target() + annotation + defaultText);
    const std::string raw = node.target().substr(std::min(node.target().find_first_not_of('*'), node.target().size()));
    requireIdentifier(raw);
    if (raw != globals.nodeName(node.id())) body += globals.nodeName(node.id()) + " = " + raw + "\n";
}

void CodeWriter::writeFunction(const Node& node, const std::string& annotation) {
    if (node.callable()->module == "_operator" && writeOperator(node, annotation)) return;
    const std::string& name = globals.callableName(*node.callable());
    const auto& args = node.args();
    if (name == "getattr" && args.size() == 2) {
        const auto* attribute = args[1].as<std::string>();
        if (attribute && isPythonIdentifier(*attribute)) {
            writeName(node, annotation);
            return writeTarget([&] { writeValue(args[0]); }, *attribute);
        }
    }
    writeName(node, annotation);
    body += name;
    writeCallArgs(node, 0);
    if (node.meta().wrapped && std::find(wrapped.begin(), wrapped.end(), name) == wrapped.end())
        wrapped.push_back(name);
}

bool CodeWriter::writeOperator(const Node& node, const std::string& annotation) {
    if (const auto format = ops::operatorFormat(node.callable()->name); !format.empty()) {
        writeName(node, annotation);
        writeFormat(node, format);
        return true;
    }
    const auto format = ops::inPlaceOperatorFormat(node.callable()->name);
    if (format.empty()) return false;
    writeFormat(node, format);
    body += ";  ";
    writeName(node, annotation);
    writeValue(node.args()[0]);
    return true;
}

void CodeWriter::writeFormat(const Node& node, std::string_view format) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '{') {
            body += format[i];
            continue;
        }
        if (next == node.args().size())
            throw Error(ErrorKind::Refused,
                        Message("codegen.missing_positional", {{"index", next}, {"operator", node.callable()->name}}))
                .onNode(node.name());
        writeValue(node.args()[next++]);
        ++i;
    }
}

void CodeWriter::writeCallArgs(const Node& node, std::size_t from) {
    body += '(';
    bool first = true;
    const auto separate = [&] {
        if (!first) body += ", ";
        first = false;
    };
    for (std::size_t i = from; i < node.args().size(); ++i) {
        separate();
        writeValue(node.args()[i]);
    }
    for (const auto& [key, argument] : node.kwargs()) {
        separate();
        requireIdentifier(key);
        body += key + " = ";
        writeValue(argument);
    }
    body += ')';
}

/// Atoms that are no identifiers wrap all that is to their left, so their opening parts come first.
template<class WriteBase> void CodeWriter::writeTarget(WriteBase writeBase, std::string_view target) {
    std::vector<std::pair<std::string_view, bool>> atoms;
    atoms.reserve(8);
    for (std::size_t start = 0;;) {
        const std::size_t dot = target.find('.', start);
        const std::string_view atom = target.substr(start, dot == std::string_view::npos ? dot : dot - start);
        atoms.emplace_back(atom, isPythonIdentifier(atom));
        if (!atoms.back().second) requireQuotable(atom), body += "getattr(";
        if (dot == std::string_view::npos) break;
        start = dot + 1;
    }
    writeBase();
    for (const auto& [atom, plain] : atoms) {
        body += plain ? "." : ", \"";
        body += atom;
        if (!plain) body += "\")";
    }
}

void CodeWriter::writeItems(const std::vector<Argument>& items, bool asRepr) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) body += ", ";
        writeValue(items[i], asRepr);
    }
}

/// torch.fx `_get_repr` walks tuples, lists and slices itself; dicts, and all inside them, print by Python's repr(),
/// where enum members and operators look different.
void CodeWriter::writeValue(const Argument& argument, bool asRepr) {
    if (argument.isNode()) {
        body += globals.nodeName(argument.node());
    } else if (const auto* sequence = argument.as<Sequence>()) {
        const bool list = sequence->kind == Sequence::Kind::List;
        if (sequence->kind == Sequence::Kind::NamedTuple && sequence->type) writeTupleClass(*sequence->type);
        body += list ? '[' : '(';
        writeItems(sequence->items, asRepr);
        body += list ? "]" : sequence->items.size() == 1 ? ",)" : ")";
    } else if (const auto* slice = argument.as<Slice>()) {
        body += "slice(";
        writeItems({slice->start, slice->stop, slice->step}, asRepr);
        body += ')';
    } else if (const auto* dict = argument.as<Dict>()) {
        const char* separator = "{";
        for (const auto& [key, item] : dict->items) {
            body += separator;
            writeValue(key, true);
            body += ": ";
            writeValue(item, true);
            separator = ", ";
        }
        body += dict->items.empty() ? "{}" : "}";
    } else if (const auto* member = argument.as<EnumMember>(); member && !asRepr && member->type) {
        requireIdentifier(member->member);
        body += globals.callableName(*member->type, member->type->name) + "." + member->member;
    } else if (const auto* value = argument.as<CallableValue>(); value && !asRepr && isOperator(*value->callable)) {
        body += globals.callableName(*value->callable);
    } else {
        const std::size_t start = body.size();
        appendRepr(body, m_graph, argument);
        globals.leaveUndefined(requirePrinted(argument, std::string_view(body).substr(start)));
    }
}

void CodeWriter::writeTupleClass(const Callable& type) {
    requireTupleClass(type);
    if (!isTupleClassOfTorch(type.qualifiedName)) globals.callTupleClass(type.qualifiedName);
    body += globals.callableName(type);
}

std::string CodeWriter::value(const Argument& argument) {
    const std::size_t start = body.size();
    writeValue(argument);
    std::string text = body.substr(start);
    body.resize(start);
    return text;
}

} // namespace fx
