// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/view_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace ui {

namespace {

template<class Nodes> QJsonArray names(const fx::Graph& graph, const Nodes& nodes) {
    QJsonArray array;
    for (const fx::NodeId node : nodes) array.append(QString::fromStdString(graph.node(node).name()));
    return array;
}

std::vector<fx::NodeId> nodesIn(const QJsonValue& names, const fx::Graph& graph) {
    std::vector<fx::NodeId> nodes;
    for (const auto& name : names.toArray())
        if (const fx::NodeId node = graph.find(name.toString().toStdString()); node != fx::kNoNode)
            nodes.push_back(node);
    return nodes;
}

} // namespace

QByteArray ViewState::toJson(const fx::Graph& graph) const {
    QJsonArray expanded;
    for (const std::string& path : options.expanded) expanded.append(QString::fromStdString(path));
    QJsonObject view{{QStringLiteral("selected"), names(graph, selection)},
                     {QStringLiteral("expand_all"), options.expandAll},
                     {QStringLiteral("expanded"), expanded},
                     {QStringLiteral("hidden"), names(graph, options.hidden)},
                     {QStringLiteral("left_right"), options.direction == fx::Direction::LeftRight}};
    if (!panels.isEmpty()) view.insert(QStringLiteral("panels"), panels);
    if (look) view.insert(QStringLiteral("look"), QJsonArray{look->centre.x(), look->centre.y(), look->zoom});
    return QJsonDocument(view).toJson(QJsonDocument::Compact);
}

std::optional<ViewState> ViewState::fromJson(const QByteArray& json, const fx::Graph& graph) {
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isObject()) return std::nullopt;
    const QJsonObject view = document.object();
    ViewState state;
    state.selection = nodesIn(view.value(QStringLiteral("selected")), graph);
    const std::vector<fx::NodeId> hidden = nodesIn(view.value(QStringLiteral("hidden")), graph);
    state.options.hidden = {hidden.begin(), hidden.end()};
    state.options.expandAll = view.value(QStringLiteral("expand_all")).toBool();
    state.options.direction =
        view.value(QStringLiteral("left_right")).toBool() ? fx::Direction::LeftRight : fx::Direction::TopDown;
    for (const auto& path : view.value(QStringLiteral("expanded")).toArray())
        state.options.expanded.insert(path.toString().toStdString());
    state.panels = view.value(QStringLiteral("panels")).toObject();
    const QJsonArray look = view.value(QStringLiteral("look")).toArray();
    if (look.size() == 3 && look[2].toDouble() > 0)
        state.look = Look{QPointF(look[0].toDouble(), look[1].toDouble()), look[2].toDouble()};
    return state;
}

} // namespace ui
