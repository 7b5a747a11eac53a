// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/shared_use.h"

#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/edit/steps/step_memory.h"
#include "core/module/call_semantics.h"
#include "core/module/lost_writes.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kShown = 3;

bool isWithin(const std::string& path, const std::string& module) {
    return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
}

std::string listed(const std::vector<std::string>& names) {
    const auto shown = static_cast<std::ptrdiff_t>(std::min(names.size(), kShown));
    return listedInSentence({names.begin(), names.begin() + shown}, names.size());
}

/// A tensor at a place of the module tree.
struct Place {
    std::string path;
    TensorPtr tensor;
};

/// Calls `visit` for each module, once for those that hold others: a quick look that needs no paths, before one that
/// does. Only modules that hold others are remembered, so the leaves of a wide tree cost next to nothing.
template<class Visit> void forEachQuickly(const Module& root, Visit visit) {
    std::vector<const Module*> open{&root};
    std::unordered_set<const Module*> seen{&root};
    while (!open.empty()) {
        const Module& module = *open.back();
        open.pop_back();
        visit(module);
        for (const Module::Child& child : module.children)
            if (child.module && (child.module->children.empty() || seen.insert(child.module.get()).second))
                open.push_back(child.module.get());
    }
}

template<class Visit> void forEachTensor(const Module& root, Visit visit) {
    forEachQuickly(root, [&](const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const Module::Slot& slot : *slots)
                if (slot.tensor) visit(*slot.tensor);
    });
}

/// One step, seen from before and after it.
class Comparison {
public:
    Comparison(const GraphModule& before, const GraphModule& after, JsonValue step, Warnings& warnings)
        : m_before(before), m_after(after), m_step(step), m_warnings(warnings) {}

    void moduleChanged() {
        const std::string path = text("path");
        const auto target = resolvePath(*m_before.root, path);
        if (target.kind != PathTarget::Kind::Module || path.empty()) return;
        std::size_t places = 0;
        forEachQuickly(*m_before.root, [&](const Module& module) {
            for (const Module::Child& child : module.children) places += child.module.get() == target.module;
        });
        if (const auto nodes = callersOf(path, *target.module, places > 1); nodes.size() > 1)
            warn(Message("edit.module_changes", {{"path", path}, {"count", nodes.size()}, {"nodes", listed(nodes)}}),
                 {}, path);
        if (places > 1) otherPlaces(path, *target.module);
        if (sharesTensors(*target.module)) tiedTensors(path);
    }

    void tensorChanged() {
        const std::string path = text("path");
        const std::string holder(parentPath(path));
        if (const auto target = resolvePath(*m_before.root, holder);
            target.kind == PathTarget::Kind::Module && !holder.empty())
            if (const auto nodes = callersOf(holder, *target.module, true); nodes.size() > 1)
                warn(Message("edit.module_tensor", {{"path", holder},
                                                    {"tensor", lastAtom(path)},
                                                    {"count", nodes.size()},
                                                    {"nodes", listed(nodes)}}),
                     {}, holder);
        tiedTensors(path);
        readOften(path);
    }

    /// Of the nodes that call a module only some went.
    void callsReplaced() {
        std::unordered_map<const Module*, std::vector<const Node*>> callers;
        std::vector<const Module*> order;
        PathResolver paths(*m_before.root);
        for (const Node& node : m_before.graph.nodes()) {
            if (node.op() != Op::CallModule) continue;
            const auto target = paths.resolve(node.target());
            if (target.kind != PathTarget::Kind::Module) continue;
            auto& nodes = callers[target.module];
            if (nodes.empty()) order.push_back(target.module);
            nodes.push_back(&node);
        }
        for (const Module* module : order) {
            std::vector<std::string> gone, left;
            for (const Node* node : callers[module]) (exists(node->id()) ? left : gone).push_back(node->name());
            if (!gone.empty() && !left.empty())
                warn(Message("edit.calls_left", {{"path", callers[module].front()->target()},
                                                 {"count", gone.size()},
                                                 {"all", gone.size() + left.size()},
                                                 {"gone", listed(gone)},
                                                 {"left", listed(left)},
                                                 {"left_count", left.size()}}),
                     {}, callers[module].front()->target());
        }
    }

    void writersGone() { warnOfLostWrites(m_before, m_after, m_warnings); }

private:
    std::string text(std::string_view key) const { return std::string(m_step.at(key).asText()); }
    bool exists(NodeId id) const { return index(id) < m_after.graph.idLimit() && !m_after.graph.node(id).erased(); }
    void warn(const Message& what, const std::string& node, const std::string& path) {
        m_warnings.push_back({what, node, path, {}});
    }

    /// The nodes that call the module, whatever its paths.
    std::vector<std::string> callersOf(const std::string& path, const Module& module, bool hasOtherPaths) const {
        std::vector<std::string> nodes;
        PathResolver paths(*m_before.root);
        for (const Node& node : m_before.graph.nodes())
            if (node.op() == Op::CallModule &&
                (node.target() == path || (hasOtherPaths && paths.resolve(node.target()).module == &module)))
                nodes.push_back(node.name());
        return nodes;
    }

    void otherPlaces(const std::string& path, const Module& module) {
        forEachModule(*m_before.root, [&](const std::string& parent, const Module& each) {
            for (const Module::Child& child : each.children) {
                const std::string other = joinedPath(parent, child.name);
                if (child.module.get() != &module || other == path) continue;
                const auto now = resolvePath(*m_after.root, other), here = resolvePath(*m_after.root, path);
                const bool follows = now.kind == PathTarget::Kind::Module && now.module == here.module;
                const MessageArgument one("path", path), two("other", other);
                warn(follows ? Message("edit.shared_module", {one, two}) : Message("edit.split_module", {one, two}), {},
                     path);
            }
        });
    }

    /// Whether tensors of a module may be elsewhere too: those of leaves with several places are counted at each.
    bool sharesTensors(const Module& module) const {
        std::unordered_map<const void*, std::ptrdiff_t> left;
        forEachTensor(module, [&](const TensorRef& tensor) { --left[identity(tensor)]; });
        if (left.empty()) return false;
        forEachTensor(*m_before.root, [&](const TensorRef& tensor) {
            if (const auto found = left.find(identity(tensor)); found != left.end()) ++found->second;
        });
        return std::any_of(left.begin(), left.end(), [](const auto& item) { return item.second > 0; });
    }

    static std::vector<Place> tensorsOf(const Module& root) {
        std::vector<Place> places;
        forEachModule(root, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const Module::Slot& slot : *slots)
                    if (slot.tensor) places.push_back({joinedPath(path, slot.name), slot.tensor});
        });
        return places;
    }

    /// Tensors at `path` or below it that are also elsewhere, and are not any more.
    void tiedTensors(const std::string& path) {
        const std::vector<Place> places = tensorsOf(*m_before.root);
        std::unordered_map<const void*, const Place*> inside;
        for (const Place& place : places)
            if (isWithin(place.path, path)) inside.emplace(identity(*place.tensor), &place);
        PathResolver now(*m_after.root);
        for (const Place& place : places) {
            const auto found = inside.find(identity(*place.tensor));
            if (isWithin(place.path, path) || found == inside.end()) continue;
            const TensorPtr here = now.resolve(found->second->path).tensor, there = now.resolve(place.path).tensor;
            if (!there || (here && (here == there || (here->storage && here->storage == there->storage)))) continue;
            warn(Message("edit.untied", {{"path", found->second->path}, {"other", place.path}}), {}, place.path);
        }
    }

    void readOften(const std::string& path) {
        const CallSemantics semantics(*m_before.root);
        std::vector<std::string> nodes;
        for (const Node& node : m_before.graph.nodes()) {
            if (node.op() != Op::GetAttr || node.target() != path) continue;
            nodes.push_back(node.name());
            for (const NodeId user : node.users()) {
                const auto written = semantics.written(m_before.graph.node(user));
                if (std::find(written.begin(), written.end(), node.id()) != written.end())
                    warn(Message("edit.written_tensor", {{"node", m_before.graph.node(user).name()}, {"path", path}}),
                         m_before.graph.node(user).name(), path);
            }
        }
        if (nodes.size() > 1)
            warn(Message("edit.read_often", {{"path", path}, {"count", nodes.size()}, {"nodes", listed(nodes)}}), {},
                 path);
    }

    const GraphModule &m_before, &m_after;
    JsonValue m_step;
    Warnings& m_warnings;
};

struct Kind {
    std::string_view step;
    void (*look)(Comparison&);
};
constexpr std::array<Kind, 5> kKinds = {{
    {"replace_module", [](Comparison& c) { c.moduleChanged(); }},
    {"delete_module", [](Comparison& c) { c.moduleChanged(); }},
    {"set_tensor", [](Comparison& c) { c.tensorChanged(); }},
    {"replace_pattern", [](Comparison& c) { c.callsReplaced(), c.writersGone(); }},
    {"erase", [](Comparison& c) { c.writersGone(); }},
}};

const Kind* kindOf(std::string_view step) {
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind& kind) { return kind.step == step; });
    return found == kKinds.end() ? nullptr : &*found;
}

} // namespace

bool mayChangeSharedUse(const GraphModule& before, const JsonValue& step) {
    const JsonValue kind = step.find("step");
    if (!kind.exists() || !kind.isString() || !kindOf(kind.asText())) return false;
    if (kind.asText() != "erase" || step.find("cascade").exists()) return true;
    const JsonValue name = step.find("node");
    const NodeId node = name.exists() && name.isString() ? before.graph.find(std::string(name.asText())) : kNoNode;
    return node != kNoNode && !CallSemantics(*before.root).written(before.graph.node(node)).empty();
}

void warnOfSharedUse(const GraphModule& before, const GraphModule& after, const JsonValue& step, Warnings& warnings) {
    Comparison comparison(before, after, step, warnings);
    if (const Kind* kind = kindOf(step.at("step").asText())) kind->look(comparison);
}

} // namespace fx
