// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document.h"
#include "ui/edit/module_call.h"

#include <QPointer>

#include <optional>

class QDropEvent;

namespace ui {

/// Modules that are dragged from the tree onto a canvas: where they may fall is shown while they are dragged, and where
/// not is said.
class ModuleDrop final : public QObject {
    Q_OBJECT
public:
    /// Watches the canvas, which becomes its parent.
    ModuleDrop(Document* document, GraphCanvas* canvas);

Q_SIGNALS:
    /// What dropping here would do, or why it cannot be.
    void told(const QString& text);
    void dropped(const QString& name, const QByteArray& steps);
    /// The steps could not be made.
    void refused(const fx::Error& error);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool follow(QDropEvent& event, bool drops);
    void drop(const ModuleCall& call);
    void leave();

    QPointer<Document> m_document;
    GraphCanvas* m_canvas;
    std::optional<GraphCanvas::Spot> m_spot; ///< over which something is dragged
    QString m_refusal;                       ///< why it cannot fall there
};

} // namespace ui
