// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/taken_over.h"

#include "core/make/initial_weights.h"
#include "core/module/graph_module.h"
#include "core/trace/expression_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx::python {

namespace {
/// Paths that begin what the texts of computed constants read: "mean" and "mean.shape" of `self.mean.shape[0]`.
std::unordered_set<std::string> readByConstants(const GraphModule& model) {
    std::unordered_set<std::string> out;
    PathResolver paths(*model.root);
    for (const Node& node : model.graph.nodes()) {
        if (node.op() != Op::GetAttr) continue;
        const TensorPtr tensor = paths.resolve(node.target()).tensor;
        if (!tensor || !tensor->storage || !tensor->storage->isExpression() || isShapeOnly(*tensor)) continue;
        for (const std::string& read : trace::namesIn(tensor->storage->expressionSource()).reads)
            for (std::size_t end = 0; end < read.size();) {
                end = std::min(read.find('.', end + 1), read.size());
                out.insert(read.substr(0, end));
            }
    }
    return out;
}
} // namespace

void dropUnread(GraphModule& model) {
    const std::unordered_set<std::string> needed = readByConstants(model);
    std::unordered_set<std::string> called, read;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::CallModule) called.insert(node.target());
        if (node.op() == Op::GetAttr) read.insert(node.target());
    }
    std::unordered_set<const Module*> whole;
    std::vector<std::pair<std::string, Module*>> open{{"", model.root.get()}}, holders;
    while (!open.empty()) {
        const auto [path, module] = open.back();
        open.pop_back();
        const bool isWhole = called.contains(path) || read.contains(path) || whole.contains(module);
        if (isWhole) whole.insert(module);
        else holders.emplace_back(path, module);
        for (const auto& child : module->children) {
            if (!child.module) continue;
            if (isWhole && !whole.insert(child.module.get()).second) continue;
            open.emplace_back(path.empty() ? child.name : path + "." + child.name, child.module.get());
        }
    }
    std::unordered_set<std::string> used; // paths of what nodes name, and of the modules around it
    const auto isUsed = [&](const std::string& path) {
        if (used.empty())
            for (const std::unordered_set<std::string>* targets :
                 {&std::as_const(called), &std::as_const(read), &needed})
                for (const std::string& target : *targets)
                    for (std::size_t end = 0; end < target.size();) {
                        end = std::min(target.find('.', end + 1), target.size());
                        used.insert(target.substr(0, end));
                    }
        return used.contains(path);
    };
    for (const auto& [path, module] : holders) {
        if (whole.contains(module)) continue;
        const std::string before = path.empty() ? path : path + ".";
        std::erase_if(module->children, [&, start = before](const auto& child) { // its other name is called
            const std::string name = child.module && whole.contains(child.module.get()) ? start + child.name : "";
            return !name.empty() && !called.contains(name) && !isUsed(name);
        });
        const auto isRead = [&, start = before](const Module::Slot& slot) { return read.contains(start + slot.name); };
        std::erase_if(module->parameters, [&](const auto& slot) { return !isRead(slot); });
        std::erase_if(module->buffers, [&, start = before](const auto& slot) {
            return !isRead(slot) && !needed.contains(start + slot.name);
        });
        for (Module::Slot& slot : module->buffers)
            if (!isRead(slot)) slot.persistent = false;
    }
}

void orderByUse(GraphModule& model) {
    std::unordered_map<std::string, std::size_t> firstUse; // of each path, and of the modules above it
    std::unordered_set<std::string> whole;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const std::string& target = node.target();
        whole.insert(target);
        for (std::size_t end = target.size(); end != std::string::npos && end > 0; end = target.rfind('.', end - 1))
            if (!firstUse.emplace(target.substr(0, end), firstUse.size()).second) break;
    }
    const auto sort = [&](auto& slots, const std::string& before) {
        using Slot = typename std::decay_t<decltype(slots)>::value_type;
        std::vector<std::pair<std::size_t, Slot>> placed;
        for (Slot& slot : slots) {
            const auto at = firstUse.find(before + slot.name);
            placed.emplace_back(at == firstUse.end() ? firstUse.size() : at->second, std::move(slot));
        }
        std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = std::move(placed[i].second);
    };
    std::vector<std::pair<std::string, Module*>> open{{"", model.root.get()}};
    std::unordered_set<const Module*> met;
    while (!open.empty()) {
        const auto [path, module] = open.back();
        open.pop_back();
        if (whole.contains(path) || !met.insert(module).second) continue;
        const std::string before = path.empty() ? path : path + ".";
        sort(module->parameters, before);
        sort(module->buffers, before);
        sort(module->children, before);
        for (const auto& child : module->children)
            if (child.module && firstUse.contains(before + child.name))
                open.emplace_back(before + child.name, child.module.get());
    }
}

} // namespace fx::python
