// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/not_run.h"

#include "core/base/listed.h"
#include "core/engine/verify/lockstep_run.h"
#include "core/ir/print.h"
#include "core/model_files/traced_effects.h"
#include "core/module/call_semantics.h"
#include "core/module/hooked_modules.h"

#include <algorithm>
#include <map>
#include <set>

namespace fx::engine {
namespace {

constexpr std::size_t kListed = 3; ///< modules or nodes that a sentence lists

std::string listedOr(const std::vector<std::string>& names) {
    return names.empty() ? std::string("-") : listed(names, kListed);
}

Message otherHooks(const GraphModule& a, const GraphModule& b) {
    const std::vector<std::string> hooksA = hookedModules(a), hooksB = hookedModules(b);
    if (hooksA == hooksB) return {};
    return Message("verify.other_hooks", {{"a", listedOr(hooksA)}, {"b", listedOr(hooksB)}});
}

/// What PyTorch does otherwise once it has loaded the file, of code that Lancet shows and runs as it was written. Nodes
/// by the code of the effect.
std::map<std::string, std::vector<std::string>> effectsAtLoad(const GraphModule& model) {
    std::set<std::string> paths; // of GraphModules whose code PyTorch traces otherwise
    for (const Warning& warning : model.warnings)
        if (warning.what.is("trace.partly_unknown") || warning.what.is("trace.call_kept"))
            paths.insert(warning.modulePath);
    std::map<std::string, std::vector<std::string>> out;
    for (const std::string& path : paths) {
        const Module* inner = path.empty() ? nullptr : resolvePath(*model.root, path).module;
        const GraphModule* traced = inner ? inner->graphModule.get() : &model;
        if (!traced || (path.empty() ? model.format != Format::GraphModule : !inner)) continue;
        for (const Foreseen& effect : tracedEffects(*traced))
            for (const std::string& node : effect.nodes) out[effect.what.code()].push_back(node);
    }
    return out;
}

Message otherEffectsAtLoad(const GraphModule& a, const GraphModule& b) {
    const auto ofA = effectsAtLoad(a), ofB = effectsAtLoad(b);
    const auto counts = [](const auto& effects) {
        std::map<std::string, std::size_t> out;
        for (const auto& [code, nodes] : effects) out.emplace(code, nodes.size());
        return out;
    };
    if (counts(ofA) == counts(ofB)) return {};
    std::vector<std::string> nodes;
    for (const auto& each : ofB.empty() ? ofA : ofB) nodes.insert(nodes.end(), each.second.begin(), each.second.end());
    const MessageArgument named("nodes", listed(nodes, kListed));
    return ofB.empty() ? Message("verify.at_load_in_a", {named}) : Message("verify.at_load_in_b", {named});
}

/// The tensors of a model that its nodes write to, by path.
std::map<std::string, const TensorRef*> writtenIn(const GraphModule& model) {
    std::map<std::string, const TensorRef*> out;
    PathResolver paths(*model.root);
    CallSemantics(*model.root).forEachWrite(model.graph, [&](const Node&, NodeId owner) {
        const Node& read = model.graph.node(owner);
        if (read.op() == Op::GetAttr) out.emplace(read.target(), paths.resolve(read.target()).tensor.get());
    });
    return out;
}

/// A write whose effect no run has shown, since the state would differ: it may depend on values that did not occur.
Message unseenWrite(const GraphModule& from, const GraphModule& to, MessageCode code) {
    const auto written = writtenIn(from), others = writtenIn(to);
    PathResolver pathsFrom(*from.root), pathsTo(*to.root);
    std::set<const TensorRef*> known;
    bool isRenamed = false; // a tensor of `to` alone may be the written one under another name
    for (const auto& [path, tensor] : others) {
        known.insert(tensor);
        isRenamed = isRenamed || !pathsFrom.resolve(path).tensor;
    }
    for (const auto& each : written) {
        const TensorPtr tensor = pathsTo.resolve(each.first).tensor;
        if (tensor ? !known.contains(tensor.get()) : !isRenamed) return Message(code, {{"tensor", each.first}});
    }
    return {};
}

Message otherDefault(const VerifySide& a, const VerifySide& b, const ChangedPart& part) {
    const auto defaultOf = [](const GraphModule& model, const std::string& input) {
        for (const Node& node : model.graph.nodes())
            if (node.op() == Op::Placeholder && node.target() == input && !node.args().empty())
                return reprOf(model.graph, node.args()[0]);
        return std::string("-");
    };
    const auto& others = part.otherDefaults();
    for (const auto& [input, given] : namedInputs(*a.model, a.inputs)) {
        const NodeId node = a.model->graph.find(input);
        const bool isUsed = node == kNoNode || !a.model->graph.node(node).users().empty();
        if (given && isUsed && std::find(others.begin(), others.end(), input) != others.end())
            return Message("verify.default_not_run",
                           {{"input", input}, {"a", defaultOf(*a.model, input)}, {"b", defaultOf(*b.model, input)}});
    }
    return {};
}

} // namespace

Message notRun(const VerifySide& givenA, const VerifySide& givenB, const VerifySide& a, const VerifySide& b,
               const ChangedPart& part) {
    if (Message why = otherHooks(*givenA.model, *givenB.model); !why.text().empty()) return why;
    if (Message why = otherEffectsAtLoad(*givenA.model, *givenB.model); !why.text().empty()) return why;
    if (Message why = unseenWrite(*a.model, *b.model, "verify.write_only_in_a"); !why.text().empty()) return why;
    if (Message why = unseenWrite(*b.model, *a.model, "verify.write_only_in_b"); !why.text().empty()) return why;
    return otherDefault(a, b, part);
}

} // namespace fx::engine
