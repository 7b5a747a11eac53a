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
    /// The camera of the canvas.
    struct Look {
        QPointF centre;  ///< centre of the view, in picture units
        double zoom = 1; ///< screen pixels per picture unit
    };
    std::vector<fx::NodeId> selection; ///< in the order of selection
    fx::LayoutOptions options;         ///< expansion, hidden nodes and direction
    std::optional<Look> look;          ///< nullopt: unknown
    QJsonObject panels;                ///< state of panels, by panel

    /// Formats the view; `graph` provides the names of the nodes.
    QByteArray toJson(const fx::Graph& graph) const;
    /// Parses a view; nullopt if the text is not one. Skips nodes that `graph` lacks.
    static std::optional<ViewState> fromJson(const QByteArray& json, const fx::Graph& graph);
};

} // namespace ui
