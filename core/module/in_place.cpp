// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/in_place.h"

#include "core/ops/catalogue.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

bool isTrue(const Argument& argument) {
    const bool* value = argument.as<bool>();
    return value && *value;
}

const Argument* keyword(const Node& node, std::string_view name) {
    for (const auto& [key, value] : node.kwargs())
        if (key == name) return &value;
    return nullptr;
}

/// `relu_`, `add_`, but not `__iadd__` or `_private_helper__`.
bool hasInPlaceName(std::string_view name) { return name.size() > 1 && name.ends_with('_') && !name.ends_with("__"); }

bool writesFirst(const Callable& callable) {
    constexpr std::array<std::string_view, 14> kOperators = {"iadd",    "iand", "iconcat",  "ifloordiv", "ilshift",
                                                             "imatmul", "imod", "imul",     "ior",       "ipow",
                                                             "irshift", "isub", "itruediv", "ixor"};
    if (callable.qualifiedName == "_operator.setitem") return true;
    if (callable.qualifiedName.starts_with("_operator."))
        return std::find(kOperators.begin(), kOperators.end(), callable.name) != kOperators.end();
    return hasInPlaceName(callable.name);
}

bool isInPlaceModule(const Module& root, std::string_view path) {
    const auto target = resolvePath(root, path);
    const auto* attribute = target.kind == PathTarget::Kind::Module ? target.module->attribute("inplace") : nullptr;
    const auto* value = attribute ? std::get_if<Argument>(attribute) : nullptr;
    return value && isTrue(*value);
}

void addNodes(const Argument& argument, std::vector<NodeId>& nodes) {
    forEachNode(argument, [&](NodeId id) {
        if (std::find(nodes.begin(), nodes.end(), id) == nodes.end()) nodes.push_back(id);
    });
}

std::vector<NodeId> writtenBySchema(const ops::Operator& op, const Node& node) {
    std::vector<NodeId> nodes;
    std::size_t position = 0;
    for (const ops::Argument argument : op.arguments()) {
        const std::size_t at = position++;
        if (!argument.isWritten()) continue;
        if (!argument.isKeywordOnly() && at < node.args().size()) addNodes(node.args()[at], nodes);
        else if (const Argument* value = keyword(node, argument.name())) addNodes(*value, nodes);
    }
    return nodes;
}

/// An operator of that name gives views of an argument, or the argument itself.
bool givesViews(std::string_view name) {
    constexpr std::array<std::string_view, 18> kMore = {
        "getitem", "getattr", "float", "double", "half", "bfloat16", "int",     "long",          "short",
        "char",    "byte",    "bool",  "cpu",    "type", "type_as",  "dropout", "alpha_dropout", "unflatten"};
    if (std::find(kMore.begin(), kMore.end(), name) != kMore.end()) return true;
    for (const ops::Operator& op : ops::overloads("aten::" + std::string(name)))
        for (const ops::Argument argument : op.arguments())
            if (!argument.isWritten() && argument.type().starts_with("Tensor(")) return true;
    return false;
}

bool isViewModule(const Module& root, std::string_view path) {
    const auto target = resolvePath(root, path);
    if (target.kind != PathTarget::Kind::Module) return false;
    const std::string type = target.module->qualifiedType(), name = type.substr(type.rfind('.') + 1);
    return target.module->graphModule ||
           (type.starts_with("torch.nn.") &&
            (name == "Identity" || name == "Flatten" || name == "Unflatten" || name.find("Dropout") != name.npos));
}

} // namespace

std::vector<NodeId> writtenInPlace(const Module& root, const Node& node) {
    std::vector<NodeId> nodes;
    bool writes = false;
    switch (node.op()) {
    case Op::CallMethod: writes = hasInPlaceName(node.target()); break;
    case Op::CallModule: writes = isInPlaceModule(root, node.target()); break;
    case Op::CallFunction: {
        const Callable& callable = *node.callable();
        if (callable.kind == Callable::Kind::OpOverload) {
            const auto op = ops::findOperator(callable.qualifiedName);
            return op ? writtenBySchema(*op, node) : nodes;
        }
        const Argument* inplace = keyword(node, "inplace");
        writes = writesFirst(callable) || (inplace && isTrue(*inplace));
        break;
    }
    case Op::Placeholder:
    case Op::GetAttr:
    case Op::Output: break;
    }
    if (writes && !node.args().empty()) addNodes(node.args()[0], nodes);
    return nodes;
}

std::vector<NodeId> sharedMemory(const Module& root, const Node& node) {
    std::vector<NodeId> nodes = writtenInPlace(root, node);
    bool views = false;
    switch (node.op()) {
    case Op::CallMethod: views = givesViews(node.target()); break;
    case Op::CallModule: views = isViewModule(root, node.target()); break;
    case Op::CallFunction: {
        const std::string& name = node.callable()->kind == Callable::Kind::OpOverload ? node.callable()->qualifiedName
                                                                                      : node.callable()->name;
        const auto op = node.callable()->kind == Callable::Kind::OpOverload ? ops::findOperator(name) : std::nullopt;
        views = givesViews(op ? op->baseName() : std::string_view(name));
        break;
    }
    case Op::Placeholder:
    case Op::GetAttr:
    case Op::Output: break;
    }
    if (!views) return nodes;
    if (!node.args().empty()) addNodes(node.args()[0], nodes);
    else nodes.insert(nodes.end(), node.inputs().begin(), node.inputs().end());
    return nodes;
}

} // namespace fx
