// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QJsonObject>
#include <QPointF>

#include <optional>

namespace ui {

/// The view of a model as stored in a project: nodes by name, valid for the version that was current.
struct ViewState {
    struct Look {
        QPointF centre; ///< of the view, in picture units
        double zoom = 1;
    };
    std::vector<fx::NodeId> selection;
    fx::LayoutOptions options;
    std::optional<Look> look;
    QJsonObject panels; ///< what panels keep, by panel

    QByteArray toJson(const fx::Graph& graph) const;
    /// nullopt if the text is not a view state; nodes that `graph` lacks are skipped.
    static std::optional<ViewState> fromJson(const QByteArray& json, const fx::Graph& graph);
};

} // namespace ui
