// SPDX-License-Identifier: GPL-3.0-or-later
// torch.fx Node as a class of followed programs.
#include "core/ir/print.h"
#include "core/module/purity.h"
#include "core/textpasses/class_making.h"
#include "core/textpasses/graph_objects.h"

#include <algorithm>

namespace fx::python {

void GraphObjects::addNodeClass() {
    m_node = makeClass(m_in, "Node");
    addNodeReading();
    addNodeMeta();
    addNodeCall();
    addNodeChanges();
}

/// `a < b`: a comes first in the graph.
void GraphObjects::addNodeOrder() {
    static constexpr std::pair<const char*, bool (*)(int order)> kOrders[] = {
        {"__lt__", [](int order) { return order < 0; }},
        {"__le__", [](int order) { return order <= 0; }},
        {"__gt__", [](int order) { return order > 0; }},
        {"__ge__", [](int order) { return order >= 0; }}};
    for (const auto& [name, holds] : kOrders)
        addMethod(m_in, m_node, name, [this, holds = holds](Values& args, Keywords&) -> Value {
            const NodeObject &a = *nodeOf(args.at(0), "order"), &b = *nodeOf(args.at(1), "order");
            const Graph& graph = *a.graph->graph;
            return {holds(a.id == b.id ? 0 : graph.isBefore(a.id, b.id) ? -1 : 1)};
        });
}

void GraphObjects::addNodeReading() {
    addNodeOrder();
    const auto read = [this](const char* name, auto get) {
        addProperty(m_in, m_node, name, [this, name, get](const Value& self) -> Value {
            NodeObject& object = *nodeOf(self, name);
            return get(object, object.graph->graph->node(object.id));
        });
    };
    read("all_input_nodes", [this](NodeObject& self, const Node& node) -> Value {
        Values items;
        for (const NodeId each : node.inputs()) items.push_back(this->node(*self.graph, each));
        return m_in.listOf(std::move(items));
    });
    read("users", [this](NodeObject& self, const Node& node) -> Value {
        Dict* users = m_in.heap().make<Dict>();
        for (const NodeId each : node.users()) users->set(this->node(*self.graph, each), Value::none());
        return users;
    });
    addProperty(m_in, m_node, "next", [this](const Value& self) -> Value {
        NodeObject& node = *nodeOrRootOf(self, "next");
        return this->node(*node.graph, node.graph->next(node.id));
    });
    addProperty(m_in, m_node, "prev", [this](const Value& self) -> Value {
        NodeObject& node = *nodeOrRootOf(self, "prev");
        return this->node(*node.graph, node.graph->prev(node.id));
    });
    addProperty(m_in, m_node, "graph",
                [this](const Value& self) -> Value { return nodeOrRootOf(self, "graph")->graph; });
    read("_erased", [](NodeObject&, const Node& node) -> Value { return {node.erased()}; });
    addMethod(m_in, m_node, "__repr__", [this](Values& args, Keywords&) -> Value {
        const NodeObject& node = *nodeOrRootOf(args.at(0), "repr");
        return m_in.text(node.id == kNoNode ? "" : node.graph->graph->node(node.id).name());
    });
    addMethod(m_in, m_node, "format_node", [this](Values& args, Keywords&) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "format_node");
        const Node& node = self.graph->graph->node(self.id);
        return m_in.text(formatNode(*self.graph->graph, node));
    });
    addMethod(m_in, m_node, "_pretty_print_target", [this](Values& args, Keywords&) -> Value {
        const Value& target = args.at(1);
        return target.as<Str>() ? target : m_in.text(m_arguments.callableOf(target)->prettyName());
    });
    addMethod(m_in, m_node, "is_impure", [this](Values& args, Keywords&) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "is_impure");
        return {isImpure(*rootOf(*self.graph), self.graph->graph->node(self.id))};
    });
}

void GraphObjects::addNodeMeta() {
    addProperty(
        m_in, m_node, "meta",
        [this](const Value& self) -> Value { return m_nodeMetas.of(*nodeOrRootOf(self, "meta")); },
        [this](const Value& self, const Value& value) {
            auto* meta = value.as<Dict>();
            if (!meta) m_in.raise("TypeError", "expected a dict as meta, got " + m_in.repr(value));
            nodeOrRootOf(self, "meta")->meta = meta;
        });
    addProperty(
        m_in, m_node, "stack_trace",
        [this](const Value& self) -> Value {
            const Value* trace =
                m_nodeMetas.of(*nodeOrRootOf(self, "stack_trace"))->find(std::string_view("stack_trace"));
            return trace ? *trace : Value::none();
        },
        [this](const Value& self, const Value& value) {
            m_nodeMetas.of(*nodeOf(self, "stack_trace"))->set(m_in.text("stack_trace"), value);
        });
    addProperty(
        m_in, m_node, "type",
        [this](const Value& self) -> Value {
            const NodeObject& node = *nodeOrRootOf(self, "type");
            return node.id == kNoNode ? Value::none() : m_arguments.fromType(node.graph->graph->node(node.id).type());
        },
        [this](const Value& self, const Value& value) {
            const NodeObject& node = *nodeOf(self, "type");
            node.graph->graph->setType(node.id, m_arguments.typeOf(value));
        });
}

/// A call's op and target are assigned one after the other: what does not fit waits for the other one.
void GraphObjects::addNodeCall() {
    addProperty(
        m_in, m_node, "op",
        [this](const Value& self) -> Value {
            const NodeObject& node = *nodeOrRootOf(self, "op");
            if (node.id == kNoNode) return m_in.text("root");
            return m_in.text(std::string(opName(node.op.value_or(node.graph->graph->node(node.id).op()))));
        },
        [this](const Value& self, const Value& value) {
            NodeObject& node = *nodeOf(self, "op");
            const auto op = opFromName(m_in.str(value));
            if (!op) m_in.raise("AssertionError", "unknown op '" + m_in.str(value) + "'");
            setCall(node, *op, targetOf(node));
        });
    addProperty(
        m_in, m_node, "target", [this](const Value& self) -> Value { return targetOf(*nodeOrRootOf(self, "target")); },
        [this](const Value& self, const Value& value) {
            NodeObject& node = *nodeOf(self, "target");
            setCall(node, node.op.value_or(node.graph->graph->node(node.id).op()), value);
        });
}

Value GraphObjects::targetOf(const NodeObject& object) {
    if (object.target.isSet()) return object.target;
    if (object.id == kNoNode) return m_in.text("");
    const Node& node = object.graph->graph->node(object.id);
    return node.callable() ? m_arguments.functionOf(node.callable()) : m_in.text(node.target());
}

void GraphObjects::setCall(NodeObject& node, Op op, const Value& target) {
    const auto* name = target.as<Str>();
    if ((op == Op::CallFunction) == (name != nullptr)) {
        node.op = op, node.target = target;
        return;
    }
    node.op.reset(), node.target = {};
    node.graph->graph->setCall(node.id, op, name ? name->text : "", name ? nullptr : m_arguments.callableOf(target));
}

void GraphObjects::checkCalls(const GraphObject& graph) {
    for (const NodeObject* node : graph.nodes)
        if (node && node->op && !graph.graph->node(node->id).erased())
            m_in.raise("ValueError", "Node " + graph.graph->node(node->id).name() + " is a " +
                                         std::string(opName(*node->op)) + " with the target " + m_in.str(node->target));
}

void GraphObjects::addNodeChanges() {
    addProperty(
        m_in, m_node, "name",
        [this](const Value& self) -> Value {
            const NodeObject& node = *nodeOrRootOf(self, "name");
            return m_in.text(node.id == kNoNode ? "" : node.graph->graph->node(node.id).name());
        },
        [this](const Value& self, const Value& value) {
            const NodeObject& node = *nodeOf(self, "name");
            node.graph->graph->setNameUnchecked(node.id, m_in.str(value));
        });
    addProperty(
        m_in, m_node, "args",
        [this](const Value& self) -> Value {
            NodeObject& node = *nodeOrRootOf(self, "args");
            return node.id == kNoNode
                       ? Value(m_in.tuple({}))
                       : m_arguments.fromArguments(nodesOf(*node.graph), node.graph->graph->node(node.id).args());
        },
        [this](const Value& self, const Value& value) {
            const NodeObject& node = *nodeOf(self, "args");
            node.graph->graph->setArgs(node.id, m_arguments.toArguments(node.graph->graph, value));
            node.graph->mistakes.assigned(node.id, m_in.stack().here);
        });
    addProperty(
        m_in, m_node, "kwargs",
        [this](const Value& self) -> Value {
            NodeObject& node = *nodeOrRootOf(self, "kwargs");
            return node.id == kNoNode
                       ? Value(m_in.heap().make<Dict>())
                       : m_arguments.fromKwargs(nodesOf(*node.graph), node.graph->graph->node(node.id).kwargs());
        },
        [this](const Value& self, const Value& value) {
            const NodeObject& node = *nodeOf(self, "kwargs");
            node.graph->graph->setKwargs(node.id, m_arguments.toKwargs(node.graph->graph, value));
        });
    addMethod(m_in, m_node, "_rename", [this](Values& args, Keywords& kwargs) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "_rename");
        self.graph->graph->rename(self.id, m_in.str(argumentAt(args, kwargs, 1, "candidate")));
        return Value::none();
    });
    addMethod(m_in, m_node, "replace_all_uses_with", [this](Values& args, Keywords& kwargs) -> Value {
        NodeObject& self = *nodeOf(args.at(0), "replace_all_uses_with");
        const NodeObject& with = *nodeOf(argumentAt(args, kwargs, 1, "replace_with"), "replace_all_uses_with");
        const Value wanted = argumentAt(args, kwargs, 2, "delete_user_cb");
        if (with.graph != self.graph) m_in.raise("RuntimeError", "the nodes are in different graphs");
        std::vector<NodeId> kept; // asked before anything changes: the callback may raise
        if (wanted.isSet() && !wanted.isNone()) {
            const auto& set = self.graph->graph->node(self.id).users();
            const std::vector<NodeId> users(set.begin(), set.end());
            for (const NodeId user : users)
                if (!m_in.truth(m_in.call(wanted, {node(*self.graph, user)}))) kept.push_back(user);
            std::sort(kept.begin(), kept.end());
        }
        Values changed;
        for (const NodeId user : self.graph->graph->replaceAllUses(
                 self.id, with.id, [&](NodeId user) { return std::binary_search(kept.begin(), kept.end(), user); })) {
            changed.push_back(node(*self.graph, user));
            self.graph->mistakes.redirected(user, with.id, m_in.stack().here);
        }
        return m_in.listOf(std::move(changed));
    });
    addMethod(m_in, m_node, "replace_input_with", [this](Values& args, Keywords& kwargs) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "replace_input_with");
        const NodeId old = nodeOf(argumentAt(args, kwargs, 1, "old_input"), "replace_input_with")->id;
        const NodeId with = nodeOf(argumentAt(args, kwargs, 2, "new_input"), "replace_input_with")->id;
        self.graph->graph->replaceInput(self.id, old, with);
        return Value::none();
    });
    addMethod(m_in, m_node, "update_arg", [this](Values& args, Keywords& kwargs) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "update_arg");
        const std::int64_t at = argumentAt(args, kwargs, 1, "idx").asInt();
        std::vector<Argument> all = self.graph->graph->node(self.id).args();
        const auto count = static_cast<std::int64_t>(all.size());
        if (at >= count || at < -count) m_in.raise("IndexError", "list assignment index out of range");
        all[static_cast<std::size_t>(at < 0 ? at + count : at)] =
            m_arguments.toArgument(self.graph->graph, argumentAt(args, kwargs, 2, "arg"));
        self.graph->graph->setArgs(self.id, std::move(all));
        return Value::none();
    });
    addMethod(m_in, m_node, "insert_arg", [this](Values& args, Keywords& kwargs) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "insert_arg");
        const std::int64_t at = argumentAt(args, kwargs, 1, "idx").asInt();
        std::vector<Argument> all = self.graph->graph->node(self.id).args();
        if (at < 0 || at > static_cast<std::int64_t>(all.size()))
            m_in.raise("AssertionError", "insert_args index must be between 0 and len(self.args)");
        all.insert(all.begin() + at, m_arguments.toArgument(self.graph->graph, argumentAt(args, kwargs, 2, "arg")));
        self.graph->graph->setArgs(self.id, std::move(all));
        return Value::none();
    });
    addMethod(m_in, m_node, "update_kwarg", [this](Values& args, Keywords& kwargs) -> Value {
        const NodeObject& self = *nodeOf(args.at(0), "update_kwarg");
        const std::string key = m_in.str(argumentAt(args, kwargs, 1, "key"));
        const Argument value = m_arguments.toArgument(self.graph->graph, argumentAt(args, kwargs, 2, "arg"));
        Kwargs all = self.graph->graph->node(self.id).kwargs();
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == key; });
        if (found == all.end()) all.emplace_back(key, value);
        else found->second = value;
        self.graph->graph->setKwargs(self.id, std::move(all));
        return Value::none();
    });
    for (const bool before : {true, false})
        addMethod(m_in, m_node, before ? "prepend" : "append", [this, before](Values& args, Keywords&) -> Value {
            const NodeObject& self = *nodeOrRootOf(args.at(0), "append");
            const NodeObject& moved = *nodeOf(args.at(1), "append");
            for (const NodeObject* each : {&self, &moved})
                if (each->id != kNoNode && each->graph->graph->node(each->id).erased())
                    m_in.raise("RuntimeError", "Attempting to move an erased Node");
            if (self.graph != moved.graph)
                m_in.raise("AssertionError", "Attempting to move a Node into a different Graph");
            if (before) self.graph->graph->moveBefore(moved.id, self.id);
            else self.graph->graph->moveAfter(moved.id, self.id);
            return Value::none();
        });
}

} // namespace fx::python
