// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/inside_graph.h"

#include "core/base/joined_path.h"
#include "core/base/python_text.h"
#include "core/torchscript/importing/graph_recorder.h"
#include "core/torchscript/importing/tree_builder.h"
#include "core/torchscript/input_types.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::size_t kMostInside = 500'000; ///< nodes, each time that they are followed, and values
constexpr int kMostNestedInside = 100;       ///< nested calls and blocks

bool mutatesFirst(std::string_view kind) {
    constexpr std::string_view kMutating[] = {"aten::append", "aten::extend", "aten::insert",  "aten::pop",
                                              "aten::clear",  "aten::remove", "aten::reverse", "aten::_set_item",
                                              "aten::sort",   "aten::Delete", "aten::update"};
    return std::find(std::begin(kMutating), std::end(kMutating), kind) != std::end(kMutating);
}

/// A list in a list in a list is a value of its own.
bool isDeep(const Argument& value, int depth = 0) {
    const Sequence* items = value.as<Sequence>();
    return items && (depth == 2 || std::any_of(items->items.begin(), items->items.end(),
                                               [&](const Argument& item) { return isDeep(item, depth + 1); }));
}

std::string variableName(const Method& method, std::uint32_t value) {
    const std::string& name = method.values[value].name;
    const std::string plain = name.substr(0, name.find('.'));
    return isPythonIdentifier(plain) ? plain : std::string();
}

} // namespace

InsideGraph::InsideGraph(const Program& program, const Object& root, LeafModules& leaves, ConstantAttributes& constants,
                         ImportReport& report, const Progress& progress)
    : m_program(program), m_root(root), m_leaves(leaves), m_constants(constants), m_report(report),
      m_progress(progress) {
    for (const Class& each : program.classes)
        for (const Method& method : each.methods) findChanges(method);
    for (const Method& function : program.functions) findChanges(function);
}

/// Attributes that are assigned to, and lists that are changed.
void InsideGraph::findChanges(const Method& method) {
    for (std::vector<const Block*> open{&method.body}; !open.empty();) {
        const Block& block = *open.back();
        open.pop_back();
        for (const Node& node : block.nodes) {
            for (const Block& inner : node.blocks) open.push_back(&inner);
            if (node.inputs.empty()) continue;
            const Kind& kind = m_program.kindOf(node);
            const int holder = m_program.typeOf(method, node.inputs[0]).classIndex;
            if (kind.is("prim::SetAttr") && holder >= 0)
                m_assigned.emplace(&m_program.classes[static_cast<std::size_t>(holder)], node.name);
            else if (mutatesFirst(kind.name)) m_changed.emplace(&method, node.inputs[0]);
        }
    }
}

std::shared_ptr<GraphModule> InsideGraph::make(const Method& method) {
    m_module = std::make_shared<GraphModule>();
    m_module->format = Format::TorchScript;
    Frame frame{method, "", {{"L__self__", "", plainClassName(m_root.className)}}};
    for (std::size_t i = 0; i < method.body.inputs.size(); ++i) {
        Held& held = frame.values[method.body.inputs[i]];
        if (i == 0) {
            held.object = &m_root;
            continue;
        }
        const Parameter& parameter = method.parameters.at(i);
        std::vector<Argument> otherwise;
        if (parameter.defaultValue >= 0)
            if (const auto* literal =
                    std::get_if<Argument>(&m_program.constants[static_cast<std::size_t>(parameter.defaultValue)]))
                otherwise.push_back(*literal);
        held.value = m_module->graph.placeholder(parameter.name, std::move(otherwise), inputType(parameter.annotation));
    }
    follow(frame, method.body);
    m_module->graph.output(argument(frame, method.body.outputs.at(0)));
    return std::move(m_module);
}

Argument InsideGraph::argument(const Frame& frame, std::uint32_t value) const {
    const Held& held = frame.values[value];
    return held.object ? Argument(held.path.empty() ? "self" : held.path) : held.value;
}

std::vector<Argument> InsideGraph::arguments(const Frame& frame, const Node& node, std::size_t skipped) const {
    std::vector<Argument> out;
    for (std::size_t i = skipped; i < node.inputs.size(); ++i) out.push_back(argument(frame, node.inputs[i]));
    return out;
}

void InsideGraph::finish(const Frame& frame, const Node& node, NodeId id) {
    auto meta = std::make_shared<NodeMeta>();
    if (m_module->graph.node(id).op() != Op::CallModule) meta->moduleStack = frame.stack;
    meta->stackTrace = sourceOf(m_program, node);
    m_module->graph.setMeta(id, std::move(meta));
}

/// The result of a new node; several are its items.
void InsideGraph::bind(Frame& frame, const Node& node, NodeId id) {
    finish(frame, node, id);
    if (node.outputs.size() == 1) return void(frame.values[node.outputs[0]] = {Argument(id), nullptr, {}, -1});
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const NodeId item = m_module->graph.callFunction(resolveCallable("_operator.getitem"),
                                                         {Argument(id), Argument(static_cast<std::int64_t>(i))}, {},
                                                         variableName(frame.method, node.outputs[i]));
        finish(frame, node, item);
        frame.values[node.outputs[i]] = {Argument(item), nullptr, {}, -1};
    }
}

void InsideGraph::follow(Frame& frame, const Block& block) {
    for (const Node& node : block.nodes) {
        countSteps(1);
        follow(frame, node);
    }
}

void InsideGraph::countSteps(std::size_t count) {
    if (m_steps / 1024 != (m_steps + count) / 1024) m_progress.check();
    m_steps += count;
    if (m_steps > kMostInside) throw Unsupported(Message("script.too_long", {{"count", kMostInside}}));
}

void InsideGraph::follow(Frame& frame, const Node& node) {
    const Kind& kind = m_program.kindOf(node);
    if (kind.is("prim::Constant")) return constant(frame, node);
    if (kind.is("prim::GetAttr")) return getAttribute(frame, node);
    if (kind.is("prim::SetAttr")) return setAttribute(frame, node);
    if (kind.is("prim::unchecked_cast") || kind.is("prim::unchecked_unwrap_optional"))
        return void(frame.values[node.outputs.at(0)] = Held(frame.values[node.inputs.at(0)]));
    if (kind.is("prim::CallMethod") && callMethod(frame, node)) return;
    if (kind.is("prim::CallFunction")) {
        const Held& function = frame.values[node.inputs.at(0)];
        if (function.function >= 0)
            return enter(frame, node, m_program.functions[static_cast<std::size_t>(function.function)], 1, nullptr);
    }
    if (!construct(frame, node)) record(frame, node);
}

void InsideGraph::constant(Frame& frame, const Node& node) {
    Held& result = frame.values[node.outputs.at(0)];
    result.function = m_program.typeOf(frame.method, node.outputs[0]).functionIndex;
    if (node.constant < 0 || result.function >= 0) return;
    const Program::Constant& value = m_program.constants[static_cast<std::size_t>(node.constant)];
    if (const auto* literal = std::get_if<Argument>(&value)) return void(result.value = *literal);
    bind(frame, node, m_module->graph.createNode(Op::GetAttr, m_constants.pathOf(node.constant)));
}

/// The class of an object, of the file or not; null for other values.
const Class* InsideGraph::classOf(const Frame& frame, std::uint32_t value) const {
    if (const Object* object = frame.values[value].object) return object->type;
    const int index = m_program.typeOf(frame.method, value).classIndex;
    return index < 0 ? nullptr : &m_program.classes[static_cast<std::size_t>(index)];
}

void InsideGraph::getAttribute(Frame& frame, const Node& node) {
    const Held holder = frame.values[node.inputs.at(0)];
    const std::string path = joinedPath(holder.path, node.name);
    const Class* type = classOf(frame, node.inputs[0]);
    const auto read = [&](std::vector<Argument> from) {
        bind(frame, node,
             m_module->graph.callFunction(resolveCallable("torch.ops.prim.GetAttr"), std::move(from), {}, node.name));
    };
    if (!holder.object) return read({argument(frame, node.inputs[0]), Argument(node.name)});
    if (type && m_assigned.contains({type, node.name})) return read({Argument(path)});
    const Object::Field* field = holder.object->field(node.name);
    if (const auto* inner = field ? std::get_if<const Object*>(field) : nullptr; inner && *inner) {
        if ((*inner)->isTorchBind()) m_objects.emplace(*inner, path);
        frame.values[node.outputs.at(0)] = {{}, *inner, path, -1};
    } else if (field && std::holds_alternative<TensorPtr>(*field)) {
        bind(frame, node, m_module->graph.createNode(Op::GetAttr, path));
    } else if (const Argument* literal = holder.object->setting(m_program, node.name);
               literal && !literal->as<OpaqueObject>()) {
        frame.values[node.outputs.at(0)] = {*literal, nullptr, {}, -1};
    } else {
        read({Argument(path)});
    }
}

void InsideGraph::setAttribute(Frame& frame, const Node& node) {
    const Held& holder = frame.values[node.inputs.at(0)];
    std::vector<Argument> args{argument(frame, node.inputs[0]), Argument(node.name)};
    if (holder.object) args = {Argument(joinedPath(holder.path, node.name))};
    args.push_back(argument(frame, node.inputs.at(1)));
    finish(frame, node,
           m_module->graph.callFunction(resolveCallable("torch.ops.prim.SetAttr"), std::move(args), {},
                                        "set_" + node.name));
}

/// Lists and tuples are arguments where nothing changes them.
bool InsideGraph::construct(Frame& frame, const Node& node) {
    const Kind& kind = m_program.kindOf(node);
    const bool isList = kind.is("prim::ListConstruct");
    if (isList || kind.is("prim::TupleConstruct")) {
        const std::uint32_t made = node.outputs.at(0);
        std::vector<Argument> items = arguments(frame, node);
        const Argument value = isList ? Argument::list(items) : Argument::tuple(items);
        if (m_changed.contains({&frame.method, made}) || isDeep(value)) return false;
        frame.values[made] = {value, nullptr, {}, -1};
        return true;
    }
    if (!kind.is("prim::TupleUnpack") && !kind.is("prim::ListUnpack")) return false;
    const Argument given = argument(frame, node.inputs.at(0));
    const Sequence* items = given.as<Sequence>();
    if (!items || items->items.size() != node.outputs.size()) return false;
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        frame.values[node.outputs[i]] = {items->items[i], nullptr, {}, -1};
    return true;
}

bool InsideGraph::callMethod(Frame& frame, const Node& node) {
    const Held self = frame.values[node.inputs.at(0)];
    const Class* type = classOf(frame, node.inputs[0]);
    const Method* method = type ? type->method(node.name) : nullptr;
    if (!method) return false;
    if (self.object && callLeaf(frame, node, self, *method)) return true;
    enter(frame, node, *method, 0, &self);
    return true;
}

/// A module of torch.nn is called as a whole.
bool InsideGraph::callLeaf(Frame& frame, const Node& node, const Held& self, const Method& method) {
    const std::string type = plainClassName(self.object->className);
    if (self.object == &m_root || !self.object->isModule() || !LeafModules::isLeafType(type)) return false;
    const bool isLeaf =
        m_leaves.recognise(*self.object, method, std::vector<std::string>(node.inputs.size())).has_value();
    if (m_counted.insert(self.object).second) ++(isLeaf ? m_report.leaves[type].first : m_report.leaves[type].second);
    if (!isLeaf) return false;
    std::vector<Argument> args = arguments(frame, node, 1);
    while (!args.empty() && args.back().isNone()) args.pop_back();
    bind(frame, node, m_module->graph.createNode(Op::CallModule, self.path, std::move(args), {}, nameFor(frame, node)));
    return true;
}

void InsideGraph::enter(Frame& frame, const Node& node, const Method& method, std::size_t skipped, const Held* self) {
    if (++m_depth > kMostNestedInside) throw Unsupported(Message("script.too_deep"));
    countSteps(method.values.size());
    Frame inner{method, frame.path, frame.stack};
    if (self && self->object && self->path != frame.path) {
        std::string key = "L__self__" + self->path;
        std::replace(key.begin(), key.end(), '.', '_');
        inner.path = self->path;
        inner.stack.push_back({key, self->path, plainClassName(self->object->className)});
    }
    if (node.inputs.size() - skipped != method.body.inputs.size() || node.outputs.size() != method.body.outputs.size())
        throw Unsupported(Message("script.index"));
    for (std::size_t i = skipped; i < node.inputs.size(); ++i)
        inner.values[method.body.inputs[i - skipped]] = frame.values[node.inputs[i]];
    follow(inner, method.body);
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
        frame.values[node.outputs[i]] = inner.values[method.body.outputs[i]];
    --m_depth;
}

std::string InsideGraph::nameFor(const Frame& frame, const Node& node) {
    return node.outputs.size() == 1 ? variableName(frame.method, node.outputs[0]) : std::string();
}

void InsideGraph::record(Frame& frame, const Node& node) {
    const Kind& kind = m_program.kindOf(node);
    const std::size_t colons = kind.name.find("::");
    if (colons == kind.name.npos) throw Unsupported(Message("script.unknown_call", {{"name", kind.name}}));
    std::vector<Argument> args = arguments(frame, node);
    if (kind.is("prim::CallMethod")) args.insert(args.begin() + 1, Argument(node.name));
    if (!node.blocks.empty()) followBlocks(frame, node, args);
    std::string target = "torch.ops." + kind.name.substr(0, colons) + "." + kind.name.substr(colons + 2);
    if (!kind.isPrim()) target += "." + (kind.overload.empty() ? "default" : kind.overload);
    bind(frame, node, m_module->graph.callFunction(resolveCallable(target), std::move(args), {}, nameFor(frame, node)));
}

/// The parts of a branch or loop, then a call with their results: `prim.If(condition, (of then), (of else))`,
/// `prim.Loop(most, goes on, (before), (goes on, after))`. A value that a loop carries into its body is
/// `prim.LoopInput`.
void InsideGraph::followBlocks(Frame& frame, const Node& node, std::vector<Argument>& args) {
    if (++m_depth > kMostNestedInside) throw Unsupported(Message("script.too_deep"));
    const bool isLoop = m_program.kindOf(node).is("prim::Loop"), isBranch = m_program.kindOf(node).is("prim::If");
    const std::string name = (isLoop ? "loop_" : isBranch ? "if_" : "block_") + std::to_string(m_blocks++);
    std::vector<Argument> carried;
    if (isLoop && args.size() >= 2) carried.assign(args.begin() + 2, args.end()), args.resize(2);
    for (std::size_t i = 0; i < node.blocks.size(); ++i) {
        const Block& block = node.blocks[i];
        const std::string path = joinedPath(frame.path, name + (!isBranch ? "" : i == 0 ? "_then" : "_else"));
        frame.stack.push_back({path, path, isLoop ? "prim.Loop" : isBranch ? "prim.If" : "prim.Block"});
        for (std::size_t place = 0; place < block.inputs.size(); ++place) {
            // A loop counts its turns; the inputs of other blocks are those of the node.
            const Argument given = isLoop                ? place == 0                   ? Argument("index")
                                                           : place - 1 < carried.size() ? carried[place - 1]
                                                                                        : Argument()
                                                  : place < args.size() ? args[place]
                                                         : Argument();
            const NodeId id = m_module->graph.callFunction(
                resolveCallable(isLoop ? "torch.ops.prim.LoopInput" : "torch.ops.prim.Input"), {given}, {},
                variableName(frame.method, block.inputs[place]));
            finish(frame, node, id);
            frame.values[block.inputs[place]] = {Argument(id), nullptr, {}, -1};
        }
        follow(frame, block);
        std::vector<Argument> results;
        for (const std::uint32_t value : block.outputs) results.push_back(argument(frame, value));
        if (isLoop) args.push_back(Argument::tuple(std::move(carried)));
        args.push_back(Argument::tuple(std::move(results)));
        frame.stack.pop_back();
    }
    --m_depth;
}

namespace {

std::set<std::string> targetsOf(const Graph& graph) {
    std::set<std::string> out;
    for (const fx::Node& node : graph.nodes())
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr) out.insert(node.target());
    return out;
}

} // namespace

std::shared_ptr<GraphModule> insideOf(const Program& program, const Object& root, const std::string& method,
                                      const ImportOptions& options, ImportReport& report, const Progress& progress) {
    const Method* found = root.type ? root.type->method(method) : nullptr;
    if (!found) throw Unsupported(Message("script.unknown_call", {{"name", method}}));
    LeafModules leaves(program);
    ConstantAttributes constants(program, root);
    const BlockRegistry noBlocks;
    InsideGraph inside(program, root, leaves, constants, report, progress);
    auto module = inside.make(*found);
    const std::set<std::string> targets = targetsOf(module->graph);
    module->root =
        TreeBuilder({program, root, options, leaves, noBlocks, constants, inside.objects(), targets}, report).build();
    return module;
}

} // namespace fx::script
