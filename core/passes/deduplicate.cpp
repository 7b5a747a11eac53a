// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/deduplicate.h"

#include "core/ir/print.h"
#include "core/module/call_semantics.h"
#include "core/passes/graph_tensors.h"
#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"
#include "core/passes/value_facts.h"

#include <functional>
#include <map>
#include <span>

namespace fx {
namespace {

/// The bytes of a tensor, as they lie; nullopt if they cannot be compared.
std::optional<std::string> bytesOf(const TensorRef& tensor) {
    if (!tensor.storage || tensor.storage->isExpression() || tensor.quantizer || tensor.layout != "torch.strided" ||
        !tensor.isContiguous() || !tensor.geometryProblem().empty())
        return std::nullopt;
    std::string bytes(static_cast<std::size_t>(tensor.byteCount()), '\0');
    tensor.storage->read(static_cast<std::uint64_t>(tensor.offset) * elementSize(tensor.dtype),
                         std::as_writable_bytes(std::span(bytes)));
    return bytes;
}

/// Finds equal tensors: by kind and hash of the bytes first, so that large ones are compared only if they may be equal.
class TensorClasses {
public:
    /// A number that equal tensors have in common, and nothing else has.
    std::size_t classOf(const TensorPtr& tensor) {
        const auto [known, isNew] = m_known.try_emplace(tensor.get(), 0);
        if (!isNew) return known->second;
        std::size_t& out = m_known.at(tensor.get());
        const auto bytes = bytesOf(*tensor);
        if (!bytes) return out = m_count++;
        auto& candidates = m_byHash[keyOf(*tensor, std::hash<std::string>()(*bytes))];
        for (const auto& [other, number] : candidates)
            if (const auto same = bytesOf(*other); same && *same == *bytes) return out = number;
        candidates.emplace_back(tensor, m_count);
        return out = m_count++;
    }

private:
    static std::string keyOf(const TensorRef& tensor, std::size_t hash) {
        std::string key = std::string(dtypeName(tensor.dtype)) + tensor.device + (tensor.negative ? '-' : '+') +
                          (tensor.conjugate ? '-' : '+') + std::to_string(hash);
        for (const std::int64_t size : tensor.sizes) key += ' ' + std::to_string(size);
        return key;
    }
    std::unordered_map<const TensorRef*, std::size_t> m_known;
    std::map<std::string, std::vector<std::pair<TensorPtr, std::size_t>>> m_byHash;
    std::size_t m_count = 0;
};

/// Text that is equal for modules that do the same: class, mode, settings, tensors by class, children. Empty for those
/// that may not stand for each other.
class ModuleTexts {
public:
    explicit ModuleTexts(TensorClasses& tensors) : m_tensors(tensors) {}

    std::string text(const Module& root) {
        std::string out;
        bool isPlain = true;
        forEachModule(root, [&](const std::string& path, const Module& module) {
            if (!isPlain) return;
            isPlain = isStateless(module);
            out += path + ':' + module.qualifiedType() + (module.training ? "!(" : "(");
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const auto& slot : *slots)
                    out += slot.name + '#' + (slot.tensor ? std::to_string(m_tensors.classOf(slot.tensor)) : "") + ',';
            for (const auto& [name, value] : module.attributes) {
                const auto* setting = std::get_if<Argument>(&value);
                const auto* tensor = std::get_if<TensorPtr>(&value);
                out += name + '=' + (setting ? settingText(*setting) : "") +
                       (tensor && *tensor ? '#' + std::to_string(m_tensors.classOf(*tensor)) : "") + ',';
                if (setting && setting->as<OpaqueObject>()) isPlain = false;
            }
            for (const auto& child : module.children) out += '/' + child.name + (child.module ? "" : "0");
            out += ')';
        });
        return isPlain ? out : std::string();
    }

private:
    /// Classes of PyTorch that keep nothing of a run, except in training.
    static bool isStateless(const Module& module) {
        const bool isTorch = module.classModule.starts_with("torch.nn.modules.") && !module.graphModule;
        return isTorch && !(module.training && (!module.buffers.empty() || drawsRandom(module)));
    }
    static std::string settingText(const Argument& setting) {
        std::string out = std::to_string(setting.value().index()) + ':';
        appendRepr(out, Graph(), setting);
        return out;
    }
    TensorClasses& m_tensors;
};

/// The inputs and attributes that are equal tensors.
bool mergeTensors(const PassRun& run, TensorClasses& classes, const ValueFacts& facts) {
    Graph& graph = run.graph();
    const GraphTensors tensors(run.model);
    std::map<std::size_t, NodeId> first;
    std::set<NodeId> unused;
    bool changed = false;
    for (const NodeId id : graph.order()) {
        const TensorPtr tensor = tensors.tensor(id);
        if (!tensor || graph.node(id).users().empty() || facts.isWritten(id)) continue;
        if (tensor->isParameter && !run.settings.flag("parameters")) continue;
        const auto [known, isNew] = first.emplace(classes.classOf(tensor), id);
        if (isNew) continue;
        const NodeId kept = known->second;
        changed |= run.rewrite(id, [&] {
            graph.replaceAllUses(id, kept);
            sortUsers(graph, kept);
            unused.insert(id);
        });
    }
    eraseUnusedTensors(run.model, unused);
    return changed;
}

bool mergeModules(const PassRun& run, TensorClasses& classes) {
    Graph& graph = run.graph();
    const std::shared_ptr<const Module> root = run.model.root;
    PathResolver paths(*root);
    ModuleTexts texts(classes);
    std::map<std::string, std::string> first; // path by text
    std::map<const Module*, std::string> known;
    std::set<std::string> unused;
    bool changed = false;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
        if (!module) continue;
        run.progress.check();
        const auto [text, isNew] = known.try_emplace(module);
        if (isNew) text->second = texts.text(*module);
        if (text->second.empty()) continue;
        const auto place = first.emplace(text->second, node.target()).first;
        if (place->second == node.target()) continue;
        const std::string path = node.target();
        const bool made = run.rewrite(id, [&] { graph.setTarget(id, place->second); });
        if (made) unused.insert(path);
        changed |= made;
    }
    removeUnusedModules(run.model, unused);
    return changed;
}

bool deduplicate(const PassRun& run) {
    TensorClasses classes;
    const ValueFacts facts(run.model);
    bool changed = run.settings.flag("tensors") && mergeTensors(run, classes, facts);
    if (run.settings.flag("modules")) changed |= mergeModules(run, classes);
    return changed;
}

} // namespace

Pass deduplicatePass() {
    return {"deduplicate",
            "shares equal tensors and equal modules; for inference",
            {{"tensors", "equal tensors that nodes read", "true"},
             {"parameters", "parameters too", "true"},
             {"modules", "equal modules of PyTorch", "true"}},
            deduplicate,
            {}};
}

} // namespace fx
