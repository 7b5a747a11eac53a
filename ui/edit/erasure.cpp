// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/edit/erasure.h"

#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <unordered_map>

namespace ui {

namespace {

using fx::NodeId;

struct EraseText {
    Q_DECLARE_TR_FUNCTIONS(ui::EraseDialog)
};

/// The nodes, each with the number of the part that it belongs to.
std::unordered_map<NodeId, std::size_t> numbered(const fx::Graph& graph, const std::vector<NodeId>& nodes) {
    std::unordered_map<NodeId, std::size_t> partOf;
    for (const NodeId node : nodes) partOf.emplace(node, ~std::size_t{0});
    std::size_t count = 0;
    for (const NodeId first : nodes) {
        if (partOf[first] != ~std::size_t{0}) continue;
        partOf[first] = count;
        std::vector<NodeId> open{first};
        const auto visit = [&](NodeId node) {
            const auto found = partOf.find(node);
            if (found == partOf.end() || found->second != ~std::size_t{0}) return;
            found->second = count;
            open.push_back(node);
        };
        while (!open.empty()) {
            const fx::Node& node = graph.node(open.back());
            open.pop_back();
            for (const NodeId input : node.inputs()) visit(input);
            for (const NodeId user : node.users()) visit(user);
        }
        ++count;
    }
    return partOf;
}

} // namespace

QString namesInWords(const fx::Graph& graph, const std::vector<NodeId>& nodes, std::size_t limit) {
    QStringList names;
    for (std::size_t i = 0; i < std::min(nodes.size(), limit); ++i) names << fromCore(graph.node(nodes[i]).name());
    QString text = names.join(QStringLiteral(", "));
    if (nodes.size() > limit) text = EraseText::tr("%1 and %2 more").arg(text).arg(nodes.size() - limit);
    return text;
}

Erasure::Erasure(std::shared_ptr<const fx::GraphModule> model, std::vector<NodeId> nodes)
    : m_model(std::move(model)), m_nodes(std::move(nodes)) {
    const auto partOf = numbered(m_model->graph, m_nodes);
    for (const NodeId node : m_nodes) {
        const std::size_t part = partOf.at(node);
        if (part >= m_parts.size()) m_parts.resize(part + 1);
        m_parts[part].nodes.push_back(node);
    }
    for (Part& part : m_parts) part.choices = fx::eraseChoices(*m_model, part.nodes);
}

bool Erasure::needsAnswer() const {
    return std::any_of(m_parts.begin(), m_parts.end(), [](const Part& part) { return part.isOpen(); });
}

bool Erasure::canReconnect() const {
    return std::none_of(m_parts.begin(), m_parts.end(),
                        [](const Part& part) { return part.isUsed() && part.choices.candidates.empty(); });
}

std::vector<NodeId> Erasure::dead() const {
    std::vector<NodeId> dead;
    for (const Part& part : m_parts)
        for (const NodeId node : fx::deadAfterErase(*m_model, part.nodes, part.with())) dead.push_back(node);
    const fx::Graph& graph = m_model->graph;
    std::sort(dead.begin(), dead.end(), [&](NodeId a, NodeId b) { return a != b && graph.isBefore(a, b); });
    dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
    return dead;
}

fx::StepList Erasure::steps(bool alsoDead) const {
    const fx::Graph& graph = m_model->graph;
    std::unordered_map<NodeId, std::string> with; // of nodes that are used from outside
    for (const Part& part : m_parts)
        for (const NodeId node : part.nodes)
            for (const NodeId user : graph.node(node).users())
                if (part.with() != fx::kNoNode &&
                    std::binary_search(part.choices.users.begin(), part.choices.users.end(), user,
                                       [&](NodeId a, NodeId b) { return a != b && graph.isBefore(a, b); }))
                    with[node] = graph.node(part.with()).name();
    std::vector<NodeId> all = m_nodes;
    if (alsoDead) {
        const std::vector<NodeId> more = dead();
        all.insert(all.end(), more.begin(), more.end());
        std::sort(all.begin(), all.end(), [&](NodeId a, NodeId b) { return a != b && graph.isBefore(a, b); });
    }
    fx::StepList steps;
    for (auto node = all.rbegin(); node != all.rend(); ++node) { // users before what they use
        const auto taken = with.find(*node);
        steps.erase(graph.node(*node).name(), taken == with.end() ? std::string() : taken->second);
    }
    return steps;
}

std::optional<fx::StepList> Erasure::stepsWithUsers() const {
    const fx::Graph& graph = m_model->graph;
    std::vector<NodeId> all = m_nodes;
    std::vector<char> taken(graph.idLimit(), 0);
    for (const NodeId node : all) taken[fx::index(node)] = 1;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const NodeId user : graph.node(all[i]).users()) {
            if (graph.node(user).op() == fx::Op::Output) return std::nullopt;
            if (!std::exchange(taken[fx::index(user)], 1)) all.push_back(user);
        }
    std::sort(all.begin(), all.end(), [&](NodeId a, NodeId b) { return a != b && graph.isBefore(a, b); });
    fx::StepList steps;
    for (auto node = all.rbegin(); node != all.rend(); ++node) steps.erase(graph.node(*node).name());
    return steps;
}

QString Erasure::what() const {
    return m_nodes.size() == 1 ? fromCore(m_model->graph.node(m_nodes.front()).name())
                               : EraseText::tr("%1 nodes").arg(m_nodes.size());
}

} // namespace ui
