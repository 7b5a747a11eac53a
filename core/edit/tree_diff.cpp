// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/tree_diff.h"

#include "core/base/joined_path.h"
#include "core/io/compare/same_bits.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"

#include <algorithm>
#include <tuple>

namespace fx {
namespace {

/// A tensor that a module holds itself.
struct Held {
    std::string_view kind;
    std::string name;
    TensorPtr tensor;
};
std::vector<Held> heldBy(const Module& module) {
    std::vector<Held> all;
    for (const auto& slot : module.parameters) all.push_back({"parameter", slot.name, slot.tensor});
    for (const auto& slot : module.buffers) all.push_back({"buffer", slot.name, slot.tensor});
    for (const auto& [name, value] : module.attributes)
        if (const auto* tensor = std::get_if<TensorPtr>(&value)) all.push_back({"tensor", name, *tensor});
    std::erase_if(all, [](const Held& held) { return !held.tensor; });
    return all;
}

/// Whether two tensors are one: the same elements of the same storage.
using Elements = std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
Elements elementsOf(const TensorRef& tensor) {
    if (!tensor.storage) return {&tensor, 0, {}, {}};
    return {tensor.storage.get(), tensor.offset, tensor.sizes, tensor.strides};
}

bool sameSettings(const Module& a, const Module& b) {
    const auto ofA = constructorSettings(a), ofB = constructorSettings(b);
    return std::equal(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(),
                      [](const Setting& x, const Setting& y) { return x.name == y.name && x.value == y.value; });
}

} // namespace

TreeDiff::TreeDiff(const GraphModule& a, const GraphModule& b, const DiffOptions& options, const Progress& progress)
    : m_a(a), m_b(b), m_options(options), m_progress(progress), m_pathsA(*a.root), m_pathsB(*b.root) {}

std::vector<Aspect> TreeDiff::compare(const std::string& pathA, const std::string& pathB) {
    const PathTarget a = m_pathsA.resolve(pathA), b = m_pathsB.resolve(pathB);
    if (pathA != pathB) m_renamed[0].emplace(pathA, pathB), m_renamed[1].emplace(pathB, pathA);
    Differs differs;
    if (a.module && b.module) differs = modules(*a.module, *b.module, pathA, pathB);
    else if (a.tensor && b.tensor) differs.tensor = tensors(a.tensor, b.tensor, pathA, pathB);
    else differs.module = a.kind != b.kind || (a.value && b.value && !(*a.value == *b.value));
    std::vector<Aspect> what;
    if (differs.module) what.push_back(Aspect::Module);
    if (differs.tensor) what.push_back(Aspect::Tensor);
    return what;
}

std::vector<Aspect> TreeDiff::own(const Module& a, const Module& b) const {
    std::vector<Aspect> what;
    if (a.qualifiedType() != b.qualifiedType()) what.push_back(Aspect::Class);
    else if (!sameSettings(a, b)) what.push_back(Aspect::Settings);
    if (a.training != b.training) what.push_back(Aspect::Training);
    if (a.graphModule && b.graphModule && graphText(a.graphModule->graph) != graphText(b.graphModule->graph))
        what.push_back(Aspect::Graph);
    return what;
}

/// A pair of modules and all below it, each pair once. Goes down with a list of its own: trees may be deep.
TreeDiff::Differs TreeDiff::modules(const Module& a, const Module& b, const std::string& pathA,
                                    const std::string& pathB) {
    if (const auto known = m_modules.find({&a, &b}); known != m_modules.end()) return known->second;
    Differs whole;
    struct Open {
        const Module *a, *b;
        std::string pathA, pathB;
    };
    for (std::vector<Open> open{{&a, &b, pathA, pathB}}; !open.empty();) {
        m_progress.check();
        const Open here = std::move(open.back());
        open.pop_back();
        const auto [entry, fresh] = m_modules.emplace(std::pair(here.a, here.b), Differs());
        if (!fresh) {
            whole.module |= entry->second.module, whole.tensor |= entry->second.tensor;
            continue;
        }
        Differs& mine = entry->second;
        if (auto what = own(*here.a, *here.b); !what.empty()) {
            mine.module = true;
            m_moduleChanges.push_back({false, here.pathA, here.pathB, std::move(what)});
        }
        const auto heldA = heldBy(*here.a), heldB = heldBy(*here.b);
        for (const Held& x : heldA) {
            const auto y =
                std::find_if(heldB.begin(), heldB.end(), [&](const Held& held) { return held.name == x.name; });
            mine.tensor |= y == heldB.end() || tensors(x.tensor, y->tensor, joinedPath(here.pathA, x.name),
                                                       joinedPath(here.pathB, y->name));
        }
        mine.tensor |= heldA.size() != heldB.size();
        for (const auto& child : here.a->children) {
            const Module* other = here.b->child(child.name);
            const auto elsewhere = m_renamed[0].find(joinedPath(here.pathA, child.name));
            if (elsewhere != m_renamed[0].end() && elsewhere->second != joinedPath(here.pathB, child.name)) continue;
            if (child.module && other)
                open.push_back({child.module.get(), other, joinedPath(here.pathA, child.name),
                                joinedPath(here.pathB, child.name)});
            else mine.module |= (child.module != nullptr) != (other != nullptr);
        }
        for (const auto& child : here.b->children) mine.module |= child.module && !here.a->child(child.name);
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
    if (m_gradients && a->requiresGrad != b->requiresGrad) what.push_back(Aspect::RequiresGrad);
    if (m_options.values && a->sizes == b->sizes && a->dtype == b->dtype && !sameBits(*a, *b, m_progress))
        what.push_back(Aspect::Values);
    entry->second = !what.empty();
    if (!what.empty()) m_tensorChanges.push_back({true, pathA, pathB, std::move(what)});
    return entry->second;
}

/// Tied weights: what is one tensor at several paths of a model has to be one in the other. A tensor of A that goes
/// with two of B, or the other way round, is reported at the second path.
void TreeDiff::sharing() {
    std::map<Elements, Elements> inB, inA;
    const auto compare = [&](const std::string& path, const TensorRef& a, const TensorRef& b) {
        const Elements ofA = elementsOf(a), ofB = elementsOf(b);
        const auto &forA = inB.emplace(ofA, ofB).first->second, &forB = inA.emplace(ofB, ofA).first->second;
        if (forA == ofB && forB == ofA) return;
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
    const auto named = [](const GraphModule& model, const std::string& name) {
        const auto found = std::find_if(model.subgraphs.begin(), model.subgraphs.end(),
                                        [&](const auto& each) { return each.first == name; });
        return found == model.subgraphs.end() ? nullptr : found->second.get();
    };
    for (const auto& [name, graph] : m_a.subgraphs) {
        const GraphModule* other = named(m_b, name);
        if (!other) diff.orphans.push_back({true, "graph", name});
        else if (graphText(graph->graph) != graphText(other->graph))
            m_moduleChanges.push_back({false, name, name, {Aspect::Graph}});
    }
    for (const auto& [name, graph] : m_b.subgraphs)
        if (!named(m_a, name)) diff.orphans.push_back({false, "graph", name});
}

void TreeDiff::finish(ModelDiff& diff) {
    forEachModule(*m_a.root, [&](const std::string& path, const Module& module) {
        const PathTarget other = m_pathsB.resolve(path);
        if (!m_renamed[0].contains(path) && other.kind == PathTarget::Kind::Module)
            modules(module, other.module ? *other.module : *m_b.root, path, path);
    });
    sharing();
    subgraphs(diff);
    orphans(diff, m_a, m_b, true);
    orphans(diff, m_b, m_a, false);
    for (auto* changes : {&m_moduleChanges, &m_tensorChanges}) {
        std::sort(changes->begin(), changes->end(),
                  [](const TreeChange& x, const TreeChange& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
        std::move(changes->begin(), changes->end(), std::back_inserter(diff.tree));
    }
}

} // namespace fx
