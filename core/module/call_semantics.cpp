// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx {
namespace {

using ops::Given;

/// A setting of a module: true, not zero.
bool isSet(const Module& module, std::string_view name) {
    const Argument* value = module.setting(name);
    return value && givenAs(*value) == Given::Other;
}

ops::GivenArguments givenTo(const Node& node) {
    ops::GivenArguments out;
    for (const Argument& argument : node.args()) out.positional.push_back(givenAs(argument));
    for (const auto& [name, value] : node.kwargs()) out.named.emplace_back(name, givenAs(value));
    return out;
}

const Argument* argumentAt(const Node& node, const ops::ParameterPlace& place) {
    if (place.position >= 0 && static_cast<std::size_t>(place.position) < node.args().size())
        return &node.args()[static_cast<std::size_t>(place.position)];
    for (const auto& [name, value] : node.kwargs())
        if (std::find(place.names.begin(), place.names.end(), name) != place.names.end()) return &value;
    return nullptr;
}

void addNodes(const Argument* argument, std::vector<NodeId>& nodes) {
    if (!argument) return;
    forEachNode(*argument, [&](NodeId id) {
        if (std::find(nodes.begin(), nodes.end(), id) == nodes.end()) nodes.push_back(id);
    });
}

/// Modules take their input first, or by its name, of which there is one.
void addInput(const Node& node, std::vector<NodeId>& nodes) {
    if (!node.args().empty()) return addNodes(&node.args()[0], nodes);
    for (const auto& [name, value] : node.kwargs()) addNodes(&value, nodes);
}

bool isTorchModule(const Module& module) {
    return !module.graphModule && module.classModule.starts_with("torch.nn.modules.");
}
bool isNamed(const Module& module, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return module.className.find(part) != std::string::npos; });
}

/// Its result may be its input, or a view of it.
bool mayBeItsInput(const Module& module) {
    const std::string type = module.qualifiedType();
    return module.graphModule ||
           (type.starts_with("torch.nn.") && (module.className == "Identity" || module.className == "Flatten" ||
                                              module.className == "Unflatten" || isNamed(module, {"Dropout"})));
}

/// In training, statistics; `max_norm`, the rows that are read.
bool updatesItself(const Module& module) {
    return (module.training && isNamed(module, {"BatchNorm", "InstanceNorm"})) ||
           (isNamed(module, {"Embedding"}) && isSet(module, "max_norm"));
}

} // namespace

bool drawsRandom(const Module& module) {
    if (isNamed(module, {"FractionalMaxPool"})) return true;
    bool draws = false; // layers of attention hold modules that do
    forEachModule(module, [&](const std::string&, const Module& each) {
        draws |= each.training && (isNamed(each, {"Dropout", "RReLU"}) || isSet(each, "dropout"));
    });
    return draws;
}

ops::Given givenAs(const Argument& argument) {
    if (argument.isNone()) return Given::None;
    if (const bool* flag = argument.as<bool>(); flag && !*flag) return Given::False;
    const auto* whole = argument.as<std::int64_t>();
    const auto* real = argument.as<double>();
    return (whole && *whole == 0) || (real && *real == 0) ? Given::Zero : Given::Other;
}

std::string canonicalName(const Node& node) {
    if (node.op() == Op::CallFunction) return ops::canonicalName(node.target());
    return node.op() == Op::CallMethod ? ops::canonicalName("torch.Tensor." + node.target()) : node.target();
}

CallSemantics::CallSemantics(const Module& root) : m_paths(root) {}
CallSemantics::~CallSemantics() = default;

const ops::OperatorSemantics& CallSemantics::semanticsOf(const Node& node) const {
    const bool isMethod = node.op() == Op::CallMethod;
    auto& known = (isMethod ? m_methods : m_functions)[node.target()];
    if (!known)
        known = std::make_unique<const ops::OperatorSemantics>(isMethod ? ops::semanticsOfMethod(node.target())
                                                                        : ops::semanticsOfFunction(node.target()));
    return *known;
}

const Module* CallSemantics::moduleOf(const Node& node) const {
    return node.op() == Op::CallModule ? m_paths.resolve(node.target()).module : nullptr;
}

std::vector<NodeId> CallSemantics::written(const Node& node) const {
    std::vector<NodeId> nodes;
    if (const Module* module = moduleOf(node)) {
        if (isSet(*module, "inplace")) addInput(node, nodes);
    } else if (node.op() == Op::CallFunction || node.op() == Op::CallMethod) {
        const ops::OperatorSemantics& semantics = semanticsOf(node);
        if (semantics.written.empty()) return nodes;
        const ops::GivenArguments given = givenTo(node);
        for (const ops::WrittenParameter& parameter : semantics.written)
            if (parameter.when.holds(given)) addNodes(argumentAt(node, parameter.place), nodes);
    }
    return nodes;
}

std::vector<NodeId> CallSemantics::sharedMemory(const Node& node) const {
    std::vector<NodeId> nodes = written(node);
    if (const Module* module = moduleOf(node)) {
        if (mayBeItsInput(*module)) addInput(node, nodes);
    } else if (node.op() == Op::CallFunction || node.op() == Op::CallMethod) {
        for (const ops::ParameterPlace& place : semanticsOf(node).aliased) {
            if (const Argument* argument = argumentAt(node, place)) addNodes(argument, nodes);
            else if (node.args().empty()) addInput(node, nodes); // by a name that is not known
        }
    }
    return nodes;
}

bool CallSemantics::isRandom(const Node& node) const {
    if (node.op() == Op::CallModule) {
        const Module* module = moduleOf(node);
        return !module || !isTorchModule(*module) || drawsRandom(*module);
    }
    if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) return false;
    const ops::OperatorSemantics& semantics = semanticsOf(node);
    return semantics.isRandom && semantics.drawsRandom(givenTo(node));
}

bool CallSemantics::hasEffect(const Node& node) const {
    if (node.op() == Op::CallModule) {
        const Module* module = moduleOf(node);
        return !module || !isTorchModule(*module) || updatesItself(*module);
    }
    return (node.op() == Op::CallFunction || node.op() == Op::CallMethod) && semanticsOf(node).hasEffect;
}

std::vector<NodeId> CallSemantics::memoryOf(const Graph& graph) const {
    std::vector<NodeId> memory(graph.idLimit(), kNoNode);
    for (const Node& node : graph.nodes()) {
        const std::vector<NodeId> shared = sharedMemory(node);
        const NodeId of = shared.empty() ? kNoNode : memory[index(shared[0])];
        memory[index(node.id())] = of == kNoNode ? node.id() : of;
    }
    return memory;
}

void CallSemantics::forEachWrite(const Graph& graph,
                                 const std::function<void(const Node& writer, NodeId owner)>& visit) const {
    const std::vector<NodeId> memory = memoryOf(graph);
    for (const Node& node : graph.nodes())
        for (const NodeId id : written(node)) visit(node, memory[index(id)]);
}

} // namespace fx
