// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/stages/stage_overlay.h"
#include "ui/partition/stages/stages_session.h"

#include <QPointer>

class QMenu;

namespace ui {

class GraphCanvas;

/// The stages of a document on its canvas: their look, and cuts that the user moves there.
class StagesOnCanvas final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// Follows the stages of `document`; null: none. Draws them at the next `update`.
    void setDocument(Document* document);
    void setSeen(bool seen);                                       ///< Sets whether stages are drawn.
    void update();                                                 ///< Draws the stages anew.
    bool isOn() const { return m_session && m_session->isOn(); }   ///< True if stages are shown, not partitions.
    bool isPlanned() const { return isOn() && m_session->plan(); } ///< True if there are stages to show.
    const StageOverlay& overlay() const { return m_overlay; }      ///< The look of the nodes and groups.
    /// Returns the bands of the stages; null without stages.
    std::shared_ptr<const CanvasBands> bands() const { return isPlanned() ? m_overlay.bands() : nullptr; }
    void reveal(int stage); ///< Selects the calls of a stage and scrolls to them.
    /// Adds the action that moves a cut to the selected node; there must be one.
    void addTo(QMenu& menu);
    /// Lets the user move the cuts on the canvas of a document.
    void connectCuts(GraphCanvas& canvas, const Document& document);

Q_SIGNALS:
    void changed(); ///< Emitted when the look or the bands change.
    /// Emitted when a cut was chosen or moved outside the canvas, which may not show it.
    void cutChosen(int cut);

private:
    void drag(int cut, double place);
    void cutBefore(fx::NodeId node);

    QPointer<Document> m_document;
    QPointer<StagesSession> m_session; ///< the session of `m_document`
    StageOverlay m_overlay;
    bool m_seen = false;
};

} // namespace ui
