// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/tree_diff.h"

#include "core/base/joined_path.h"
#include "core/diff/module_aspects.h"
#include "core/diff/normalised.h"
#include "core/ir/print.h"
#include "core/module/hooked_modules.h"
#include "core/module/subgraphs.h"
#include "core/tensor/same_bits.h"

#include <algorithm>
#include <tuple>

namespace fx {
namespace {

/// Whether two tensors are one: the same elements of the same storage; in files, the same object.
using Elements = std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
Elements elementsOf(const TensorRef& tensor, bool isFile) {
    if (isFile || !tensor.storage) return {&tensor, 0, {}, {}};
    return {tensor.storage.get(), tensor.offset, tensor.sizes, tensor.strides};
}

std::unordered_map<std::string_view, const Module*> childrenByName(const Module& module) {
    std::unordered_map<std::string_view, const Module*> out;
    for (const Module::Child& child : module.children) out.emplace(child.name, child.module.get());
    return out;
}

} // namespace

TreeDiff::TreeDiff(const GraphModule& a, const GraphModule& b, const DiffOptions& options, const Progress& progress)
    : m_a(a), m_b(b), m_options(options), m_progress(progress), m_hookedA(hookedModules(a)),
      m_hookedB(hookedModules(b)), m_pathsA(*a.root), m_pathsB(*b.root) {}

Content& TreeDiff::content() {
    if (m_content) return *m_content;
    m_content.emplace(m_progress);
    m_content->add(m_a);
    m_content->add(m_b);
    return *m_content;
}

std::vector<Aspect> TreeDiff::compare(const std::string& pathA, const std::string& pathB) {
    const PathTarget a = m_pathsA.resolve(pathA), b = m_pathsB.resolve(pathB);
    if (pathA != pathB) m_renamed[0].emplace(pathA, pathB), m_renamed[1].emplace(pathB, pathA);
    Differs differs;
    if (a.module && b.module) differs = modules(*a.module, *b.module, pathA, pathB);
    else if (a.tensor && b.tensor) differs.tensor = tensors(a.tensor, b.tensor, pathA, pathB);
    else differs.module = a.kind != b.kind || !a.tensor != !b.tensor || (a.value && b.value && !(*a.value == *b.value));
    std::vector<Aspect> what;
    if (differs.module) what.push_back(Aspect::Module);
    if (differs.tensor) what.push_back(Aspect::Tensor);
    return what;
}

/// Hooks are known from the warnings of the models.
std::vector<Aspect> TreeDiff::own(const ModulePair& pair) {
    if (isFile()) {
        std::vector<Aspect> what = moduleAspectsInFile(*pair.a, *pair.b);
        if (m_inFile.emplace(pair.a, pair.b).first->second != pair.b) what.push_back(Aspect::Sharing);
        return what;
    }
    std::vector<Aspect> what = moduleAspects(*pair.a, *pair.b);
    const auto hooked = [](const std::vector<std::string>& all, const std::string& path) {
        return std::binary_search(all.begin(), all.end(), path);
    };
    if (hooked(m_hookedA, pair.pathA) != hooked(m_hookedB, pair.pathB)) what.push_back(Aspect::Hooks);
    return what;
}

/// A pair of modules and all below it, each pair once. Goes down with a list of its own: trees may be deep.
TreeDiff::Differs TreeDiff::modules(const Module& a, const Module& b, const std::string& pathA,
                                    const std::string& pathB) {
    if (&a == &b) return {};
    if (const auto known = m_modules.find({&a, &b}); known != m_modules.end()) return known->second;
    Differs whole;
    for (std::vector<ModulePair> open{{&a, &b, pathA, pathB}}; !open.empty();) {
        m_progress.check();
        const ModulePair here = std::move(open.back());
        open.pop_back();
        const auto [entry, fresh] = m_modules.emplace(std::pair(here.a, here.b), Differs());
        if (!fresh) {
            whole.module |= entry->second.module, whole.tensor |= entry->second.tensor;
            continue;
        }
        Differs& mine = entry->second;
        if (auto what = own(here); !what.empty()) {
            mine.module = true;
            m_moduleChanges.push_back({false, here.pathA, here.pathB, std::move(what)});
        }
        const auto heldA = heldBy(*here.a), heldB = heldBy(*here.b);
        std::map<std::string_view, const Held*> byName;
        for (const Held& y : heldB) byName.emplace(y.name, &y);
        for (const Held& x : heldA) {
            const auto y = byName.find(x.name);
            mine.tensor |= y == byName.end() || tensors(x.tensor, y->second->tensor, joinedPath(here.pathA, x.name),
                                                        joinedPath(here.pathB, x.name));
        }
        mine.tensor |= heldA.size() != heldB.size();
        auto others = childrenByName(*here.b);
        for (const auto& child : here.a->children) {
            const auto known = others.extract(child.name);
            const Module* other = known ? known.mapped() : nullptr;
            const auto elsewhere = m_renamed[0].find(joinedPath(here.pathA, child.name));
            if (elsewhere != m_renamed[0].end() && elsewhere->second != joinedPath(here.pathB, child.name)) continue;
            if (child.module.get() == other) continue;
            if (child.module && other)
                open.push_back({child.module.get(), other, joinedPath(here.pathA, child.name),
                                joinedPath(here.pathB, child.name)});
            else mine.module = true;
        }
        for (const auto& [name, child] : others) mine.module |= child != nullptr;
        whole.module |= mine.module, whole.tensor |= mine.tensor;
    }
    return m_modules[{&a, &b}] = whole;
}

bool TreeDiff::tensors(const TensorPtr& a, const TensorPtr& b, const std::string& pathA, const std::string& pathB) {
    const auto [entry, fresh] = m_tensors.emplace(std::pair(a.get(), b.get()), false);
    if (!fresh || a == b) return entry->second;
    std::vector<Aspect> what;
    if (a->sizes != b->sizes) what.push_back(Aspect::Shape);
    if (a->dtype != b->dtype || a->dtypeText != b->dtypeText) what.push_back(Aspect::Dtype);
    if (a->requiresGrad != b->requiresGrad) what.push_back(Aspect::RequiresGrad);
    const auto formOf = [](const TensorRef& tensor) {
        return std::tie(tensor.device, tensor.layout, tensor.isParameter, tensor.conjugate, tensor.negative);
    };
    if (isFile() && formOf(*a) != formOf(*b)) what.push_back(Aspect::Type);
    if (m_options.values && a->sizes == b->sizes && a->dtype == b->dtype && !sameValues(a, b, pathA))
        what.push_back(Aspect::Values);
    entry->second = !what.empty();
    if (!what.empty()) m_tensorChanges.push_back({true, pathA, pathB, std::move(what)});
    return entry->second;
}

/// In files, constants are compared by their text, not by what they read.
bool TreeDiff::sameValues(const TensorPtr& a, const TensorPtr& b, const std::string& path) {
    try {
        if (!isFile()) return content().ofTensor(a) == content().ofTensor(b);
        return a->layout != b->layout || sameBits(*a, *b, m_progress);
    } catch (Error& error) {
        if (error.kind() == ErrorKind::File && m_options.unreadableDiffers) return false;
        if (error.kind() != ErrorKind::Cancelled) error.onModule(path);
        throw;
    }
}

/// Tied weights: what is one tensor at several paths of a model has to be one in the other. A tensor of A that goes
/// with two of B, or the other way round, is reported at the second path.
void TreeDiff::sharing() {
    std::map<Elements, Elements> inB, inA;
    const auto compare = [&](const std::string& path, const TensorRef& a, const TensorRef& b) {
        const Elements ofA = elementsOf(a, isFile()), ofB = elementsOf(b, isFile());
        const auto &forA = inB.emplace(ofA, ofB).first->second, &forB = inA.emplace(ofB, ofA).first->second;
        if (forA == ofB && (isFile() || forB == ofA)) return; // formats may join what is equal
        const auto known = std::find_if(m_tensorChanges.begin(), m_tensorChanges.end(),
                                        [&](const TreeChange& each) { return each.a == path && each.b == path; });
        if (known == m_tensorChanges.end()) m_tensorChanges.push_back({true, path, path, {Aspect::Sharing}});
        else if (known->what.back() != Aspect::Sharing) known->what.push_back(Aspect::Sharing);
    };
    // A module with several paths is met at its first one; the other model may have a module for each.
    for (const bool fromA : {true, false}) {
        forEachModule(*(fromA ? m_a : m_b).root, [&](const std::string& at, const Module& module) {
            for (const Held& held : heldBy(module)) {
                const std::string path = joinedPath(at, held.name);
                const TensorPtr a = m_pathsA.resolve(path).tensor, b = m_pathsB.resolve(path).tensor;
                if (a && b && a->byteCount() > 0 && b->byteCount() > 0) compare(path, *a, *b);
            }
        });
    }
}

/// What one tree has where the other has nothing; what is below it is not told again.
void TreeDiff::orphans(ModelDiff& diff, const GraphModule& mine, const GraphModule& other, bool inA) {
    const auto& renamed = m_renamed[inA ? 0 : 1];
    PathResolver paths(*other.root);
    std::string above = "\n"; // the orphan that we are in
    forEachModule(*mine.root, [&](const std::string& path, const Module& module) {
        if (path == above || path.starts_with(above + ".")) return;
        if (renamed.contains(path)) return;
        if (paths.resolve(path).kind != PathTarget::Kind::Module) {
            const auto inside = renamed.lower_bound(path + ".");
            if (inside != renamed.end() && inside->first.starts_with(path + ".")) return; // what is in it is elsewhere
            diff.orphans.push_back({inA, "module", path});
            above = path;
            return;
        }
        for (const Held& held : heldBy(module))
            if (const std::string name = joinedPath(path, held.name);
                !paths.resolve(name).tensor && !renamed.contains(name))
                diff.orphans.push_back({inA, held.kind, name});
    });
}

/// The graphs that higher-order operators of an exported program call.
void TreeDiff::subgraphs(ModelDiff& diff) {
    for (const auto& [name, graph] : m_a.subgraphs) {
        const GraphModule* other = subgraphNamed(m_b, name);
        if (!other) diff.orphans.push_back({true, "graph", name});
        else if (graphText(graph->graph) != graphText(other->graph))
            m_moduleChanges.push_back({false, name, name, {Aspect::Graph}});
    }
    for (const auto& [name, graph] : m_b.subgraphs)
        if (!hasSubgraph(m_a, name)) diff.orphans.push_back({false, "graph", name});
}

/// Compares each tensor by its path, for formats without modules.
void TreeDiff::tensorPaths(ModelDiff& diff) {
    for (const bool inA : {true, false}) {
        PathResolver& others = inA ? m_pathsB : m_pathsA;
        forEachModule(*(inA ? m_a : m_b).root, [&](const std::string& at, const Module& module) {
            for (const Held& held : heldBy(module)) {
                const std::string path = joinedPath(at, held.name);
                const PathTarget mine = (inA ? m_pathsA : m_pathsB).resolve(path), other = others.resolve(path);
                if (!other.tensor) diff.orphans.push_back({inA, held.kind, path});
                else if (inA && (mine.kind != other.kind || mine.persistent != other.persistent))
                    m_tensorChanges.push_back({true, path, path, {Aspect::Persistence}});
                else if (inA) tensors(held.tensor, other.tensor, path, path);
            }
        });
    }
}

void TreeDiff::finish(ModelDiff& diff) {
    if (m_options.scope == DiffScope::TensorFiles) tensorPaths(diff);
    else if (isFile()) modules(*m_a.root, *m_b.root, {}, {});
    else
        forEachModule(*m_a.root, [&](const std::string& path, const Module& module) {
            const PathTarget other = m_pathsB.resolve(path);
            if (!m_renamed[0].contains(path) && other.kind == PathTarget::Kind::Module)
                modules(module, other.module ? *other.module : *m_b.root, path, path);
        });
    sharing();
    if (!isFile()) subgraphs(diff);
    if (m_options.scope != DiffScope::TensorFiles) {
        orphans(diff, m_a, m_b, true);
        orphans(diff, m_b, m_a, false);
    }
    for (auto* changes : {&m_moduleChanges, &m_tensorChanges}) {
        std::sort(changes->begin(), changes->end(),
                  [](const TreeChange& x, const TreeChange& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
        std::move(changes->begin(), changes->end(), std::back_inserter(diff.tree));
    }
}

} // namespace fx
