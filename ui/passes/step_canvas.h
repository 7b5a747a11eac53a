// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"

#include <QPointer>
#include <QWidget>

class QLabel;

namespace ui {

class DocumentPicture;
class GraphCanvas;

/// Widget over the canvas of a document that shows a step of passes: the model after the step, with the changes in
/// colour. It does not change the document.
class StepCanvas final : public QWidget {
    Q_OBJECT
public:
    /// Shows a step over `canvas`; a null `difference` removes the widget.
    static void showOn(GraphCanvas& canvas, std::shared_ptr<const VersionDifference> difference, const QString& title);
    /// Returns the widget over `canvas`, or null.
    static StepCanvas* on(const GraphCanvas& canvas);
    GraphCanvas* canvas() const { return m_canvas; } ///< The canvas of the step.

Q_SIGNALS:
    /// Emitted when the user wants to see the model itself.
    void left();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    explicit StepCanvas(GraphCanvas& under);
    void show(std::shared_ptr<const VersionDifference> difference, const QString& title);
    void showScene();

    GraphCanvas& m_under;
    std::shared_ptr<const VersionDifference> m_difference;
    DocumentPicture* m_picture;
    GraphCanvas* m_canvas;
    QLabel *m_title, *m_erased;
};

} // namespace ui
