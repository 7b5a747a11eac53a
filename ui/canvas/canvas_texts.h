// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/canvas_frame.h"

#include <QString>

namespace ui {

class CanvasHits;

/// Descriptions of what a canvas shows, for tooltips and assistive technology. A short-lived value that refers to the
/// state.
class CanvasTexts {
public:
    explicit CanvasTexts(const CanvasState& state) : m_state(state) {} ///< `state` must outlive the object.

    QString ofItem(ItemIndex item) const; ///< Returns the description of a node or group.
    /// Returns name, target, arguments and shape of a node; empty without a model.
    QString ofNode(fx::NodeId node) const;
    QString ofGroup(const fx::GroupItem& group) const; ///< Returns the description of a group of the scene.
    QString ofEdge(const fx::EdgeItem& edge) const;    ///< Returns ends and values of an edge of the scene.
    /// Returns the tooltip of the badge, stub label or chip at a position, else of the hovered item; may be empty.
    QString tooltipAt(const CanvasHits& hits, QPointF at) const;

private:
    QString moduleOf(const fx::Node& node) const;

    const CanvasState& m_state;
};

} // namespace ui
