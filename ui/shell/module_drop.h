// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document.h"
#include "ui/edit/call_module.h"

#include <QPointer>

#include <optional>

class QDropEvent;

namespace ui {

/// Handles modules dragged from the tree onto a canvas: highlights valid drop targets and explains invalid ones.
class ModuleDrop final : public QObject {
    Q_OBJECT
public:
    /// `canvas` becomes the parent and is watched.
    ModuleDrop(Document* document, GraphCanvas* canvas);

Q_SIGNALS:
    /// Emitted with the effect of dropping at the current position, or the reason why that is not possible; empty when
    /// the drag ends.
    void told(const QString& text);
    void dropped(const QString& name, const fx::StepList& steps); ///< Emitted with the steps of a drop.
    /// Emitted when the steps could not be created.
    void refused(const fx::Error& error);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool follow(QDropEvent& event, bool drops);
    void drop(const ModuleCall& call);
    void leave();

    QPointer<Document> m_document;
    GraphCanvas* m_canvas;
    std::optional<GraphCanvas::Spot> m_spot; ///< the current drop target
    QString m_refusal;                       ///< why the module cannot be dropped there
};

} // namespace ui
