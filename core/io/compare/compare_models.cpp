// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compare/compare_models.h"

#include "core/base/joined_path.h"
#include "core/io/compare/same_bits.h"
#include "core/ir/print.h"
#include "core/module/script_object.h"

#include <map>
#include <unordered_map>

namespace fx {
namespace {

/// Two models walked side by side.
class Comparison {
public:
    Comparison(const GraphModule& a, const GraphModule& b, std::size_t limit, const Progress& progress)
        : m_a(a), m_b(b), m_limit(limit), m_progress(progress) {}

    std::vector<ModelDifference> run(TreeComparison tree) {
        compareGraphs();
        tree == TreeComparison::Modules ? compareTrees() : compareTensorPaths();
        return std::move(m_differences);
    }

private:
    struct Pair {
        const Module* a;
        const Module* b;
        std::string path;
    };
    bool full() const { return m_differences.size() >= m_limit; }
    void report(std::string what, std::string node, std::string path) {
        if (!full()) m_differences.push_back({std::move(what), std::move(node), std::move(path)});
    }
    /// Reports `what` with both texts unless they are equal.
    void same(const char* what, const std::string& a, const std::string& b, const std::string& node,
              const std::string& path) {
        if (a != b) report(std::string(what) + ": " + a + " became " + b, node, path);
    }

    void compareGraphs();
    void compareNodes(const Node& a, const Node& b);
    void compareTrees();
    void compareTensorPaths();
    void compareModules(const Pair& pair, std::vector<Pair>& open);
    void compareSlots(const char* kind, const std::vector<Module::Slot>& a, const std::vector<Module::Slot>& b,
                      const std::string& path);
    void compareAttributes(const Pair& pair);
    void compareTensors(const TensorPtr& a, const TensorPtr& b, const std::string& path);

    const GraphModule& m_a;
    const GraphModule& m_b;
    std::size_t m_limit;
    const Progress& m_progress;
    std::vector<ModelDifference> m_differences;
    std::unordered_map<const void*, const void*>
        m_counterpart; ///< modules and tensors of a that were met -> those of b
};

std::string typeText(const Node& node) { return node.type() ? node.type()->repr() : std::string("no annotation"); }

std::string describe(const TensorRef& tensor) {
    std::string text(tensor.dtype == DType::Other ? tensor.dtypeText : dtypeName(tensor.dtype));
    text += " [";
    for (const std::int64_t size : tensor.sizes) text += std::to_string(size) + " ";
    return text + "] " + tensor.device + " " + tensor.layout + (tensor.requiresGrad ? " requires_grad" : "") +
           (tensor.isParameter ? " parameter" : "") + (tensor.conjugate ? " conj" : "") +
           (tensor.negative ? " neg" : "");
}

void Comparison::compareNodes(const Node& a, const Node& b) {
    same("name", a.name(), b.name(), a.name(), "");
    same("op", std::string(opName(a.op())), std::string(opName(b.op())), a.name(), "");
    same("target", a.target(), b.target(), a.name(), "");
    same("args", argsRepr(m_a.graph, a), argsRepr(m_b.graph, b), a.name(), "");
    same("kwargs", kwargsRepr(m_a.graph, a), kwargsRepr(m_b.graph, b), a.name(), "");
    same("type", typeText(a), typeText(b), a.name(), "");
}

void Comparison::compareGraphs() {
    const Graph &a = m_a.graph, &b = m_b.graph;
    if (a.size() != b.size())
        report("the number of nodes: " + std::to_string(a.size()) + " became " + std::to_string(b.size()), "", "");
    NodeId atA = a.first(), atB = b.first();
    for (; atA != kNoNode && atB != kNoNode && !full(); atA = a.next(atA), atB = b.next(atB))
        compareNodes(a.node(atA), b.node(atB));
}

void Comparison::compareTensors(const TensorPtr& a, const TensorPtr& b, const std::string& path) {
    if (!a || !b) {
        if (a != b) report(a ? "the tensor became None" : "None became a tensor", "", path);
        return;
    }
    const auto [met, isNew] = m_counterpart.emplace(a.get(), b.get());
    if (!isNew) {
        if (met->second != b.get()) report("a tensor shared with another place is shared no longer", "", path);
        return;
    }
    same("tensor", describe(*a), describe(*b), "", path);
    if (a->dtype == b->dtype && a->sizes == b->sizes && a->layout == b->layout && !sameBits(*a, *b, m_progress))
        report("the values differ", "", path);
}

void Comparison::compareSlots(const char* kind, const std::vector<Module::Slot>& a, const std::vector<Module::Slot>& b,
                              const std::string& path) {
    if (a.size() != b.size())
        return report(std::string("the number of ") + kind + ": " + std::to_string(a.size()) + " became " +
                          std::to_string(b.size()),
                      "", path);
    for (std::size_t i = 0; i < a.size(); ++i) {
        same("name", a[i].name, b[i].name, "", joinedPath(path, a[i].name));
        if (a[i].persistent != b[i].persistent) report("persistence changed", "", joinedPath(path, a[i].name));
        compareTensors(a[i].tensor, b[i].tensor, joinedPath(path, a[i].name));
    }
}

/// All but the hooks of a traced source, which a .pt has beside the attributes.
static auto comparedAttributes(const Module& module) {
    std::vector<std::decay_t<decltype(module.attributes[0])>> out;
    std::copy_if(module.attributes.begin(), module.attributes.end(), std::back_inserter(out),
                 [](const auto& each) { return each.first != "_forward_pre_hooks"; });
    return out;
}

void Comparison::compareAttributes(const Pair& pair) {
    const auto a = comparedAttributes(*pair.a), b = comparedAttributes(*pair.b);
    if (a.size() != b.size())
        return report("the number of attributes: " + std::to_string(a.size()) + " became " + std::to_string(b.size()),
                      "", pair.path);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::string path = joinedPath(pair.path, a[i].first);
        same("attribute", a[i].first, b[i].first, "", path);
        const auto *valueA = std::get_if<Argument>(&a[i].second), *valueB = std::get_if<Argument>(&b[i].second);
        if (!valueA != !valueB) report("the kind of attribute changed", "", path);
        if (valueA && valueB) same("value", reprOf(m_a.graph, *valueA), reprOf(m_b.graph, *valueB), "", path);
        if (!valueA && !valueB)
            compareTensors(std::get<TensorPtr>(a[i].second), std::get<TensorPtr>(b[i].second), path);
    }
}

void Comparison::compareModules(const Pair& pair, std::vector<Pair>& open) {
    const auto &childrenA = pair.a->children, &childrenB = pair.b->children;
    same("class", pair.a->qualifiedType(), pair.b->qualifiedType(), "", pair.path);
    const bool hasMode = !isScriptObject(*pair.a); // what PyTorch keeps as an object is no nn.Module
    if (hasMode && pair.a->training != pair.b->training) report("training mode changed", "", pair.path);
    compareSlots("parameters", pair.a->parameters, pair.b->parameters, pair.path);
    compareSlots("buffers", pair.a->buffers, pair.b->buffers, pair.path);
    compareAttributes(pair);
    if (childrenA.size() != childrenB.size())
        return report("the number of submodules: " + std::to_string(childrenA.size()) + " became " +
                          std::to_string(childrenB.size()),
                      "", pair.path);
    for (std::size_t i = childrenA.size(); i-- > 0;) {
        const std::string path = joinedPath(pair.path, childrenA[i].name);
        same("name", childrenA[i].name, childrenB[i].name, "", path);
        if (childrenA[i].module && childrenB[i].module) {
            open.push_back({childrenA[i].module.get(), childrenB[i].module.get(), path});
        } else if (childrenA[i].module != childrenB[i].module) {
            report("a submodule became None or the reverse", "", path);
        }
    }
}

void Comparison::compareTrees() {
    std::vector<Pair> open = {{m_a.root.get(), m_b.root.get(), ""}};
    while (!open.empty() && !full()) {
        const Pair pair = std::move(open.back());
        open.pop_back();
        const auto [met, isNew] = m_counterpart.emplace(pair.a, pair.b);
        if (isNew) {
            compareModules(pair, open);
        } else if (met->second != pair.b) {
            report("a module shared with another place is shared no longer", "", pair.path);
        }
    }
}

using TensorPaths = std::map<std::string, std::pair<TensorPtr, std::string>>;

/// Every tensor of a tree and what it is there.
TensorPaths tensorPaths(const Module& root) {
    TensorPaths found;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        for (const Module::Slot& slot : module.parameters)
            if (slot.tensor) found.emplace(joinedPath(path, slot.name), std::pair(slot.tensor, "parameter"));
        for (const Module::Slot& slot : module.buffers)
            if (slot.tensor)
                found.emplace(joinedPath(path, slot.name),
                              std::pair(slot.tensor, slot.persistent ? "buffer" : "buffer that is not persistent"));
        for (const auto& [name, value] : module.attributes)
            if (const auto* tensor = std::get_if<TensorPtr>(&value); tensor && *tensor)
                found.emplace(joinedPath(path, name), std::pair(*tensor, "tensor"));
    });
    return found;
}

void Comparison::compareTensorPaths() {
    const TensorPaths a = tensorPaths(*m_a.root), b = tensorPaths(*m_b.root);
    for (const auto& [path, tensor] : b)
        if (!a.contains(path)) report("a tensor has come", "", path);
    for (const auto& [path, tensor] : a) {
        if (full()) return;
        const auto other = b.find(path);
        if (other == b.end()) {
            report("the tensor is gone", "", path);
            continue;
        }
        same("kind", tensor.second, other->second.second, "", path);
        compareTensors(tensor.first, other->second.first, path);
    }
}

} // namespace

std::vector<ModelDifference> compareModels(const GraphModule& a, const GraphModule& b, std::size_t limit,
                                           const Progress& progress, TreeComparison tree) {
    return Comparison(a, b, limit, progress).run(tree);
}

void requireSame(const GraphModule& expected, const GraphModule& back, const std::string& path,
                 const Progress& progress, TreeComparison tree) {
    const auto differences = compareModels(expected, back, 1, progress, tree);
    if (differences.empty()) return;
    throw Error(ErrorKind::Refused, Message("io.reads_differently", {{"difference", differences.front().what}}))
        .in(path)
        .onNode(differences.front().node)
        .onModule(differences.front().modulePath);
}

} // namespace fx
