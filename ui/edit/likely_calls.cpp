// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/likely_calls.h"

#include "core/ops/nn_modules.h"
#include "ui/widgets/core_text.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

constexpr qsizetype kRecent = 6;

/// The class of torch.nn that a node calls, by its public path; else what it calls.
std::string calledBy(const fx::Node& node, fx::PathResolver& modules) {
    if (node.op() != fx::Op::CallModule) return node.isCall() ? node.target() : std::string();
    const fx::Module* module = modules.resolve(node.target()).module;
    const auto known = module ? fx::ops::findModule(module->qualifiedType()) : std::nullopt;
    return known && known->publicPath().starts_with("torch.nn.") ? std::string(known->publicPath()) : std::string();
}

struct Count {
    std::size_t beside = 0, all = 0;
    fx::NodeId example = fx::kNoNode;
};

} // namespace

std::optional<CallableChoice> choiceOf(const fx::GraphModule& model, const fx::Node& node) {
    fx::PathResolver modules(*model.root);
    const std::string called = calledBy(node, modules);
    if (called.empty() || (node.op() == fx::Op::CallFunction && node.callable()->opaque)) return std::nullopt;
    return describedChoice(node.op(), fromCore(called));
}

std::vector<CallableChoice> plausibleCalls(const fx::GraphModule& model, fx::NodeId at, bool after, std::size_t limit) {
    const fx::Graph& graph = model.graph;
    fx::PathResolver modules(*model.root);
    std::vector<std::string> called(graph.idLimit());
    for (const fx::Node& node : graph.nodes()) called[fx::index(node.id())] = calledBy(node, modules);
    const auto keyOf = [&](const fx::Node& node) {
        return std::to_string(static_cast<int>(node.op())) + called[fx::index(node.id())];
    };
    const std::string own = keyOf(graph.node(at));
    std::unordered_map<std::string, Count> counts;
    for (const fx::Node& node : graph.nodes()) {
        if (called[fx::index(node.id())].empty()) continue;
        Count& count = counts[keyOf(node)];
        ++count.all;
        if (count.example == fx::kNoNode) count.example = node.id();
        const auto isLikeIt = [&](fx::NodeId other) { return keyOf(graph.node(other)) == own; };
        if (after) count.beside += !node.inputs().empty() && isLikeIt(node.inputs().front());
        else count.beside += std::any_of(node.users().begin(), node.users().end(), isLikeIt);
    }
    std::vector<Count> ranked;
    for (const auto& [key, count] : counts) ranked.push_back(count);
    std::sort(ranked.begin(), ranked.end(), [&](const Count& a, const Count& b) {
        if (a.beside != b.beside) return a.beside > b.beside;
        return a.all != b.all ? a.all > b.all : graph.isBefore(a.example, b.example);
    });
    std::vector<CallableChoice> choices;
    for (const Count& count : ranked)
        if (choices.size() < limit)
            if (auto choice = choiceOf(model, graph.node(count.example))) choices.push_back(std::move(*choice));
    return choices;
}

std::vector<CallableChoice> recentCalls(const QByteArray& json) {
    std::vector<CallableChoice> calls;
    const QJsonArray all = QJsonDocument::fromJson(json).array();
    for (const auto& each : all) {
        const int op = each.toArray().at(0).toInt(-1);
        const QString target = each.toArray().at(1).toString();
        const bool isKnown = op == static_cast<int>(fx::Op::CallFunction) ||
                             op == static_cast<int>(fx::Op::CallMethod) || op == static_cast<int>(fx::Op::CallModule);
        if (isKnown && !target.isEmpty()) calls.push_back(describedChoice(static_cast<fx::Op>(op), target));
    }
    return calls;
}

QByteArray recentCallsWith(const QByteArray& json, const CallableChoice& newest) {
    QJsonArray all; // braces around one array would copy it, for clang
    all.append(QJsonArray{static_cast<int>(newest.op), newest.target});
    for (const CallableChoice& each : recentCalls(json))
        if (all.size() < kRecent && !isSameCall(each, newest))
            all.append(QJsonArray{static_cast<int>(each.op), each.target});
    return QJsonDocument(all).toJson(QJsonDocument::Compact);
}

} // namespace ui
