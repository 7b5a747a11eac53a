// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/unlift.h"

#include "core/ir/print.h"
#include "core/json/json_document.h"
#include "core/module/exported_signature.h"
#include "core/partition/submodule.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace fx {
namespace {

using Kind = LiftedInput::Kind;

bool isState(Kind kind) { return kind == Kind::Parameter || kind == Kind::Buffer || kind == Kind::Constant; }
bool isUser(Kind kind) { return kind == Kind::UserInput || kind == Kind::ConstantInput; }

/// The inputs that the graph has now: one that an edit has made is the user's.
std::vector<LiftedInput> presentInputs(const GraphModule& model) {
    std::unordered_map<NodeId, const LiftedInput*> known;
    for (const LiftedInput& input : model.lifted) known.emplace(input.node, &input);
    std::vector<LiftedInput> inputs;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        const auto found = known.find(node.id());
        inputs.push_back(found == known.end() ? LiftedInput{node.id(), Kind::UserInput, {}} : *found->second);
    }
    return inputs;
}

std::vector<NodeId> userInputs(const std::vector<LiftedInput>& inputs) {
    std::vector<NodeId> nodes;
    for (const LiftedInput& input : inputs)
        if (isUser(input.kind)) nodes.push_back(input.node);
    return nodes;
}

std::shared_ptr<const ExportedSignature> exportedAs(const GraphModule& model) {
    return isLifted(model) ? ExportedSignature::of(model) : nullptr;
}

/// A pytree specification: [version, {"type", "context", "children_spec"}]; null when there is none.
std::shared_ptr<const JsonDocument> specification(const std::string& text) {
    if (text.empty()) return nullptr;
    auto document = JsonDocument::parse(text);
    return document->root().isArray() && document->root().size() == 2 ? document : nullptr;
}
JsonValue treeOf(const JsonDocument& specification) { return *++specification.root().begin(); }

bool isLeaf(const JsonValue spec) { return spec.at("type").isNull(); }

/// The keys of a dict's children.
std::vector<std::string> keysOf(const JsonValue spec) {
    std::vector<std::string> keys;
    const auto document = JsonDocument::parse(std::string(spec.at("context").asText()));
    for (const JsonValue key : document->root().needArray()) {
        if (!key.isString()) throw Error(ErrorKind::Refused, Message("saving.dict_keys"));
        keys.emplace_back(key.asText());
    }
    return keys;
}

/// Makes the OrderedDict of these (key, value) tuples: an argument has only dicts.
using MakeOrdered = std::function<Argument(std::vector<Argument> entries)>;

/// The leaves nested as the specification says. Its depth is that of JSON, which is bounded.
Argument nestedAs(const JsonValue spec, const std::vector<Argument>& leaves, std::size_t& next,
                  const MakeOrdered& makeOrdered) {
    if (isLeaf(spec)) return next < leaves.size() ? leaves[next++] : Argument();
    std::vector<Argument> children;
    for (const JsonValue child : spec.at("children_spec").needArray())
        children.push_back(nestedAs(child, leaves, next, makeOrdered));
    const std::string type(spec.at("type").asText());
    if (type == "builtins.list") return Argument::list(std::move(children));
    if (type == "builtins.tuple") return Argument::tuple(std::move(children));
    const bool isOrdered = makeOrdered && type == "collections.OrderedDict";
    if (!isOrdered && type != "builtins.dict")
        throw Error(ErrorKind::Refused, Message("saving.container", {{"type", type}}));
    std::vector<std::pair<Argument, Argument>> items;
    for (const std::string& key : keysOf(spec))
        if (items.size() < children.size()) items.emplace_back(Argument(key), children[items.size()]);
    if (!isOrdered) return Argument::dict(std::move(items));
    std::vector<Argument> entries;
    for (auto& [key, value] : items) entries.push_back(Argument::tuple({key, value}));
    return makeOrdered(std::move(entries));
}

std::optional<Argument> nestedOutput(const GraphModule& model, const std::vector<Argument>& leaves,
                                     const MakeOrdered& makeOrdered) {
    const auto file = exportedAs(model);
    const auto spec = file ? specification(file->outputSpecification) : nullptr;
    if (!spec) return std::nullopt;
    std::size_t next = 0;
    Argument result = nestedAs(treeOf(*spec), leaves, next, makeOrdered);
    if (next != leaves.size()) return std::nullopt;
    return result;
}

class Unlifter {
public:
    explicit Unlifter(const GraphModule& model)
        : m_model(model), m_inputs(presentInputs(model)), m_file(exportedAs(model)), m_root(rootWithSubgraphs(model)),
          m_paths(*m_root) {
        m_out.root->className = m_out.className;
        m_out.root->classModule = "torch.fx.graph_module";
        m_out.root->training = model.root->training;
        m_out.producer = model.producer, m_out.path = model.path;
    }

    GraphModule run() {
        inputs();
        AttributeTree attributes(m_out.root);
        for (const LiftedInput& input : m_inputs) {
            const Node& node = m_model.graph.node(input.node);
            if (!isState(input.kind)) continue;
            attributes.assign(input.path, m_paths.resolve(input.path));
            m_state[input.path] = m_made[input.node] = m_out.graph.createNode(Op::GetAttr, input.path);
            m_out.graph.setMeta(m_made[input.node], std::make_shared<const NodeMeta>(node.meta()));
        }
        for (const Node& node : m_model.graph.nodes()) {
            if (node.op() == Op::Placeholder || node.op() == Op::Output) continue;
            if (node.op() != Op::CallFunction && node.op() != Op::CallMethod)
                attributes.assign(node.target(), needTarget(m_paths, node));
            m_made[node.id()] = copyNode(
                m_out.graph, node, [this](NodeId id) { return m_made.at(id); }, node.name());
        }
        output();
        return std::move(m_out);
    }

private:
    /// Placeholders for what the user gives, and getitems for the tensors in it.
    void inputs() {
        std::vector<const Node*> leaves;
        for (const LiftedInput& input : m_inputs) {
            if (isUser(input.kind)) leaves.push_back(&m_model.graph.node(input.node));
            else if (!isState(input.kind))
                throw Error(
                    ErrorKind::Refused,
                    Message("saving.input_kind", {{"name", m_model.graph.node(input.node).name()},
                                                  {"kind", (input.kind == Kind::Token ? "token" : "custom object")}}))
                    .onNode(m_model.graph.node(input.node).name());
        }
        const auto spec = m_file ? specification(m_file->inputSpecification) : nullptr;
        const bool changed = userInputs(m_inputs) != userInputs(m_model.lifted);
        if (changed) m_out.warnings.push_back({Message("saving.inputs_changed"), {}, {}, {}});
        if (changed || !spec || !nested(treeOf(*spec), leaves))
            for (const Node* leaf : leaves) placeholder(*leaf, leaf->name());
    }

    NodeId placeholder(const Node& node, const std::string& name) {
        const NodeId made = m_out.graph.placeholder(name, node.inputs().empty() ? node.args() : std::vector<Argument>(),
                                                    node.type(), name);
        m_out.graph.setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
        return m_made[node.id()] = made;
    }

    /// An argument of the call and where in it the tensors are.
    struct Taken {
        std::string name;
        std::vector<std::vector<Argument>> paths; ///< of its leaves, in order; one empty path: it is a leaf
    };

    /// False when the specification is not of these leaves, or has containers that a getitem cannot take apart.
    bool nested(const JsonValue call, const std::vector<const Node*>& leaves) {
        std::vector<Taken> arguments;
        std::size_t count = 0;
        for (const auto& [name, spec] : argumentsOf(call)) {
            arguments.push_back({name, {}});
            if (!findLeaves(spec, arguments.back().paths)) return false;
            count += arguments.back().paths.size();
        }
        if (count != leaves.size()) return false;
        std::vector<NodeId> values; // placeholders come first
        auto leaf = leaves.begin();
        for (const Taken& argument : arguments) {
            const bool isLeaf = argument.paths.size() == 1 && argument.paths[0].empty();
            values.push_back(isLeaf ? placeholder(**leaf, argument.name)
                                    : m_out.graph.placeholder(argument.name, {}, {}, argument.name));
            leaf += static_cast<std::ptrdiff_t>(argument.paths.size());
        }
        leaf = leaves.begin();
        for (std::size_t i = 0; i < arguments.size(); ++i)
            for (const std::vector<Argument>& path : arguments[i].paths) takeOut(values[i], path, **leaf++);
        return true;
    }

    /// Positional and keyword arguments with their names.
    std::vector<std::pair<std::string, JsonValue>> argumentsOf(const JsonValue call) const {
        std::vector<std::pair<std::string, JsonValue>> arguments;
        const JsonValue parts = call.at("children_spec");
        if (parts.size() != 2) return arguments;
        const std::vector<std::string>& names = m_file->argumentNames;
        const JsonValue positional = *parts.begin(), keywords = *++parts.begin();
        if (isLeaf(keywords) || keywords.at("type").asText() != "builtins.dict") return arguments;
        for (const JsonValue child : positional.at("children_spec").needArray()) {
            const std::size_t i = arguments.size();
            arguments.emplace_back(i < names.size() ? names[i] : "arg_" + std::to_string(i), child);
        }
        const std::vector<std::string> keys = keysOf(keywords);
        std::size_t at = 0;
        for (const JsonValue child : keywords.at("children_spec").needArray())
            if (at < keys.size()) arguments.emplace_back(keys[at++], child);
        return arguments;
    }

    bool findLeaves(const JsonValue root, std::vector<std::vector<Argument>>& paths) {
        std::vector<std::pair<JsonValue, std::vector<Argument>>> open = {{root, {}}};
        while (!open.empty()) {
            const auto [spec, path] = std::move(open.back());
            open.pop_back();
            if (isLeaf(spec)) {
                paths.push_back(path);
                continue;
            }
            const std::string type(spec.at("type").asText());
            const bool isDict = type == "builtins.dict";
            if (!isDict && type != "builtins.list" && type != "builtins.tuple")
                return warn(Message("saving.flat_input", {{"type", type}})), false;
            const auto keys = isDict ? keysOf(spec) : std::vector<std::string>();
            std::vector<std::pair<JsonValue, std::vector<Argument>>> children;
            for (const JsonValue child : spec.at("children_spec").needArray()) {
                auto below = path;
                below.push_back(isDict ? Argument(keys.at(children.size()))
                                       : Argument(static_cast<std::int64_t>(children.size())));
                children.emplace_back(child, std::move(below));
            }
            open.insert(open.end(), std::make_move_iterator(children.rbegin()),
                        std::make_move_iterator(children.rend()));
        }
        return true;
    }

    /// One getitem for each step of the path; steps that paths share are made once.
    void takeOut(NodeId value, const std::vector<Argument>& path, const Node& leaf) {
        static const CallablePtr kGetItem = resolveCallable("operator.getitem");
        if (path.empty()) return;
        std::string key = m_out.graph.node(value).name();
        for (std::size_t i = 0; i < path.size(); ++i) {
            key += "[" + reprOf(m_out.graph, path[i]) + "]";
            const auto [step, isNew] = m_steps.try_emplace(key, kNoNode);
            if (isNew)
                step->second = m_out.graph.callFunction(kGetItem, {value, path[i]}, {},
                                                        i + 1 == path.size() ? leaf.name() : std::string());
            value = step->second;
        }
        m_out.graph.setMeta(value, std::make_shared<const NodeMeta>(leaf.meta()));
        m_made[leaf.id()] = value;
    }

    /// What the graph returns for the user; what it changes is written where it belongs.
    void output() {
        const NodeId end = m_model.graph.outputNode();
        if (end == kNoNode || m_model.graph.node(end).args().empty()) return;
        const Argument all =
            mapNodes(m_model.graph.node(end).args()[0], [this](NodeId id) { return Argument(m_made.at(id)); });
        const auto* flat = all.as<Sequence>();
        std::vector<Argument> returned;
        if (m_file && flat && flat->items.size() == m_file->outputs.size()) {
            for (std::size_t i = 0; i < flat->items.size(); ++i) {
                const ExportedSignature::Output& as = m_file->outputs[i];
                if (as.kind == "user_output") returned.push_back(flat->items[i]);
                else write(as, flat->items[i]);
            }
            try {
                if (nestedOutput(m_model, returned, [](const auto&) { return Argument(); })) // before nodes are made
                    return (void)m_out.graph.output(*nestedOutput(
                        m_model, returned, [this](auto entries) { return orderedDict(std::move(entries)); }));
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::Refused) throw;
                warn(Message("saving.flat_output", {{"what", error.what()}, {"cause", error.message().code()}}));
            }
            return (void)m_out.graph.output(Argument::tuple(std::move(returned)));
        }
        m_out.graph.output(all); // edited: it returns what the graph says
    }

    /// torch.fx makes a dict of an OrderedDict when it traces the saved code, unless torch.fx.wrap was called for the
    /// class.
    Argument orderedDict(std::vector<Argument> entries) {
        const NodeId made =
            m_out.graph.callFunction(resolveCallable("collections.OrderedDict"), {Argument::list(std::move(entries))});
        NodeMeta meta;
        meta.wrapped = true;
        m_out.graph.setMeta(made, std::make_shared<const NodeMeta>(std::move(meta)));
        return made;
    }

    void write(const ExportedSignature::Output& as, const Argument& value) {
        NodeId target = kNoNode;
        if (const auto state = m_state.find(as.target); state != m_state.end()) target = state->second;
        else if (const auto input = m_made.find(m_file->inputCalled(m_model, as.target));
                 as.kind == "user_input_mutation" && input != m_made.end())
            target = input->second;
        if (target == kNoNode)
            throw Error(ErrorKind::Refused,
                        Message("saving.update",
                                {{"kind", as.kind}, {"target", (as.target.empty() ? "" : " of " + as.target)}}));
        m_out.graph.callFunction(resolveCallable("torch.ops.aten.copy_.default"), {target, value});
    }

    void warn(const Message& what) { m_out.warnings.push_back({what, {}, {}, {}}); }

    const GraphModule& m_model;
    std::vector<LiftedInput> m_inputs; ///< of the graph as it is now
    std::shared_ptr<const ExportedSignature> m_file;
    std::shared_ptr<Module> m_root;
    PathResolver m_paths;
    GraphModule m_out;
    std::unordered_map<NodeId, NodeId> m_made;
    std::unordered_map<std::string, NodeId> m_steps; ///< getitems by what they take out
    std::unordered_map<std::string, NodeId> m_state; ///< parameters, buffers and constants by path
};

} // namespace

bool isLifted(const GraphModule& model) { return !model.lifted.empty(); }

GraphModule unlifted(const GraphModule& model) { return isLifted(model) ? Unlifter(model).run() : model; }

std::optional<Argument> nestedOutput(const GraphModule& model, const std::vector<Argument>& leaves) {
    return nestedOutput(model, leaves, nullptr);
}

} // namespace fx
