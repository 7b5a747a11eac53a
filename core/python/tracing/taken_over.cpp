// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/taken_over.h"

#include "core/base/joined_path.h"
#include "core/make/initial_weights.h"
#include "core/module/graph_module.h"
#include "core/module/module_paths.h"
#include "core/pysrc/expression_names.h"

#include <algorithm>
#include <numeric>
#include <string_view>
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
        for (const std::string& read : py::namesIn(tensor->storage->expressionSource()).reads)
            for (std::size_t end = 0; end < read.size();) {
                end = std::min(read.find('.', end + 1), read.size());
                out.insert(read.substr(0, end));
            }
    }
    return out;
}
} // namespace

namespace {
/// Targets of the graph, which outlive what looks at it; paths are looked up in them.
using Paths = std::unordered_set<std::string_view>;

/// A path with a further name, in memory that is used again.
class PathBelow {
public:
    explicit PathBelow(const std::string& path) : m_path(path.empty() ? path : path + "."), m_start(m_path.size()) {}
    std::string_view of(std::string_view name) {
        m_path.resize(m_start);
        return m_path += name;
    }
    /// The path itself.
    std::string_view itself() const { return std::string_view(m_path).substr(0, m_start > 0 ? m_start - 1 : 0); }

private:
    std::string m_path;
    std::size_t m_start;
};

/// A module that is not taken over as a whole, with all of its paths: what nodes name by one of them stays.
class Holder {
public:
    explicit Holder(Module* module) : m_module(module) {}
    void add(const std::string& path) { m_paths.emplace_back(path); }
    Module& module() const { return *m_module; }
    /// Whether the path of a member of this name, one of several perhaps, is as asked.
    template<class Asked> bool has(std::string_view name, const Asked& asked) {
        return std::any_of(m_paths.begin(), m_paths.end(), [&](PathBelow& below) { return asked(below.of(name)); });
    }
    /// Returns true if one of the module's paths is as asked.
    template<class Asked> bool is(const Asked& asked) const {
        return std::any_of(m_paths.begin(), m_paths.end(), [&](const PathBelow& path) { return asked(path.itself()); });
    }

private:
    Module* m_module;
    std::vector<PathBelow> m_paths;
};

/// Registers the read tensors of an empty module as buffers that are saved, as `_copy_attr` of torch.fx does with all
/// that are no parameters; it copies no others.
template<class IsRead> void registerRead(Module& module, const IsRead& isRead) {
    std::erase_if(module.attributes, [&](const auto& each) {
        const auto* tensor = std::get_if<TensorPtr>(&each.second);
        if (tensor && *tensor && isRead(each.first)) module.buffers.push_back({each.first, *tensor, true});
        return tensor != nullptr;
    });
    for (Module::Slot& slot : module.buffers) slot.persistent |= isRead(slot.name);
}

bool isMemoryFormat(const std::variant<Argument, TensorPtr>& value) {
    const auto* argument = std::get_if<Argument>(&value);
    const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
    return constant && constant->kind == TorchConstant::Kind::MemoryFormat;
}
} // namespace

void dropUnread(GraphModule& model) {
    requireFewPaths(*model.root);
    const std::unordered_set<std::string> needed = readByConstants(model);
    Paths called, read;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::CallModule) called.insert(node.target());
        if (node.op() == Op::GetAttr) read.insert(node.target());
    }
    std::unordered_set<const Module*> whole;
    std::vector<std::pair<std::string, Module*>> open{{"", model.root.get()}};
    std::vector<Holder> holders;
    std::unordered_map<const Module*, std::size_t> known; // places among the holders
    while (!open.empty()) {
        const auto [path, module] = std::move(open.back());
        open.pop_back();
        const bool isWhole = called.contains(path) || read.contains(path) || whole.contains(module);
        if (isWhole) {
            whole.insert(module);
        } else {
            const auto [place, isNew] = known.emplace(module, holders.size());
            if (isNew) holders.emplace_back(module);
            holders[place->second].add(path);
        }
        for (const auto& child : module->children) {
            if (!child.module) continue;
            if (isWhole && !whole.insert(child.module.get()).second) continue;
            open.emplace_back(joinedPath(path, child.name), child.module.get());
        }
    }
    Paths used; // paths of what nodes name, and of the modules around it
    const auto addUsed = [&](const auto& targets) {
        for (const std::string_view target : targets)
            for (std::size_t end = 0; end < target.size();) {
                end = std::min(target.find('.', end + 1), target.size());
                used.insert(target.substr(0, end));
            }
    };
    const auto isUsed = [&](std::string_view path) {
        if (used.empty()) addUsed(called), addUsed(read), addUsed(needed);
        return used.contains(path);
    };
    for (Holder& holder : holders) {
        Module& module = holder.module();
        if (whole.contains(&module)) continue;
        if (&module != model.root.get()) module.training = true; // torch.fx makes it anew
        std::erase_if(module.children, [&](const auto& child) {  // its other name is used
            const auto place = known.find(child.module.get());
            const bool isHolder = place != known.end() && holders[place->second].is(isUsed);
            return (isHolder || whole.contains(child.module.get())) && !holder.has(child.name, isUsed);
        });
        const auto isNameRead = [&](const std::string& name) {
            return holder.has(name, [&](std::string_view path) { return read.contains(path); });
        };
        const auto isRead = [&](const Module::Slot& slot) { return isNameRead(slot.name); };
        if (&module != model.root.get()) registerRead(module, isNameRead); // PyTorch does it with the root on loading
        // torch.fx's own modules have none of the attributes; of these, PyTorch has no pickle either.
        std::erase_if(module.attributes, [](const auto& each) { return isMemoryFormat(each.second); });
        const auto isNeeded = [&](std::string_view path) { return needed.contains(std::string(path)); };
        std::erase_if(module.parameters, [&](const auto& slot) { return !isRead(slot); });
        for (auto& [name, value] : module.attributes) // the parameters of an RNN once more
            if (name == "_flat_weights" && module.parameters.empty()) value = Argument::list({});
        std::erase_if(module.buffers,
                      [&](const auto& slot) { return !isRead(slot) && !holder.has(slot.name, isNeeded); });
        for (Module::Slot& slot : module.buffers)
            if (!isRead(slot)) slot.persistent = false;
    }
}

namespace {
/// When each path of a target, and of the modules above it, is used first.
using FirstUse = std::unordered_map<std::string_view, std::size_t>;

/// Sorts by first use; what is not used stays at the end. Mostly they are in this order.
template<class Slots> void sortByUse(Slots& slots, const FirstUse& firstUse, PathBelow& below) {
    std::vector<std::size_t> places;
    for (const auto& slot : slots) {
        const auto at = firstUse.find(below.of(slot.name));
        places.push_back(at == firstUse.end() ? firstUse.size() : at->second);
    }
    if (std::is_sorted(places.begin(), places.end())) return;
    std::vector<std::size_t> order(slots.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return places[a] < places[b]; });
    Slots sorted;
    for (const std::size_t from : order) sorted.push_back(std::move(slots[from]));
    slots = std::move(sorted);
}
} // namespace

void orderByUse(GraphModule& model) {
    FirstUse firstUse;
    Paths whole;
    for (const Node& node : model.graph.nodes()) {
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const std::string_view target = node.target();
        whole.insert(target);
        for (std::size_t end = target.size(); end != std::string::npos && end > 0; end = target.rfind('.', end - 1))
            if (!firstUse.emplace(target.substr(0, end), firstUse.size()).second) break;
    }
    std::vector<std::pair<std::string, Module*>> open{{"", model.root.get()}};
    std::unordered_set<const Module*> met;
    while (!open.empty()) {
        const auto [path, module] = std::move(open.back());
        open.pop_back();
        if (whole.contains(path) || !met.insert(module).second) continue;
        PathBelow below(path);
        sortByUse(module->parameters, firstUse, below);
        sortByUse(module->buffers, firstUse, below);
        sortByUse(module->children, firstUse, below);
        for (const auto& child : module->children)
            if (const std::string_view name = below.of(child.name);
                child.module && firstUse.contains(name) && !whole.contains(name))
                open.emplace_back(name, child.module.get());
    }
}

} // namespace fx::python
