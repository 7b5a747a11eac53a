// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/ui/canvas/sample_pictures.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>

/// A canvas in a visible window of 1000 x 800 with a sample, and helpers for user actions.
struct CanvasFixture {
    sample::Sample graph;   ///< the sample
    ui::GraphCanvas canvas; ///< the canvas under test

    /// Shows the sample.
    explicit CanvasFixture(sample::Sample s = sample::small(true)) : graph(std::move(s)) {
        ui::applyTheme(*qApp, ui::ThemeChoice::Light);
        canvas.resize(1000, 800);
        canvas.setGraph(graph.module);
        canvas.show();
        show(graph.picture, false);
        QCoreApplication::processEvents();
    }
    /// Shows another picture of the sample.
    void show(std::shared_ptr<const fx::Picture> picture, bool animate) {
        canvas.setScene(ui::Scene::make(std::move(picture), graph.module), animate);
    }
    /// The node of a name.
    fx::NodeId node(const char* name) const { return graph.module->graph.find(name); }
    /// The middle of a node in the canvas.
    QPoint at(const char* name) const {
        const auto& scene = canvas.scene();
        return canvas.camera().toScreen(scene.rect(scene.itemOf(node(name)))).center().toPoint();
    }
    /// A position of the picture in the canvas.
    QPoint atWorld(double x, double y) const { return canvas.camera().toScreen(QPointF(x, y)).toPoint(); }
    /// The names of the selected nodes.
    QStringList selected() const {
        QStringList names;
        for (fx::NodeId id : canvas.selection()) names << QString::fromStdString(graph.module->graph.node(id).name());
        return names;
    }
    /// Clicks at a position.
    void click(QPoint where, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(&canvas, Qt::LeftButton, modifiers, where);
    }
    /// Drags from one position to another in four steps.
    void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mousePress(&canvas, button, modifiers, from);
        for (int i = 1; i <= 4; ++i) {
            const QPoint step = from + (to - from) * i / 4;
            QMouseEvent move(QEvent::MouseMove, step, canvas.mapToGlobal(step), Qt::NoButton, button, modifiers);
            QCoreApplication::sendEvent(&canvas, &move);
        }
        QTest::mouseRelease(&canvas, button, modifiers, to);
    }
    /// Turns the wheel by `delta` eighths of a degree.
    void wheel(QPoint where, int delta, Qt::KeyboardModifiers modifiers = {}, QPoint pixels = {}) {
        QWheelEvent event(QPointF(where), canvas.mapToGlobal(QPointF(where)), pixels, {0, delta}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas, &event);
    }
    /// Tilts the wheel horizontally.
    void tilt(QPoint where, int delta) {
        QWheelEvent event(QPointF(where), canvas.mapToGlobal(QPointF(where)), {}, {delta, 0}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(&canvas, &event);
    }
    void hover(QPoint where) { QTest::mouseMove(&canvas, where); } ///< Moves the pointer to a position.
    QImage grab() { return canvas.grab().toImage(); }              ///< Returns the canvas as an image.
    /// Returns the number of pixels with exactly this colour.
    int count(const QColor& color) {
        const QImage image = grab();
        int n = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) n += image.pixelColor(x, y) == color;
        return n;
    }
};
