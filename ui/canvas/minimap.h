// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QPixmap>
#include <QPointer>
#include <QTimer>
#include <QWidget>

namespace ui {

class GraphCanvas;

/// An overview of the picture with a frame around the visible part. Click or drag to move the view. The overview
/// follows the canvas with a delay, so that frequent changes, such as a dragged cut, are not drawn twice each time.
class Minimap : public QWidget {
    Q_OBJECT
public:
    explicit Minimap(QWidget* parent = nullptr); ///< Creates an overview without a canvas.
    /// Sets the canvas to show and control; may be null.
    void setCanvas(GraphCanvas* canvas);
    QSize sizeHint() const override { return {220, 150}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    struct Place {
        QRectF area; ///< of the picture, in this widget
        double scale = 1;
    };
    Place place() const;
    void drawSoon();
    void draw();
    void go(QPointF at);

    QPointer<GraphCanvas> m_canvas;
    QPixmap m_overview; ///< null: not drawn yet
    QTimer m_delay{this};
};

} // namespace ui
