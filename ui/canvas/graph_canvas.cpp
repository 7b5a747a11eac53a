// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/graph_canvas.h"

#include "ui/canvas/badge_painter.h"
#include "ui/canvas/canvas_look.h"
#include "ui/canvas/canvas_painter.h"
#include "ui/canvas/canvas_private.h"
#include "ui/tasks/event_loop_watchdog.h"

#include <QMouseEvent>

namespace ui {

GraphCanvas::Private::Private(GraphCanvas* canvas) : q(canvas), motion(canvas), fonts(std::make_unique<CanvasFonts>()) {
    state.scene = Scene::make(nullptr, nullptr);
    transitionClock.setStartValue(0.0);
    transitionClock.setEndValue(1.0);
    transitionClock.setEasingCurve(QEasingCurve::OutCubic);
    hoverDelay.setSingleShot(true);
    hoverDelay.setInterval(140);
}

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
    d = std::make_unique<Private>(this); // its parts, children of this, send events already
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(120, 80);
    setAccessibleName(tr("Graph"));
    grabGesture(Qt::PinchGesture);
    connect(&d->motion, &CameraMotion::changed, this, [this] {
        d->seenBy = size();
        d->checkHover();
        update();
        Q_EMIT cameraChanged();
    });
    connect(&d->transitionClock, &QVariantAnimation::valueChanged, this,
            [this](const QVariant& t) { d->advance(t.toDouble()); });
    connect(&d->hoverDelay, &QTimer::timeout, this, [this] { d->emphasise(); });
}

GraphCanvas::~GraphCanvas() = default;

void GraphCanvas::setGraph(std::shared_ptr<const fx::GraphModule> module) { d->module = std::move(module); }
void GraphCanvas::setGrowing(bool growing) { d->growing = growing; }

void GraphCanvas::setScene(std::shared_ptr<const Scene> scene, bool animate) {
    GuiScope scope("canvas.setScene");
    d->replaceScene(std::move(scene), animate);
    Q_EMIT sceneChanged();
}

const Scene& GraphCanvas::scene() const { return *d->state.scene; }
double GraphCanvas::zoom() const { return d->motion.camera().zoom; }
Camera GraphCanvas::camera() const { return d->motion.camera(); }
fx::Rect GraphCanvas::visibleArea() const { return camera().toWorld(d->view()); }

void GraphCanvas::setNodeStyler(NodeStyler styler) {
    d->state.styler = std::move(styler);
    update();
    Q_EMIT stylesChanged();
}

std::shared_ptr<const CanvasLook> GraphCanvas::look() const { return CanvasLook::of(d->state); }

void GraphCanvas::setNodeMarker(NodeMarker marker) {
    d->state.marker = std::move(marker);
    update();
    Q_EMIT stylesChanged();
}

void GraphCanvas::setEdgeBadger(EdgeBadger badger) {
    if (!badger && !d->state.badger) return;
    d->state.badger = std::move(badger);
    update();
    Q_EMIT stylesChanged();
}

QRectF GraphCanvas::badgeRect(fx::NodeId from, fx::NodeId to) const {
    const Scene& scene = *d->state.scene;
    for (ItemIndex item = scene.itemOf(to); item != kNoItem; item = scene.nextCopy(item))
        for (const std::uint32_t index : scene.edgesInto(item)) {
            const ItemIndex source = scene.picture().edges[index].from;
            if (!scene.isGroup(source) && scene.node(source).node == from && BadgePainter::badgeOf(d->state, index))
                return BadgePainter::place(d->state, index, d->motion.camera());
        }
    return {};
}

void GraphCanvas::setRegions(RegionSource source) {
    d->regions = std::move(source);
    d->countRegions();
    update();
    Q_EMIT stylesChanged();
}

void GraphCanvas::setWay(std::vector<fx::NodeId> nodes) {
    d->way = std::move(nodes);
    d->findWay();
    update();
}

Frame GraphCanvas::Private::frame(QPainter& painter, const QRectF& part) const {
    return Frame{painter, state, *fonts, theme(), motion.camera(), part, q->devicePixelRatioF(), false};
}

void GraphCanvas::Private::paint(QPainter& painter) {
    painter.fillRect(view(), theme().canvas);
    const Frame whole = frame(painter, view());
    CanvasPainter(whole).paint();
    paintConnection(painter);
    paintDrop(painter);
    if (drag == Drag::Band && !band.isNull()) {
        QColor fill = theme().accent;
        fill.setAlpha(28);
        painter.setPen(QPen(theme().accent, 1));
        painter.setBrush(fill);
        painter.drawRect(whole.snapped(band).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void GraphCanvas::paintEvent(QPaintEvent*) {
    GuiScope scope("canvas.paint");
    QPainter painter(this);
    d->paint(painter);
}

void GraphCanvas::renderTo(QPainter& painter, const QRectF& target, const fx::Rect& area, bool vector) const {
    CanvasState still;
    still.scene = d->state.scene;
    still.styler = d->state.styler, still.marker = d->state.marker;
    still.hasRegions = d->state.hasRegions, still.regionsIn = d->state.regionsIn, still.wayEdges = d->state.wayEdges;
    still.bands = d->state.bands;
    still.flags.assign(still.scene->itemCount(), 0);
    Camera camera;
    camera.zoom = std::min(target.width() / area.w, target.height() / area.h);
    camera.origin = QPointF(area.x, area.y) - target.topLeft() / camera.zoom;
    painter.fillRect(target, theme().canvas);
    painter.save();
    painter.setClipRect(target);
    const Frame frame{painter, still, *d->fonts, theme(), camera, target, 1, vector};
    CanvasPainter(frame).paint();
    painter.restore();
}

fx::Rect GraphCanvas::areaOf(What what) const {
    fx::Rect area = what == What::View        ? visibleArea()
                    : what == What::Selection ? d->selectedArea()
                                              : scene().picture().bounds;
    if (what == What::View) return area;
    constexpr double kAround = 24;
    return {area.x - kAround, area.y - kAround, area.w + 2 * kAround, area.h + 2 * kAround};
}

void GraphCanvas::fit() {
    d->touched = true;
    d->motion.glideTo(Camera::fitting(scene().picture().bounds, d->view().size(), kViewMargin, 1));
}

void GraphCanvas::zoomToSelection() {
    const fx::Rect area = d->selectedArea();
    if (area.w <= 0) {
        fit();
        return;
    }
    d->touched = true;
    d->motion.glideTo(Camera::fitting(area, d->view().size(), 2 * kViewMargin, 1.25));
}

void GraphCanvas::zoomIn() { d->touched = true, d->motion.zoomBy(1.25, d->view().center()); }
void GraphCanvas::zoomOut() { d->touched = true, d->motion.zoomBy(0.8, d->view().center()); }
void GraphCanvas::zoomToActualSize() { setZoom(1); }
void GraphCanvas::setZoom(double zoom) { d->touched = true, d->motion.zoomBy(zoom / this->zoom(), d->view().center()); }

QRectF GraphCanvas::nodeRect(fx::NodeId node) const {
    const ItemIndex item = scene().itemOf(node);
    return item == kNoItem ? QRectF() : d->motion.camera().toScreen(scene().rect(item));
}

void GraphCanvas::setCamera(const Camera& camera) {
    d->touched = true, d->motion.jumpTo(camera);
    d->transitionShift = {}; // a camera that was asked for stays, also while things still move to their places
}

void GraphCanvas::lookAt(QPointF centre, double zoom) {
    const fx::Rect& all = scene().picture().bounds;
    const auto within = [](double at, double from, double to) { return at >= from ? std::min(at, to) : from; }; // NaN
    Camera camera = Camera::fitting(all, d->view().size(), kViewMargin, 1);
    camera.zoom = within(zoom, camera.zoom / 2, CameraMotion::kMaxZoom);
    const QSizeF half = d->view().size() / (2 * camera.zoom); // the picture may be at an edge of the view
    camera.centerOn({within(centre.x(), all.x - half.width(), all.right() + half.width()),
                     within(centre.y(), all.y - half.height(), all.bottom() + half.height())},
                    d->view().size());
    setCamera(d->seeing(camera));
}

void GraphCanvas::centerOn(QPointF worldPoint) {
    Camera camera = d->motion.camera();
    camera.centerOn(worldPoint, d->view().size());
    setCamera(camera);
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
    const QSize before = d->seenBy.isValid() ? d->seenBy : event->size();
    d->limitZoom();
    if (!d->touched) {
        d->motion.jumpTo(d->firstLook());
        return;
    }
    // What was in the middle stays there. (The event of a canvas that was hidden meanwhile knows no old size.)
    const QSize change = event->size() - before;
    d->motion.panBy(QPointF(change.width(), change.height()) / 2);
}

void GraphCanvas::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange)
        d->fonts = std::make_unique<CanvasFonts>();
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) update();
    QWidget::changeEvent(event);
}

bool GraphCanvas::event(QEvent* event) {
    if (!d) return QWidget::event(event);
    if (event->type() == QEvent::ShortcutOverride && d->takesCutKey(*static_cast<QKeyEvent*>(event))) {
        event->accept();
        return true;
    }
    return d->gesture(*event) || QWidget::event(event);
}
void GraphCanvas::mousePressEvent(QMouseEvent* event) { d->press(*event); }
void GraphCanvas::mouseMoveEvent(QMouseEvent* event) { d->move(*event); }
void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) { d->release(*event); }
void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) { d->doubleClick(*event); }
void GraphCanvas::wheelEvent(QWheelEvent* event) { d->wheel(*event); }
void GraphCanvas::leaveEvent(QEvent*) { d->clearHover(); }

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_F10 &&
        event->modifiers() == Qt::ShiftModifier) { // as the menu key, which not every keyboard has
        QContextMenuEvent menu(QContextMenuEvent::Keyboard, rect().center(), mapToGlobal(rect().center()));
        return contextMenuEvent(&menu);
    }
    if (!d->key(*event)) QWidget::keyPressEvent(event);
}

void GraphCanvas::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        d->spaceHeld = false;
        d->updateCursor();
    }
    QWidget::keyReleaseEvent(event);
}

void GraphCanvas::focusInEvent(QFocusEvent* event) {
    d->state.focused = true;
    update();
    QWidget::focusInEvent(event);
}

void GraphCanvas::focusOutEvent(QFocusEvent* event) {
    d->state.focused = d->spaceHeld = false;
    d->updateCursor();
    update();
    QWidget::focusOutEvent(event);
}

void GraphCanvas::contextMenuEvent(QContextMenuEvent* event) {
    const bool keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const Scene& scene = this->scene();
    ItemIndex item = keyboard ? d->current : d->hits().itemAt(event->pos());
    if (keyboard && item == kNoItem && !d->selection.empty()) item = scene.seatOf(d->selection.front());
    fx::NodeId node = fx::kNoNode;
    QString path;
    if (item != kNoItem && scene.isGroup(item)) path = QString::fromStdString(scene.group(item).path);
    if (item != kNoItem && !scene.isGroup(item)) {
        node = scene.node(item).node;
        if (!d->state.has(item, CanvasState::Selected)) d->select({node});
    }
    const QPoint at = keyboard && item != kNoItem
                          ? mapToGlobal(d->motion.camera().toScreen(scene.rect(item)).center().toPoint())
                          : event->globalPos();
    if (const Spot spot = keyboard || item != kNoItem ? Spot() : spotAt(event->pos()); spot.user != fx::kNoNode) {
        Q_EMIT edgeMenuRequested(at, spot.node, spot.user);
        return;
    }
    Q_EMIT contextMenuRequested(at, node, path);
}

} // namespace ui
