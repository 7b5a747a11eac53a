// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/minimap.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/tasks/event_loop_watchdog.h"
#include "ui/widgets/theme.h"

#include <QMouseEvent>
#include <QPainter>

namespace ui {
namespace {

constexpr double kMargin = 8;
constexpr int kPause = 60;           ///< ms without a change
constexpr double kSmallestFrame = 8; ///< the frame is never smaller, so that it can be seen and taken

} // namespace

Minimap::Minimap(QWidget* parent) : QWidget(parent) {
    setMinimumSize(120, 80);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Overview of the graph"));
    setToolTip(tr("Overview: click or drag to move the view"));
    setCursor(Qt::PointingHandCursor);
    m_delay.setSingleShot(true);
    m_delay.setInterval(kPause);
    connect(&m_delay, &QTimer::timeout, this, &Minimap::draw);
}

void Minimap::setCanvas(GraphCanvas* canvas) {
    if (canvas == m_canvas) return;
    if (m_canvas) m_canvas->disconnect(this);
    m_canvas = canvas;
    if (canvas) {
        for (const auto changed : {&GraphCanvas::sceneChanged, &GraphCanvas::stylesChanged})
            connect(canvas, changed, this, &Minimap::drawSoon);
        connect(canvas, &GraphCanvas::cameraChanged, this, qOverload<>(&QWidget::update));
    }
    m_overview = {};
    drawSoon();
}

void Minimap::drawSoon() {
    m_delay.start();
    update();
}

void Minimap::draw() {
    const GuiScope scope("minimap.draw");
    m_overview = {};
    update();
    if (!m_canvas || m_canvas->scene().itemCount() == 0) return;
    const QSizeF size = place().area.size();
    m_overview = QPixmap((size * devicePixelRatioF()).toSize().expandedTo({1, 1}));
    m_overview.setDevicePixelRatio(devicePixelRatioF());
    QPainter overview(&m_overview);
    m_canvas->renderTo(overview, QRectF(QPointF(), size), m_canvas->scene().picture().bounds, false);
}

Minimap::Place Minimap::place() const {
    const fx::Rect all = m_canvas->scene().picture().bounds;
    const QSizeF room(width() - 2 * kMargin, height() - 2 * kMargin);
    Place place;
    place.scale = std::min({room.width() / std::max(all.w, 1.0), room.height() / std::max(all.h, 1.0), 0.5});
    const QSizeF size(std::max(all.w * place.scale, 1.0), std::max(all.h * place.scale, 1.0));
    place.area = QRectF(QPointF((width() - size.width()) / 2, (height() - size.height()) / 2), size);
    return place;
}

void Minimap::paintEvent(QPaintEvent*) {
    GuiScope scope("minimap.paint");
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().border, 1));
    painter.setBrush(theme().canvas);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    if (!m_canvas || m_canvas->scene().itemCount() == 0) return;
    const Place where = place();
    if (!m_overview.isNull()) painter.drawPixmap(where.area, m_overview, QRectF(m_overview.rect()));
    const fx::Rect all = m_canvas->scene().picture().bounds, seen = m_canvas->visibleArea();
    QRectF frame(where.area.left() + (seen.x - all.x) * where.scale, where.area.top() + (seen.y - all.y) * where.scale,
                 seen.w * where.scale, seen.h * where.scale);
    frame = frame.intersected(QRectF(rect()).adjusted(2, 2, -2, -2));
    const double dx = std::max(0.0, kSmallestFrame - frame.width()) / 2,
                 dy = std::max(0.0, kSmallestFrame - frame.height()) / 2;
    frame.adjust(-dx, -dy, dx, dy);
    QColor fill = theme().accent;
    fill.setAlpha(24);
    painter.setPen(QPen(theme().accent, 1.5));
    painter.setBrush(fill);
    painter.drawRoundedRect(frame, 3, 3);
}

void Minimap::go(QPointF at) {
    if (!m_canvas || m_canvas->scene().itemCount() == 0) return;
    const Place where = place();
    const fx::Rect all = m_canvas->scene().picture().bounds;
    m_canvas->centerOn(QPointF(all.x, all.y) + (at - where.area.topLeft()) / where.scale);
}

void Minimap::resizeEvent(QResizeEvent*) { drawSoon(); }

void Minimap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) drawSoon();
    QWidget::changeEvent(event);
}

void Minimap::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) go(event->position());
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) go(event->position());
}

/// Zooms the canvas about the middle of what it shows.
void Minimap::wheelEvent(QWheelEvent* event) {
    if (m_canvas) m_canvas->setZoom(m_canvas->zoom() * std::pow(1.2, event->angleDelta().y() / 120.0));
    event->accept();
}

} // namespace ui
