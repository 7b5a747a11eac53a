// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/importer.h"

#include "core/torchscript/importing/tree_builder.h"
#include "core/torchscript/leaf_quantised.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr int kMostCalls = 100; ///< inside each other

std::shared_ptr<const std::vector<ModuleFrame>> inside(const std::vector<ModuleFrame>* outer, const std::string& path,
                                                       const std::string& type) {
    auto stack =
        outer ? std::make_shared<std::vector<ModuleFrame>>(*outer) : std::make_shared<std::vector<ModuleFrame>>();
    std::string key = "L__self__" + path;
    std::replace(key.begin(), key.end(), '.', '_');
    if (!outer || outer->empty() || outer->back().path != path) stack->push_back({key, path, plainClassName(type)});
    return stack;
}

} // namespace

Importer::Importer(const Program& program, const Object& root, const ImportOptions& options, const Progress& progress)
    : m_program(program), m_root(root), m_options(options), m_leaves(program),
      m_module(std::make_shared<GraphModule>()), m_constants(program, root), m_recorder(m_module->graph, progress),
      m_operators(m_module->graph, m_recorder, m_constants), m_inputs(m_module->graph, options.fixed) {}

std::shared_ptr<GraphModule> Importer::import(const std::string& method) {
    const Method* found = m_root.type ? m_root.type->method(method) : nullptr;
    if (!found) {
        std::string methods;
        if (m_root.type)
            for (const Method& one : m_root.type->methods) methods += (methods.empty() ? "" : ", ") + one.name;
        throw Error(ErrorKind::Refused, Message("script.no_method", {{"name", method}, {"methods", methods}}));
    }
    m_module->format = Format::TorchScript;
    CallFrame frame{m_program, m_mutables, *found, "", &m_root, inside(nullptr, "", m_root.className)};
    m_inputs.add(frame);
    const Mark inputs = mark();
    const std::vector<Symbol> bound = frame.values;
    const auto startAgain = [&] { rollBack(inputs), frame.values = bound, m_blocks.forgetNew(); };
    try {
        follow(frame, found->body);
        Argument output = m_recorder.tensorArgument(frame, frame.value(found->body.outputs.at(0)));
        m_module->graph.output(m_recorder.asInScript(frame, output));
    } catch (const Unsupported& why) {
        startAgain();
        try {
            keepWhole(frame);
        } catch (const Unsupported&) {
            startAgain();
            keepFile(frame, why.reason);
        }
    }
    finishModule();
    return m_module;
}

/// Builds the module tree, without what the graph does not need in the end.
void Importer::finishModule() {
    m_recorder.dropUnused(m_inputs.last(), [this](const std::string& path) { return m_blocks.isPure(path); });
    std::set<std::string> used;
    for (const fx::Node& node : m_module->graph.nodes())
        if (node.op() == Op::CallModule || node.op() == Op::GetAttr) used.insert(node.target());
    if (!m_report.whole) m_report.caches = m_mutables.stored();
    m_module->root =
        TreeBuilder({m_program, m_root, m_options, m_leaves, m_blocks, m_constants, m_recorder.objects(), used},
                    m_report)
            .build();
    countInBlocks(used);
    for (const auto& [path, nodes] : modeNodes(m_module->graph))
        if (const auto mode = m_report.modes.find(path); mode != m_report.modes.end())
            mode->second.nodes = static_cast<int>(nodes.size());
}

/// A part that could not be followed leaves nothing.
void Importer::rollBack(const Mark& mark) {
    m_module->graph = mark.graph;
    m_mutables.rollBack(mark.mutables);
}

/// Counts the modules of torch.nn that the graph itself does not call.
void Importer::countInBlocks(const std::set<std::string>& used) {
    std::set<const Object*> inside = m_blocks.leavesIn(used);
    std::vector<const Object*> open;
    if (m_report.whole) open.push_back(&m_root);
    for (std::set<const Object*> seen(open.begin(), open.end()); !open.empty();) {
        const Object* object = open.back();
        open.pop_back();
        if (LeafModules::isLeafType(plainClassName(object->className))) {
            inside.insert(object);
            continue;
        }
        for (const auto& [name, field] : object->fields)
            if (const auto* inner = std::get_if<const Object*>(&field); inner && seen.insert(*inner).second)
                open.push_back(*inner);
    }
    for (const Object* object : inside)
        if (!m_counted.contains(object)) ++m_report.inBlocks[plainClassName(object->className)];
}

std::vector<Symbol> Importer::enter(const CallFrame& caller, const Method& method, std::vector<Symbol> arguments,
                                    const Object* self, const std::string& path) {
    if (caller.depth >= kMostCalls) throw Unsupported(Message("script.too_deep"));
    const auto stack = self && path != caller.path ? inside(caller.stack.get(), path, self->className) : caller.stack;
    CallFrame frame{m_program, m_mutables,      method, self ? path : caller.path, self ? self : caller.self,
                    stack,     caller.depth + 1};
    if (arguments.size() != method.body.inputs.size()) throw Unsupported(Message("script.index"));
    for (std::size_t i = 0; i < arguments.size(); ++i) frame.slot(method.body.inputs[i]) = std::move(arguments[i]);
    follow(frame, method.body);
    return frame.valuesOf(method.body.outputs);
}

void Importer::bind(CallFrame& frame, const Node& node, std::vector<Symbol> results) {
    if (results.size() != node.outputs.size()) throw Unsupported(Message("script.index"));
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i].type) results[i].type = &frame.typeOf(node.outputs[i]);
        frame.slot(node.outputs[i]) = std::move(results[i]);
    }
}

void Importer::callMethod(CallFrame& frame, const Node& node) {
    const Symbol self = frame.value(node.inputs.at(0));
    const Class* type = classOf(self);
    const Method* method = type ? type->method(node.name) : nullptr;
    if (!method) throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
    // Packed weights are no values of a graph: their layers are modules also where there are operators only.
    const bool mayBeLeaf =
        self.object && (m_options.leafModules || isQuantisedLeaf(plainClassName(self.object->className)));
    if (mayBeLeaf && callLeaf(frame, node, self, *method)) return;
    if (callBlock(frame, node, self, *method)) return;
    std::vector<Symbol> arguments = frame.valuesOf(node.inputs);
    const Mark before = mark();
    try {
        bind(frame, node, enter(frame, *method, std::move(arguments), self.object, self.path));
    } catch (const Unsupported& why) {
        rollBack(before);
        keepInstead(frame, node, why.reason);
    }
}

/// By input of a call, the name of the called module's own tensor that is passed there.
std::vector<std::string> Importer::ownTensors(const CallFrame& frame, const Node& node, const Symbol& self) const {
    std::vector<std::string> out(node.inputs.size());
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        const Symbol& given = frame.value(node.inputs[i]);
        const TensorPtr tensor = given.is == Symbol::Is::Tensor ? m_root.tensorAt(given.path) : nullptr;
        if (const std::string* name = tensor ? self.object->nameOf(*tensor) : nullptr) out[i] = *name;
    }
    return out;
}

bool Importer::callLeaf(CallFrame& frame, const Node& node, const Symbol& self, const Method& method) {
    const std::string type = plainClassName(self.object->className);
    const bool isRoot = self.object == &m_root; // a graph calls the modules that it has
    if (isRoot || !self.object->isModule() || !LeafModules::isLeafType(type)) return false;
    const std::optional<LeafCall> leaf = m_leaves.recognise(*self.object, method, ownTensors(frame, node, self));
    // torch.jit.trace leaves nothing of a module that returns its input.
    const bool isGone = type == "torch.nn.modules.linear.Identity" && node.inputs.size() == 1;
    if (!isGone && m_counted.insert(self.object).second)
        ++(leaf ? m_report.leaves[type].first : m_report.leaves[type].second);
    if (!leaf) return false;
    std::vector<Argument> args;
    const auto input = [&](std::uint32_t i) {
        return m_recorder.tensorArgument(frame, frame.value(node.inputs.at(i + 1)));
    };
    for (const auto& group : leaf->inputs) {
        if (group.size() == 1) {
            args.push_back(input(group[0]));
            continue;
        }
        std::vector<Argument> items;
        for (const std::uint32_t i : group) items.push_back(input(i));
        args.push_back(Argument::tuple(std::move(items)));
    }
    while (!args.empty() && args.back().isNone()) args.pop_back(); // optional inputs that were left out
    const std::string_view name = leaf->outputs.size() == 1 && leaf->outputs[0].empty() ? frame.nameFor(node) : "";
    Kwargs kwargs;
    for (const auto& [key, given] : leaf->named) {
        const auto* literal = std::get_if<Argument>(&given);
        kwargs.emplace_back(key, literal ? *literal : input(std::get<std::uint32_t>(given)));
    }
    const NodeId id = m_module->graph.createNode(Op::CallModule, self.path, std::move(args), std::move(kwargs), name);
    m_recorder.finish(frame, &node, id);
    std::vector<Symbol> results;
    for (const auto& path : leaf->outputs) {
        Symbol result = Symbol::of(Argument(id));
        for (const std::int64_t index : path)
            result = partOf(Symbol::of(m_recorder.argument(frame, result)), index, false);
        results.push_back(std::move(result));
    }
    if (results.size() == node.outputs.size()) return bind(frame, node, std::move(results)), true;
    Symbol tuple;
    tuple.is = Symbol::Is::Tuple, tuple.depth = 1;
    tuple.items = std::make_shared<std::vector<Symbol>>(std::move(results));
    return bind(frame, node, {tuple}), true;
}

void Importer::callFunction(CallFrame& frame, const Node& node) {
    const Symbol& function = frame.value(node.inputs.at(0));
    if (function.is != Symbol::Is::Function) throw Unsupported(Message("script.unknown_call", {{"name", node.name}}));
    bind(frame, node,
         enter(frame, m_program.functions[static_cast<std::size_t>(function.index)], frame.valuesOf(node.inputs, 1),
               nullptr, ""));
}

} // namespace fx::script
