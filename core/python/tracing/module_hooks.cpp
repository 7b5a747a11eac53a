// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/module_hooks.h"

#include "core/base/one_of.h"
#include "core/python/python_interpreter.h"

#include <algorithm>
#include <unordered_set>

namespace fx::python {

namespace {
const Dict* hooksIn(const Instance& module, std::string_view table) {
    const Value* found = module.attributes.find(table);
    const auto* hooks = found ? found->as<Dict>() : nullptr;
    return hooks && hooks->size() > 0 ? hooks : nullptr;
}

/// `torch.nn.utils.weight_norm.WeightNorm` and its fields; nullopt for hooks of the program.
std::optional<Argument> savedHook(Interpreter& in, const Value& hook) {
    static constexpr std::string_view kFiles[] = {"torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
                                                  "torch.nn.utils.prune"};
    const auto* object = hook.as<Instance>();
    const SourceFile* file = object ? object->type->file : nullptr;
    if (!file || !file->path.empty() || !fx::isOneOf(file->name, kFiles)) return std::nullopt;
    std::vector<std::pair<Argument, Argument>> fields;
    for (const auto& [name, value] : object->attributes.items()) {
        // What pruning has used for its mask, a tensor or other methods: a call reads only the mask.
        if (name == "mask" || name == "_pruning_methods") continue;
        fields.emplace_back(name, in.tracer().toArgument(in.toOperand(value, false)));
    }
    return Argument::tuple({file->name + "." + object->type->name, Argument::dict(std::move(fields))});
}

/// All hooks of a module as data; nullopt if some cannot be saved.
std::optional<Argument> savedHooks(Interpreter& in, const Instance& module) {
    const Dict* before = hooksIn(module, "_forward_pre_hooks");
    if (!before || hooksIn(module, "_forward_hooks") || hooksIn(module, "_forward_pre_hooks_with_kwargs"))
        return std::nullopt;
    std::vector<std::pair<Argument, Argument>> all;
    before->forEach([&](const Value& key, const Value& hook) {
        if (auto saved = savedHook(in, hook); saved && key.isInt()) all.emplace_back(key.asInt(), std::move(*saved));
    });
    return all.size() == before->size() ? std::optional(Argument::dict(std::move(all))) : std::nullopt;
}
} // namespace

void keepHooks(Interpreter& in, GraphModule& made) {
    if (!in.modules().hasHooks()) return;
    std::vector<std::string> leftOut;
    std::unordered_set<const Module*> met;
    PathResolver resolver(*made.root);
    for (const Node& node : made.graph.nodes()) {
        if (node.op() != Op::CallModule) continue;
        const PathTarget target = resolver.resolve(node.target());
        Instance* called = target.module ? in.modules().instanceOf(target.module) : nullptr;
        if (!called || !met.insert(target.module).second) continue;
        if (!hooksIn(*called, "_forward_pre_hooks") && !hooksIn(*called, "_forward_hooks")) continue;
        auto hooks = savedHooks(in, *called);
        if (hooks) called->module->attributes.emplace_back("_forward_pre_hooks", std::move(*hooks));
        else leftOut.push_back(node.target());
    }
    if (leftOut.empty()) return;
    made.warnings.push_back({Message("trace.hooks_left_out", {{"count", leftOut.size()}, {"module", leftOut.front()}}),
                             {},
                             leftOut.front(),
                             {}});
}

} // namespace fx::python
