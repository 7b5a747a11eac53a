// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/labels.h"

#include "core/ir/print.h"

namespace fx {

namespace {

constexpr std::size_t kMaxCallText = 64;
constexpr std::size_t kMaxLeafText = 24;

/// Writes arguments as Python would, until the text is long enough; nested containers without recursion.
class CallText {
public:
    explicit CallText(const GraphModule& module) : m_module(module) {}
    std::string text;

    bool full() const { return text.size() > kMaxCallText; }
    void separate() {
        if (!text.ends_with('(') && !text.ends_with('[') && !text.ends_with('{')) text += ", ";
    }

    void add(const Argument& argument) {
        struct Open {
            const std::vector<Argument>* items;
            std::size_t next;
            char close;
        };
        std::vector<Open> open;
        const Argument* at = &argument;
        while (!full()) {
            const auto* sequence = at->as<Sequence>();
            if (sequence != nullptr) {
                const bool list = sequence->kind == Sequence::Kind::List;
                text += list ? '[' : '(';
                open.push_back({&sequence->items, 0, list ? ']' : ')'});
            } else {
                addLeaf(*at);
            }
            while (!open.empty() && open.back().next == open.back().items->size()) {
                text += open.back().close;
                open.pop_back();
            }
            if (open.empty()) break;
            at = &(*open.back().items)[open.back().next++];
            separate();
        }
    }

private:
    void addLeaf(const Argument& argument) {
        if (argument.isNode()) {
            text += m_module.graph.node(argument.node()).name();
        } else if (const auto* string = argument.as<std::string>()) {
            text += '\'' + string->substr(0, kMaxLeafText) + '\'';
        } else if (argument.as<Dict>() != nullptr) {
            text += "{…}";
        } else {
            text += reprOf(m_module.graph, argument);
        }
    }
    const GraphModule& m_module;
};

void addArguments(CallText& call, const Node& node, std::size_t first) {
    call.text += '(';
    for (std::size_t i = first; i < node.args().size() && !call.full(); ++i) {
        call.separate();
        call.add(node.args()[i]);
    }
    for (const auto& [name, value] : node.kwargs()) {
        if (call.full()) break;
        call.separate();
        call.text += name + '=';
        call.add(value);
    }
    call.text += call.full() ? "…" : ")";
}

/// "torch.ops.aten.add.Tensor" is read as "aten.add.Tensor".
std::string functionName(const Node& node) {
    auto name = node.callable() ? node.callable()->prettyName() : node.target();
    if (name.starts_with("torch.ops.")) name.erase(0, 10);
    return name;
}

std::string callText(const GraphModule& module, const Node& node) {
    CallText call(module);
    switch (node.op()) {
    case Op::Placeholder:
        call.text = node.args().empty() ? "input" : "input = ";
        if (!node.args().empty()) call.add(node.args()[0]);
        break;
    case Op::GetAttr: call.text = "self." + node.target(); break;
    case Op::Output:
        call.text = "return ";
        if (!node.args().empty()) call.add(node.args()[0]);
        break;
    case Op::CallModule:
        call.text = "self." + node.target();
        addArguments(call, node, 0);
        break;
    case Op::CallFunction:
        call.text = functionName(node);
        addArguments(call, node, 0);
        break;
    case Op::CallMethod:
        if (!node.args().empty()) call.add(node.args()[0]);
        call.text += '.' + node.target();
        addArguments(call, node, 1);
        break;
    }
    return std::move(call.text);
}

/// "1×64×56×56" of the first value; nothing when it is not known.
std::string shapeText(const Node& node) {
    const auto& values = node.meta().values;
    return values.empty() ? std::string() : values[0].shapeText();
}

} // namespace

NodeLabel labelOf(const GraphModule& module, const Node& node) {
    return {node.name(), callText(module, node), shapeText(node)};
}

} // namespace fx
