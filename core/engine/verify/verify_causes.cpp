// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_path.h"
#include "core/base/listed.h"
#include "core/diag/sides.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/lockstep_run.h"
#include "core/engine/verify/verify.h"
#include "core/ir/print.h"
#include "core/module/constructor_settings.h"
#include "core/quant/quantised_part.h"
#include "core/torchscript/other_parts.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>

namespace fx::engine {
namespace {

constexpr std::size_t kMaxNamed = 5; ///< nodes, tensors or arguments that a sentence lists

/// As the file has it: the run may have changed that of its store.
at::Tensor unchanged(const TensorPtr& tensor, const VerifySide& side) {
    TensorStore fresh;
    if (tensor->storage && tensor->storage->isExpression()) fresh.addModel(side.model);
    return fresh.tensor(tensor);
}

bool sameTensors(const TensorPtr& a, const TensorPtr& b, const VerifySide& sideA, const VerifySide& sideB) {
    if (a == b) return true;
    return a && b && compareTensors(unchanged(a, sideA), unchanged(b, sideB), {}).equal;
}

using Paths = std::map<std::string, TensorPtr>;
Paths tensorsIn(const Module& module) {
    Paths out;
    forEachModule(module, [&](const std::string& path, const Module& inner) {
        for (const auto* slots : {&inner.parameters, &inner.buffers})
            for (const Module::Slot& slot : *slots) out[joinedPath(path, slot.name)] = slot.tensor;
    });
    return out;
}

Message moduleDifference(const Module& a, const Module& b, const VerifySide& sideA, const VerifySide& sideB) {
    if (a.qualifiedType() != b.qualifiedType()) return inBoth(a.className, b.className);
    if (a.training != b.training)
        return Message("verify.modes",
                       {{"a", a.training ? "training" : "eval"}, {"b", b.training ? "training" : "eval"}});
    const Graph none;
    const auto settingsA = constructorSettings(a), settingsB = constructorSettings(b);
    for (std::size_t i = 0; i < std::min(settingsA.size(), settingsB.size()); ++i)
        if (settingsA[i].name == settingsB[i].name && !(settingsA[i].value == settingsB[i].value))
            return Message("verify.setting", {{"setting", settingsA[i].name},
                                              {"a", reprOf(none, settingsA[i].value)},
                                              {"b", reprOf(none, settingsB[i].value)}});
    std::vector<std::string> names;
    const Paths ofA = tensorsIn(a), ofB = tensorsIn(b);
    for (const auto& [path, tensor] : ofA)
        if (const auto other = ofB.find(path); other == ofB.end() || !sameTensors(tensor, other->second, sideA, sideB))
            names.push_back(path);
    for (const auto& [path, tensor] : ofB)
        if (!ofA.contains(path)) names.push_back(path);
    return names.empty() ? Message() : Message("verify.parameters", {{"names", listed(names, kMaxNamed)}});
}

/// Dropout that is on, whatever it is called as: a module in training mode, F.dropout(x, p, True), aten.dropout(x, p,
/// True).
bool drawsDropout(const Node& node, const VerifySide& side) {
    if (const Module* module = calledModule(node, *side.model))
        return module->training && module->className.find("Dropout") != std::string::npos;
    if (node.op() != Op::CallFunction || node.target().find("dropout") == std::string::npos) return false;
    if (const Argument* training = node.argument(2, "training")) return *training == Argument(true);
    return node.target().starts_with("torch.nn.functional"); // training=True is its default
}

std::vector<std::string> dropouts(const VerifySide& side) {
    std::vector<std::string> names;
    for (const Node& node : side.model->graph.nodes())
        if (drawsDropout(node, side)) names.push_back(side.nameOf(node));
    return names;
}

/// A file that runs as a whole has modules that its graph does not show.
bool callsWholeFile(const VerifySide& side) {
    for (const Node& node : side.model->graph.nodes())
        if (const Module* module = calledModule(node, *side.model); module && script::isScriptFile(*module))
            return true;
    return false;
}

void tellDropout(const VerifySide& a, const VerifySide& b, std::vector<Message>& remarks) {
    if (callsWholeFile(a) || callsWholeFile(b)) return;
    const auto ofA = dropouts(a), ofB = dropouts(b);
    if (ofA.empty() && ofB.empty()) return;
    const std::string inA = listed(ofA, kMaxNamed), inB = listed(ofB, kMaxNamed);
    remarks.push_back(ofA == ofB    ? Message("verify.dropout_in_both", {{"nodes", inA}})
                      : ofB.empty() ? Message("verify.dropout_in_a", {{"nodes", inA}})
                      : ofA.empty() ? Message("verify.dropout_in_b", {{"nodes", inB}})
                                    : Message("verify.dropout_moved", {{"nodes", inA}, {"others", inB}}));
}

/// The module of the node is called at several places and is another in B: an edit that was meant for one of them.
void tellSharedModule(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB,
                      std::vector<Message>& remarks) {
    const Module *left = calledModule(a, *sideA.model), *right = calledModule(b, *sideB.model);
    if (!left || !right || moduleDifference(*left, *right, sideA, sideB).text().empty()) return;
    std::vector<std::string> calls;
    for (const Node& node : sideA.model->graph.nodes())
        if (calledModule(node, *sideA.model) == left) calls.push_back(sideA.nameOf(node));
    if (calls.size() > 1)
        remarks.push_back(
            Message("verify.shared_module",
                    {{"module", a.target()}, {"count", calls.size()}, {"nodes", listed(calls, kMaxNamed)}}));
}

/// As Python writes it, cut where it gets long.
std::string shortRepr(const Graph& graph, const Argument& value) {
    constexpr std::size_t kShown = 120;
    std::string text = reprOf(graph, value);
    if (text.size() > kShown) text.replace(kShown, std::string::npos, "...");
    return text;
}

/// Inputs whose defaults differ, which a run shows only where they are not given, and those that one model ignores.
void tellInputs(const VerifySide& a, const VerifySide& b, std::vector<Message>& remarks) {
    const auto inputsOf = [](const GraphModule& model) {
        std::map<std::string, const Node*> out;
        for (const Node& node : model.graph.nodes())
            if (isUserInput(model, node)) out.emplace(node.target(), &node);
        return out;
    };
    const auto defaultOf = [](const Node& node, const GraphModule& model) {
        return node.args().empty() ? std::string() : shortRepr(model.graph, node.args()[0]);
    };
    const auto ofB = inputsOf(*b.model);
    for (const auto& [input, mine] : inputsOf(*a.model)) {
        const auto same = ofB.find(input);
        if (same == ofB.end()) continue;
        const Node& theirs = *same->second;
        const std::string inA = defaultOf(*mine, *a.model), inB = defaultOf(theirs, *b.model);
        if (!inA.empty() && !inB.empty() && inA != inB)
            remarks.push_back(Message("verify.other_default", {{"input", input}, {"a", inA}, {"b", inB}}));
        if (mine->users().empty() != theirs.users().empty())
            remarks.push_back(mine->users().empty() ? Message("verify.unused_in_a", {{"input", input}})
                                                    : Message("verify.unused_in_b", {{"input", input}}));
    }
}

/// What the files of two scripts have beside their graphs, of which nothing is compared: methods, and attributes that
/// are no tensors.
void tellUncompared(const VerifySide& a, const VerifySide& b, std::vector<Message>& remarks) {
    const auto *ofA = dynamic_cast<const script::ScriptOrigin*>(a.model->origin.get()),
               *ofB = dynamic_cast<const script::ScriptOrigin*>(b.model->origin.get());
    if (!ofA || !ofB || ofA == ofB) return;
    const script::OtherParts other = script::otherParts(*ofA, *ofB);
    if (!other.methods.empty())
        remarks.push_back(Message("verify.other_methods", {{"names", listed(other.methods, kMaxNamed)}}));
    if (!other.attributes.empty())
        remarks.push_back(Message("verify.other_attributes", {{"names", listed(other.attributes, kMaxNamed)}}));
}

void tellNormalisation(const VerifySide& a, const VerifySide& b, std::vector<Message>& remarks) {
    for (const Node& node : a.model->graph.nodes()) {
        const Module* left = calledModule(node, *a.model);
        if (!left || !left->training || left->className.find("BatchNorm") == std::string::npos) continue;
        const NodeId other = b.model->graph.find(node.name());
        const Module* right = other == kNoNode ? nullptr : calledModule(b.model->graph.node(other), *b.model);
        if (right && right->training) continue;
        remarks.push_back(right ? Message("verify.batch_statistics", {{"node", a.nameOf(node)}})
                                : Message("verify.batch_statistics_gone", {{"node", a.nameOf(node)}}));
        return;
    }
}

void tellQuantisation(const VerifyReport& report, const VerifySide& a, std::vector<Message>& remarks) {
    if (!report.sqnr) return;
    std::array<char, 32> decibels{};
    std::snprintf(decibels.data(), decibels.size(), "%.1f", *report.sqnr);
    const bool inA = quant::quantisedPart(*a.model).has_value();
    const Message model = inA ? Message("verify.model_a") : Message("verify.model_b");
    remarks.push_back(
        containing(Message("verify.quantised", {{"model", model.text()}, {"sqnr", decibels.data()}}), "model", model));
}

/// "argument 2 of view is 2 in A, 20 in B"; a side that lacks it is null. Empty when both are the same. The models have
/// no cuts, but nodes are named as the user's models have them.
Message differenceOf(const std::string& name, const Node& a, const Argument* left, const Argument* right,
                     const VerifySide& sideA, const VerifySide& sideB) {
    const Graph &graphA = sideA.model->graph, &graphB = sideB.model->graph;
    if (left && right && reprOf(graphA, *left) == reprOf(graphB, *right)) return {};
    const auto shown = [](const Argument* value, const VerifySide& side) {
        if (!value) return std::string("missing");
        const Graph& graph = side.model->graph;
        return value->isNode() ? side.nameOf(graph.node(value->node())) : shortRepr(graph, *value);
    };
    return Message(
        "verify.argument",
        {{"argument", name}, {"node", sideA.nameOf(a)}, {"a", shown(left, sideA)}, {"b", shown(right, sideB)}});
}

/// "…; …; … and 2 more"
Message joined(const std::vector<Message>& differences) {
    if (differences.empty()) return {};
    Message all = differences.front();
    for (std::size_t i = 1; i < std::min(differences.size(), kMaxNamed); ++i) all = bothOf(all, differences[i]);
    if (differences.size() <= kMaxNamed) return all;
    const Message more("verify.and_more", {{"first", all.text()}, {"count", differences.size() - kMaxNamed}});
    return containing(more, "first", all);
}

/// Which arguments differ: those by position in their order, then the others.
Message argumentDifference(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB) {
    std::vector<Message> differ;
    const auto add = [&](const std::string& name, const Argument* left, const Argument* right) {
        if (Message one = differenceOf(name, a, left, right, sideA, sideB); !one.text().empty())
            differ.push_back(std::move(one));
    };
    for (std::size_t i = 0; i < std::max(a.args().size(), b.args().size()); ++i)
        add(std::to_string(i), i < a.args().size() ? &a.args()[i] : nullptr,
            i < b.args().size() ? &b.args()[i] : nullptr);
    for (const auto& [name, value] : a.kwargs()) add("'" + name + "'", &value, b.kwarg(name));
    for (const auto& [name, value] : b.kwargs())
        if (!a.kwarg(name)) add("'" + name + "'", nullptr, &value);
    return joined(differ);
}

/// What differs in the nodes themselves.
Message ownDifference(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB) {
    const Module *left = calledModule(a, *sideA.model), *right = calledModule(b, *sideB.model);
    const bool areModules = left && right; // their paths say nothing
    if (a.op() != b.op() || (!areModules && a.target() != b.target())) {
        const auto called = [&](const Node& node, const Node& other) {
            return (node.op() == other.op() ? "" : std::string(opName(node.op())) + " ") + node.target();
        };
        return Message("verify.called", {{"a", called(a, b)}, {"b", called(b, a)}});
    }
    if (areModules)
        if (Message why = moduleDifference(*left, *right, sideA, sideB); !why.text().empty()) return why;
    const TensorPtr tensorA = tensorRead(a, *sideA.model), tensorB = tensorRead(b, *sideB.model);
    if (tensorA && tensorB && !sameTensors(tensorA, tensorB, sideA, sideB)) return Message("verify.values_differ");
    if (a.op() == Op::Output) return {}; // that it returns other nodes, the values tell
    return argumentDifference(a, b, sideA, sideB);
}

} // namespace

bool comparable(const Node& a, const Node& b, const GraphModule& modelA, const GraphModule& modelB) {
    const auto takesOut = [](const Node& node) {
        return node.target() == "_operator.getitem" && node.args().size() == 2 && node.args()[0].isNode();
    };
    if (!takesOut(a) && !takesOut(b)) return true;
    if (!takesOut(a) || !takesOut(b)) return false;
    const auto producer = [](const Node& node, const GraphModule& model) {
        return model.graph.node(node.args()[0].node()).name();
    };
    return producer(a, modelA) == producer(b, modelB) &&
           reprOf(modelA.graph, a.args()[1]) == reprOf(modelB.graph, b.args()[1]);
}

Message differenceAt(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB) {
    if (Message own = ownDifference(a, b, sideA, sideB); !own.text().empty()) return own;
    for (const NodeId id : a.inputs()) {
        const Node& input = sideA.model->graph.node(id);
        const NodeId other = sideB.model->graph.find(input.name());
        if (other == kNoNode || comparable(input, sideB.model->graph.node(other), *sideA.model, *sideB.model)) continue;
        const Message own = ownDifference(input, sideB.model->graph.node(other), sideA, sideB);
        return containing(
            Message("verify.other_node",
                    {{"input", sideA.nameOf(input)}, {"node", sideA.nameOf(a)}, {"difference", own.text()}}),
            "difference", own);
    }
    return {};
}

bool sameApartFromInputs(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB) {
    const auto same = [](const Argument& x, const Argument& y) {
        const auto withoutNodes = [](NodeId) { return Argument(EllipsisValue()); };
        return mapNodes(x, withoutNodes) == mapNodes(y, withoutNodes);
    };
    if (a.op() != b.op() || (a.isCall() && a.op() != Op::CallModule && a.target() != b.target())) return false;
    if (!std::equal(a.args().begin(), a.args().end(), b.args().begin(), b.args().end(), same)) return false;
    if (!std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), b.kwargs().end(),
                    [&](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); }))
        return false;
    const Module *left = calledModule(a, *sideA.model), *right = calledModule(b, *sideB.model);
    if (left && right && !moduleDifference(*left, *right, sideA, sideB).text().empty()) return false;
    const TensorPtr tensorA = tensorRead(a, *sideA.model), tensorB = tensorRead(b, *sideB.model);
    return !tensorA || !tensorB || sameTensors(tensorA, tensorB, sideA, sideB);
}

std::optional<double> quantisedSqnr(const VerifyReport& report, const VerifySide& a, const VerifySide& b) {
    double signal = 0, noise = 0;
    for (const OutputDifference& output : report.outputs) {
        const auto count = static_cast<double>(output.value.count);
        signal += output.value.rms * output.value.rms * count,
            noise += output.value.rmsError * output.value.rmsError * count;
    }
    if (!(noise > 0) || !(signal > 0)) return std::nullopt;
    if (quant::quantisedPart(*a.model).has_value() == quant::quantisedPart(*b.model).has_value()) return std::nullopt;
    return 10 * std::log10(signal / noise);
}

Message otherChecks(const VerifySide& a, const VerifySide& b) {
    const auto *ofA = dynamic_cast<const script::ScriptOrigin*>(a.model->origin.get()),
               *ofB = dynamic_cast<const script::ScriptOrigin*>(b.model->origin.get());
    if (!ofA || !ofB || ofA->report.checks == ofB->report.checks) return {};
    return Message("verify.other_checks", {{"a", ofA->report.checks}, {"b", ofB->report.checks}});
}

std::vector<Message> likelyCauses(const VerifyReport& report, const VerifySide& a, const VerifySide& b) {
    std::vector<Message> remarks;
    tellQuantisation(report, a, remarks);
    std::int64_t nans = 0, others = 0;
    for (const OutputDifference& output : report.outputs)
        nans += output.value.nansBoth, others += output.value.nansA + output.value.nansB - 2 * output.value.nansBoth;
    if (nans > 0) remarks.push_back(Message("verify.nan_in_both", {{"count", nans}}));
    if (others > 0) remarks.push_back(Message("verify.nan_in_one", {{"count", others}}));
    if (report.agrees()) {
        tellInputs(a, b, remarks);
        tellUncompared(a, b, remarks);
        return remarks;
    }
    tellDropout(a, b, remarks);
    tellNormalisation(a, b, remarks);
    if (!report.first) return remarks;
    const Node& node = a.model->graph.node(a.model->graph.find(report.first->node));
    const NodeId other = b.model->graph.find(node.name());
    if (other != kNoNode) tellSharedModule(node, b.model->graph.node(other), a, b, remarks);
    if (!report.first->value.sameShape) remarks.push_back(Message("verify.shape_changes", {{"node", a.nameOf(node)}}));
    return remarks;
}

} // namespace fx::engine
