// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/module_editor.h"

#include "core/base/joined_path.h"
#include "core/module/computed_reads.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_set>

namespace fx {
namespace {
constexpr std::size_t kMaxParts = 900; ///< of the path of a new module: Python's walks end at about so many levels

std::pair<std::string_view, std::string_view> splitLast(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == std::string_view::npos ? std::pair(std::string_view(), path)
                                         : std::pair(path.substr(0, dot), path.substr(dot + 1));
}

/// Modules that are several children, of one parent or of more; most trees have none. Found without their paths, so
/// that a wide tree costs little.
std::unordered_set<const Module*> sharedChildren(const Module& root) {
    std::vector<const Module*> held;
    std::vector<const Module*> open{&root};
    std::unordered_set<const Module*> seen{&root};
    while (!open.empty()) {
        const Module& parent = *open.back();
        open.pop_back();
        for (const auto& child : parent.children) {
            if (!child.module) continue;
            if (child.module.use_count() > 1) held.push_back(child.module.get());
            if (!child.module->children.empty() && seen.insert(child.module.get()).second)
                open.push_back(child.module.get());
        }
    }
    std::sort(held.begin(), held.end(), std::less<>());
    std::unordered_set<const Module*> shared;
    for (std::size_t i = 1; i < held.size(); ++i)
        if (held[i] == held[i - 1]) shared.insert(held[i]);
    return shared;
}

} // namespace

std::shared_ptr<Module>* ModuleEditor::slotOf(Module& module, std::string_view name) {
    const std::size_t place = m_children->find(module, name);
    return place < module.children.size() ? &module.children[place].module : nullptr;
}

ModuleEditor::~ModuleEditor() {
    // A nested GraphModule holds a copy of its module as the root.
    for (const auto& module : m_nested) {
        auto graphModule = std::make_shared<GraphModule>(*module->graphModule);
        auto root = std::make_shared<Module>(*module);
        root->graphModule = nullptr;
        graphModule->root = std::move(root);
        module->graphModule = std::move(graphModule);
    }
}

bool ModuleEditor::isNested(const std::shared_ptr<Module>& module) const {
    return std::find(m_nested.begin(), m_nested.end(), module) != m_nested.end();
}

const std::vector<std::string>& ModuleEditor::otherParents(const Module* module) {
    if (!std::exchange(m_parentsKnown, true))
        if (const auto shared = sharedChildren(*m_model.root); !shared.empty())
            forEachModule(*m_model.root, [&](const std::string& path, const Module& parent) {
                for (const auto& child : parent.children)
                    if (shared.contains(child.module.get())) m_parents[child.module.get()].push_back(path);
            });
    static const std::vector<std::string> kNone;
    const auto found = m_parents.find(module);
    return found == m_parents.end() ? kNone : found->second;
}

/// Makes the module in `slot` this version's own.
void ModuleEditor::own(std::shared_ptr<Module>& slot) {
    if (slot.use_count() == 1) return;
    const std::shared_ptr<Module> old = slot;
    const std::vector<std::string> parents = otherParents(old.get());
    const auto places = static_cast<long>(std::max<std::size_t>(parents.size(), 1));
    if (old.use_count() - 1 - (isNested(old) ? 1 : 0) <= places) return; // all references are in this tree
    const auto fresh = std::make_shared<Module>(*old);
    slot = fresh;
    for (const std::string& parent : parents)
        if (Module* holder = writable(parent))
            for (auto& child : holder->children)
                if (child.module == old) child.module = fresh;
    if (!parents.empty()) m_parents.emplace(fresh.get(), parents);
}

Module* ModuleEditor::writable(std::string_view path) {
    if (m_model.root.use_count() > 1) m_model.root = std::make_shared<Module>(*m_model.root);
    Module* module = m_model.root.get();
    for (std::size_t start = 0; start < path.size();) {
        const auto end = std::min(path.find('.', start), path.size());
        auto* slot = slotOf(*module, path.substr(start, end - start));
        if (!slot || !*slot) return nullptr;
        own(*slot);
        if ((*slot)->graphModule && !isNested(*slot)) m_nested.push_back(*slot);
        module = slot->get();
        start = end + 1;
    }
    return module;
}

/// Whether there is a module at `path`. Asks the children only: a wide root has thousands of other members.
bool ModuleEditor::hasModule(std::string_view path) const {
    const Module* module = m_model.root.get();
    for (std::size_t start = 0; start < path.size();) {
        const auto end = std::min(path.find('.', start), path.size());
        const std::string_view atom = path.substr(start, end - start);
        const std::size_t place = m_children->find(*module, atom);
        if (place == module->children.size() || !module->children[place].module || module->attribute(atom))
            return false;
        module = module->children[place].module.get();
        start = end + 1;
    }
    return !path.empty();
}

/// Creates empty modules above `path`; false if something that is no module is in the way.
bool ModuleEditor::makeRoom(std::string_view path) {
    const std::string_view parentPath = splitLast(path).first;
    const Module* module = m_model.root.get();
    std::size_t start = 0; // of the first part that is not there
    while (start < parentPath.size()) {
        const auto end = std::min(parentPath.find('.', start), parentPath.size());
        const auto target = resolvePath(*module, parentPath.substr(start, end - start), *m_children);
        if (target.kind == PathTarget::Kind::Missing) break;
        if (target.kind != PathTarget::Kind::Module) return false;
        module = target.module;
        start = end + 1;
    }
    if (start >= parentPath.size()) {
        const auto there = resolvePath(*module, splitLast(path).second, *m_children).kind;
        return there == PathTarget::Kind::Missing || there == PathTarget::Kind::Module;
    }
    const auto parts = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) + 1;
    if (parts > kMaxParts)
        throw Error(ErrorKind::Refused, Message("edit.path_too_deep", {{"count", parts}, {"limit", kMaxParts}}));
    Module* holder = writable(parentPath.substr(0, start == 0 ? 0 : start - 1));
    while (start < parentPath.size()) {
        const auto end = std::min(parentPath.find('.', start), parentPath.size());
        holder->children.push_back({std::string(parentPath.substr(start, end - start)), emptyModule()});
        holder = holder->children.back().module.get();
        start = end + 1;
    }
    return true;
}

bool ModuleEditor::add(std::string_view path, std::shared_ptr<Module> module) {
    if (!hasModule(path) && !makeRoom(path)) return false;
    const auto [parentPath, name] = splitLast(path);
    Module& parent = *writable(parentPath);
    if (auto* slot = slotOf(parent, name)) *slot = std::move(module);
    else parent.children.push_back({std::string(name), std::move(module)});
    m_parentsKnown = false;
    m_parents.clear();
    return true;
}

bool ModuleEditor::remove(std::string_view path) {
    if (path.empty() || resolvePath(*m_model.root, path, *m_children).kind != PathTarget::Kind::Module) return false;
    const auto [parentPath, name] = splitLast(path);
    Module* parent = writable(parentPath);
    std::erase_if(parent->children, [wanted = name](const auto& child) { return child.name == wanted; });
    m_parentsKnown = false;
    m_parents.clear();
    return true;
}

std::vector<std::string> ModuleEditor::removeUnused() {
    std::unordered_set<std::string> used, called;
    PathResolver paths(*m_model.root);
    for (const std::string& path : neededPaths(m_model.graph, *m_model.root)) {
        for (auto dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
            used.insert(path.substr(0, dot));
        used.insert(path);
    }
    for (const Node& node : m_model.graph.nodes()) {
        if (node.op() != Op::CallModule || !called.insert(node.target()).second) continue;
        const std::string& path = node.target();
        if (const auto target = paths.resolve(path); target.module)
            forEachModule(*target.module,
                          [&](const std::string& inner, const Module&) { used.insert(joinedPath(path, inner)); });
    }
    std::vector<std::string> removed;
    std::map<std::string, std::unordered_set<std::string>> byParent; // each parent is gone through once
    forEachModule(*m_model.root, [&](const std::string& path, const Module&) {
        if (path.empty() || used.contains(path)) return;
        removed.push_back(path);
        const auto [parent, name] = splitLast(path);
        if (parent.empty() || used.contains(std::string(parent))) byParent[std::string(parent)].emplace(name);
    });
    for (const auto& [parent, gone] : byParent)
        if (Module* holder = writable(parent))
            std::erase_if(holder->children, [&names = gone](const Module::Child& child) {
                return child.module && names.contains(child.name);
            });
    m_parentsKnown = false;
    m_parents.clear();
    return removed;
}

// ── copies ───────────────────────────────────────────────────────────────────────────────────────────────────────

namespace {

/// One deepcopy with its memo.
class Copier {
public:
    std::shared_ptr<Module> module(const Module& source) {
        std::vector<std::pair<const Module*, std::shared_ptr<Module>>> open;
        const auto copyOf = [&](const Module& each) {
            auto& copy = m_modules[&each];
            if (!copy) copy = std::make_shared<Module>(each), open.emplace_back(&each, copy);
            return copy;
        };
        const auto result = copyOf(source);
        while (!open.empty()) {
            const auto copy = open.back().second;
            open.pop_back();
            for (auto& child : copy->children)
                if (child.module) child.module = copyOf(*child.module);
            forEachOwnTensor(*copy, [this](const std::string&, TensorPtr& held) { held = tensor(held); });
            if (copy->graphModule) nested(*copy);
        }
        return result;
    }

    TensorPtr tensor(const TensorPtr& source) {
        if (!source) return nullptr;
        auto& copy = m_tensors[source.get()];
        if (!copy) {
            auto fresh = std::make_shared<TensorRef>(*source);
            fresh->storage = storage(source->storage);
            fresh->origin = {};
            if (fresh->quantizer) {
                fresh->quantizer->scales = tensor(fresh->quantizer->scales);
                fresh->quantizer->zeroPoints = tensor(fresh->quantizer->zeroPoints);
            }
            copy = std::move(fresh);
        }
        return copy;
    }

private:
    void nested(Module& module) {
        auto graphModule = std::make_shared<GraphModule>(*module.graphModule);
        auto root = std::make_shared<Module>(module);
        root->graphModule = nullptr;
        graphModule->root = std::move(root);
        module.graphModule = std::move(graphModule);
    }

    /// Memory of its own, without reading it.
    std::shared_ptr<const Storage> storage(const std::shared_ptr<const Storage>& source) {
        if (!source) return nullptr;
        auto& copy = m_storages[source.get()];
        if (!copy)
            copy = source->isExpression() ? Storage::expression(source->expressionSource(), source->byteCount())
                                          : Storage::through(source->byteCount(),
                                                             [source](std::uint64_t offset, std::span<std::byte> out) {
                                                                 source->read(offset, out);
                                                             });
        return copy;
    }

    std::unordered_map<const Module*, std::shared_ptr<Module>> m_modules;
    std::unordered_map<const TensorRef*, TensorPtr> m_tensors;
    std::unordered_map<const Storage*, std::shared_ptr<const Storage>> m_storages;
};

} // namespace

std::shared_ptr<Module> deepCopy(const Module& module) { return Copier().module(module); }
TensorPtr deepCopy(const TensorPtr& tensor) { return Copier().tensor(tensor); }

} // namespace fx
