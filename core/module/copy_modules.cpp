// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/copy_modules.h"

#include "core/base/joined_path.h"
#include "core/module/computed_reads.h"
#include "core/pysrc/expression_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// A new tree that grows path by path.
class TreeCopy {
public:
    TreeCopy(const Module& from, std::shared_ptr<Module> root) : m_from(from), m_root(std::move(root)) {
        m_made.emplace("", m_root.get());
    }

    void add(const std::string& path) {
        const PathTarget target = m_from.resolve(path);
        const std::string holder(parentPath(path)), name(lastAtom(path));
        if (target.kind == PathTarget::Kind::Missing || path.empty()) return;
        Module* to = made(holder);
        if (!to) return; // a module above is here with all that is in it
        if (target.kind == PathTarget::Kind::Module)
            to->children.push_back({name, target.shared}), m_made.emplace(path, nullptr);
        else if (target.kind == PathTarget::Kind::Parameter) to->parameters.push_back({name, target.tensor, true});
        else if (target.kind == PathTarget::Kind::Buffer)
            to->buffers.push_back({name, seenFromHere(path, target.tensor), target.persistent});
        else if (target.kind == PathTarget::Kind::Tensor)
            to->buffers.push_back({name, seenFromHere(path, target.tensor), true});
        else to->attributes.emplace_back(name, *target.value);
    }

private:
    /// The new, at first empty module at `path`; null when it is shared, or inside what is no module.
    Module* made(const std::string& path) {
        for (std::size_t end = 0; end != std::string::npos;) {
            end = path.find('.', end + 1);
            const std::string here = path.substr(0, end);
            if (m_made.contains(here)) {
                if (!m_made[here]) return nullptr;
                continue;
            }
            const PathTarget target = m_from.resolve(here);
            if (target.kind != PathTarget::Kind::Module) return m_made[here] = nullptr;
            auto empty = emptyModule();
            empty->training = target.module->training;
            m_made[std::string(parentPath(here))]->children.push_back({std::string(lastAtom(here)), empty});
            m_made[here] = empty.get();
        }
        return m_made[path];
    }

    /// A constant whose text reads a GraphModule around it, which is only a module in the new tree: its text with the
    /// root as `self`.
    TensorPtr seenFromHere(const std::string& path, const TensorPtr& tensor) {
        const ComputedReads reads = computedReads(m_from, path, tensor);
        if (reads.paths.empty() || reads.reader.empty()) return tensor;
        TensorPtr& seen = m_seen[tensor.get()];
        if (seen) return seen;
        auto& storage = m_seenStorages[tensor->storage.get()];
        if (!storage)
            storage = Storage::expression(py::seenFromAbove(tensor->storage->expressionSource(), reads.reader),
                                          tensor->storage->byteCount());
        TensorRef changed = *tensor;
        changed.storage = storage;
        return seen = std::make_shared<const TensorRef>(std::move(changed));
    }

    PathResolver m_from;
    std::shared_ptr<Module> m_root;
    std::unordered_map<const TensorRef*, TensorPtr> m_seen;
    std::unordered_map<const Storage*, std::shared_ptr<const Storage>> m_seenStorages;
    std::unordered_map<std::string, Module*> m_made; ///< null: shared
};

} // namespace

void copyModules(const GraphModule& from, GraphModule& to) {
    auto root = std::make_shared<Module>();
    root->className = from.root->className;
    root->classModule = from.root->classModule;
    root->training = from.root->training;
    std::vector<std::string> paths = neededPaths(to.graph, *from.root);
    const std::unordered_set<std::string> named(paths.begin(), paths.end());
    const auto depth = [](const std::string& path) { return std::count(path.begin(), path.end(), '.'); };
    std::stable_sort(paths.begin(), paths.end(), [&](const auto& a, const auto& b) {
        return depth(a) < depth(b);
    }); // a module before what is in it
    TreeCopy tree(*from.root, root);
    for (const std::string& path : paths) tree.add(path);
    for (const auto& subgraph : from.subgraphs)
        if (named.contains(subgraph.first)) to.subgraphs.push_back(subgraph);
    to.root = std::move(root);
}

} // namespace fx
