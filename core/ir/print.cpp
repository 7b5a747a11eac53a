// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"

#include "core/base/python_text.h"

namespace fx {
namespace {
enum class Style {
    Repr,  ///< Python repr()
    Format ///< torch.fx `_format_arg`: nodes with %, leaves as str(), containers walked
};

/// Writes values as Python prints them. Depth is bounded by kMaxArgumentDepth.
class Printer {
public:
    Printer(std::string& out, const Graph& graph) : m_out(out), m_graph(graph) {}

    void print(const Argument& argument, Style style) {
        m_style = style;
        std::visit([this](const auto& value) { write(value); }, argument.value());
    }

private:
    void nested(const Argument& argument) {
        std::visit([this](const auto& value) { write(value); }, argument.value());
    }
    /// Inside slices, enums and keys Python falls back to its own repr or str.
    void asRepr(const Argument& argument) {
        const Style style = m_style;
        print(argument, Style::Repr);
        m_style = style;
    }
    template<class T> void write(const std::shared_ptr<const T>& box) { write(*box); }
    void write(std::monostate) { m_out += "None"; }
    void write(EllipsisValue) { m_out += "Ellipsis"; }
    void write(bool value) { m_out += value ? "True" : "False"; }
    void write(std::int64_t value) { m_out += std::to_string(value); }
    void write(double value) { appendPythonFloat(m_out, value); }
    void write(NodeId id) {
        if (m_style == Style::Format) m_out += '%';
        m_out += m_graph.node(id).name();
    }
    void write(const std::string& text) {
        if (m_style == Style::Format) m_out += text;
        else appendPythonString(m_out, text);
    }
    void write(const BigInt& value) { m_out += value.digits; }
    void write(const Complex& value) { appendPythonComplex(m_out, value.re, value.im); }
    void write(const Bytes& value) { appendPythonBytes(m_out, value.data); }
    void write(const Sequence& sequence) {
        const bool list = sequence.kind == Sequence::Kind::List;
        if (sequence.kind == Sequence::Kind::NamedTuple && m_style == Style::Repr && sequence.type) {
            m_out += sequence.type->name;
        }
        m_out += list ? '[' : '(';
        for (std::size_t i = 0; i < sequence.items.size(); ++i) {
            if (i > 0) m_out += ", ";
            nested(sequence.items[i]);
        }
        if (!list && sequence.items.size() == 1) m_out += ',';
        m_out += list ? ']' : ')';
    }
    void write(const Dict& dict) {
        m_out += '{';
        for (std::size_t i = 0; i < dict.items.size(); ++i) {
            const auto& [key, value] = dict.items[i];
            if (i > 0) m_out += ", ";
            if (m_style == Style::Format) appendStr(m_out, m_graph, key);
            else nested(key);
            m_out += ": ";
            nested(value);
        }
        m_out += '}';
    }
    void write(const Slice& slice) {
        m_out += "slice(";
        asRepr(slice.start);
        m_out += ", ";
        asRepr(slice.stop);
        m_out += ", ";
        asRepr(slice.step);
        m_out += ')';
    }
    void write(const Range& range) {
        m_out += "range(" + std::to_string(range.start) + ", " + std::to_string(range.stop);
        if (range.step != 1) m_out += ", " + std::to_string(range.step);
        m_out += ')';
    }
    void write(const Device& device) {
        const std::string index = device.index < 0 ? "" : std::to_string(device.index);
        if (m_style == Style::Format) m_out += device.type + (index.empty() ? "" : ":" + index);
        else m_out += "device(type='" + device.type + "'" + (index.empty() ? "" : ", index=" + index) + ")";
    }
    void write(const TorchConstant& constant) { m_out += constant.name; }
    void write(const Symbolic& symbolic) { m_out += symbolic.expression; }
    void write(const EnumMember& member) {
        if (m_style == Style::Repr) m_out += member.repr;
        else if (!member.str.empty()) m_out += member.str;
        else m_out += (member.type ? member.type->name + "." : "") + member.member;
    }
    void write(const CallableValue& value) {
        const Callable& callable = *value.callable;
        if (m_style == Style::Format || callable.repr.starts_with('<')) {
            m_out += callable.repr;
        } else if (callable.kind == Callable::Kind::OpOverload) {
            const auto dot = callable.repr.rfind('.');
            m_out += "<OpOverload(op='" + callable.repr.substr(0, dot) + "', overload='" +
                     callable.repr.substr(dot + 1) + "')>";
        } else if (callable.kind == Callable::Kind::OpPacket) {
            m_out += "<OpOverloadPacket(op='" + callable.repr + "')>";
        } else {
            m_out += callable.repr;
        }
    }
    void write(const OpaqueObject& object) { m_out += object.repr; }

    std::string& m_out;
    const Graph& m_graph;
    Style m_style = Style::Repr;
};

void appendFormatted(std::string& out, const Graph& graph, const Argument& argument) {
    Printer(out, graph).print(argument, Style::Format);
}

void appendFormattedArgs(std::string& out, const Graph& graph, const Node& node) {
    out += "(args = (";
    for (std::size_t i = 0; i < node.args().size(); ++i) {
        if (i > 0) out += ", ";
        appendFormatted(out, graph, node.args()[i]);
    }
    out += node.args().size() == 1 ? ",), kwargs = {" : "), kwargs = {";
    for (std::size_t i = 0; i < node.kwargs().size(); ++i) {
        if (i > 0) out += ", ";
        out += node.kwargs()[i].first + ": ";
        appendFormatted(out, graph, node.kwargs()[i].second);
    }
    out += "})";
}

void appendNode(std::string& out, const Graph& graph, const Node& node) {
    if (node.op() == Op::Output) {
        out += "return ";
        if (!node.args().empty()) appendStr(out, graph, node.args()[0]);
        return;
    }
    out += '%' + node.name() + " : ";
    if (node.type()) out += node.type()->repr() + ' ';
    out += "[num_users=" + std::to_string(node.users().size()) + "] = ";
    out += opName(node.op());
    out += "[target=" + (node.callable() ? node.callable()->prettyName() : node.target()) + ']';
    if (node.op() == Op::Placeholder && !node.args().empty()) {
        out += "(default=";
        appendStr(out, graph, node.args()[0]);
        out += ')';
    }
    if (node.isCall()) appendFormattedArgs(out, graph, node);
}
} // namespace

std::string graphText(const Graph& graph) {
    std::string out = "graph():";
    out.reserve(graph.size() * 120);
    for (const Node& node : graph.nodes()) {
        out += "\n    ";
        appendNode(out, graph, node);
    }
    return out;
}

std::string formatNode(const Graph& graph, const Node& node) {
    std::string out;
    appendNode(out, graph, node);
    return out;
}

void appendRepr(std::string& out, const Graph& graph, const Argument& argument) {
    Printer(out, graph).print(argument, Style::Repr);
}

std::string reprOf(const Graph& graph, const Argument& argument) {
    std::string out;
    appendRepr(out, graph, argument);
    return out;
}

void appendStr(std::string& out, const Graph& graph, const Argument& argument) {
    // str() and repr() differ only for these leaves; containers print their elements by repr().
    const bool ownStr = argument.as<std::string>() || argument.as<Device>() || argument.as<EnumMember>() ||
                        argument.as<CallableValue>();
    Printer(out, graph).print(argument, ownStr ? Style::Format : Style::Repr);
}

std::string argsRepr(const Graph& graph, const Node& node) { return reprOf(graph, Argument::tuple(node.args())); }

std::string kwargsRepr(const Graph& graph, const Node& node) {
    std::string out = "{";
    for (const auto& [key, value] : node.kwargs()) {
        if (out.size() > 1) out += ", ";
        appendPythonString(out, key);
        out += ": ";
        appendRepr(out, graph, value);
    }
    return out + "}";
}

} // namespace fx
