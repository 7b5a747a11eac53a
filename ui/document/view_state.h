// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QPointF>

#include <optional>

namespace ui {

/// How a model was looked at, as a project keeps it: nodes by name, so that it holds for the version that was current.
struct ViewState {
    struct Look {
        QPointF centre; ///< of the view, in picture units
        double zoom = 1;
    };
    std::vector<fx::NodeId> selection;
    fx::LayoutOptions options;
    std::optional<Look> look;

    QByteArray toJson(const fx::Graph& graph) const;
    /// Nothing when the text is no view state; what it names and `graph` lacks is left out.
    static std::optional<ViewState> fromJson(const QByteArray& json, const fx::Graph& graph);
};

} // namespace ui
