// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/layer.h"

#include <algorithm>
#include <array>

namespace fx::engine {
namespace {

template<std::size_t N> bool contains(const std::string& text, const std::array<const char*, N>& words) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return text.find(word) != text.npos; });
}

/// As resolvePath, with an index of wide modules that is kept for the models that were asked last.
PathTarget resolved(const GraphModule& model, const std::string& path) {
    struct Known {
        std::weak_ptr<const Module> root;
        std::unique_ptr<PathResolver> paths;
    };
    thread_local std::array<Known, 4> known; // two models and what they call
    thread_local std::size_t next = 0;
    for (Known& each : known)
        if (each.paths && each.root.lock() == model.root) return each.paths->resolve(path);
    Known& place = known[next++ % known.size()];
    place = {model.root, std::make_unique<PathResolver>(*model.root)};
    return place.paths->resolve(path);
}

/// The parameter that an argument of a call reads.
TensorPtr parameterAt(const Node& node, std::size_t place, const GraphModule& model) {
    if (place >= node.args().size() || !node.args()[place].isNode()) return nullptr;
    return tensorRead(model.graph.node(node.args()[place].node()), model);
}

/// "Conv2d" of a module, "conv2d" of torch.nn.functional.conv2d and of torch.ops.aten.conv2d.default.
std::string baseName(const Node& node, const GraphModule& model) {
    if (const Module* module = calledModule(node, model)) return module->className;
    const std::string& target = node.target();
    const std::size_t aten = target.rfind("aten.");
    if (aten != target.npos) return target.substr(aten + 5, target.find('.', aten + 5) - aten - 5);
    return target.substr(target.rfind('.') + 1);
}

} // namespace

const Module* calledModule(const Node& node, const GraphModule& model) {
    return node.op() == Op::CallModule ? resolved(model, node.target()).module : nullptr;
}

TensorPtr tensorRead(const Node& node, const GraphModule& model) {
    if (node.op() == Op::GetAttr) return resolved(model, node.target()).tensor;
    if (node.op() != Op::Placeholder) return nullptr;
    for (const LiftedInput& lifted : model.lifted)
        if (lifted.node == node.id() && !lifted.path.empty()) return resolved(model, lifted.path).tensor;
    return nullptr;
}

TensorPtr tableOf(const Node& node, const GraphModule& model) {
    const std::string name = baseName(node, model);
    if (const Module* module = calledModule(node, model))
        return name.find("Embedding") == name.npos ? nullptr : module->tensor("weight");
    if (node.op() != Op::CallFunction || name.find("embedding") == name.npos) return nullptr;
    const TensorPtr first = parameterAt(node, 0, model); // aten has the table first, torch.nn.functional the indices
    return first ? first : parameterAt(node, 1, model);
}

bool isScaleFree(const Node& node, const GraphModule& model) {
    constexpr std::array calls = {"add",        "sub",     "mul",        "truediv", "neg",     "cat",
                                  "getitem",    "flatten", "view",       "reshape", "permute", "transpose",
                                  "contiguous", "getattr", "mean",       "sum",     "matmul",  "linear",
                                  "conv2d",     "dropout", "batch_norm", "t"};
    if (!node.isCall()) return true;
    const std::string name = baseName(node, model);
    if (const Module* module = calledModule(node, model)) return isScaleFree(*module);
    return std::find(calls.begin(), calls.end(), name) != calls.end();
}

bool isScaleFree(const Module& module) {
    return contains(module.className,
                    std::array{"Conv", "Linear", "BatchNorm", "Dropout", "Identity", "Flatten", "Pool"});
}

} // namespace fx::engine
