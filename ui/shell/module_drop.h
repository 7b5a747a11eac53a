// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document.h"
#include "ui/edit/module_call.h"

#include <QPointer>

#include <optional>

class QDropEvent;

namespace ui {

/// Handles modules dragged from the tree onto a canvas: highlights valid drop targets and explains invalid ones.
class ModuleDrop final : public QObject {
    Q_OBJECT
public:
    /// Watches the canvas, which becomes its parent.
    ModuleDrop(Document* document, GraphCanvas* canvas);

Q_SIGNALS:
    /// What dropping here would do, or why it is not possible.
    void told(const QString& text);
    void dropped(const QString& name, const QByteArray& steps);
    /// The steps could not be created.
    void refused(const fx::Error& error);

private:
    bool eventFilter(QObject* watched, QEvent* event) override;
    bool follow(QDropEvent& event, bool drops);
    void drop(const ModuleCall& call);
    void leave();

    QPointer<Document> m_document;
    GraphCanvas* m_canvas;
    std::optional<GraphCanvas::Spot> m_spot; ///< the current drop target
    QString m_refusal;                       ///< why it cannot be dropped there
};

} // namespace ui
