// SPDX-License-Identifier: GPL-3.0-or-later
// Frame times of the canvas along a fixed camera path, painted by Qt's software rasteriser at 1600 x 1000, and the
// longest time that the event loop is held up while zooming, toggling and selecting. One JSON line per size of graph.
#include "tests/ui/canvas/sample_pictures.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/tasks/event_loop_watchdog.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QWheelEvent>

#include <cstdio>
#include <ctime>

namespace {

constexpr int kSteps = 60;

double millis(const QElapsedTimer& timer) { return double(timer.nsecsElapsed()) / 1e6; }

/// Time that this thread really ran: what a frame costs, whatever else the machine does.
double cpuMillis() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) * 1e3 + double(now.tv_nsec) / 1e6;
}

struct Frames {
    std::vector<double> wall, cpu;
    static double quantile(std::vector<double> values, double part) {
        std::sort(values.begin(), values.end());
        return values[std::min(values.size() - 1, std::size_t(part * double(values.size())))];
    }
};

void frame(ui::GraphCanvas& canvas, const ui::Camera& camera, Frames& frames) {
    QElapsedTimer timer;
    timer.start();
    const double before = cpuMillis();
    canvas.setCamera(camera);
    canvas.repaint();
    frames.cpu.push_back(cpuMillis() - before);
    frames.wall.push_back(millis(timer));
    if (qEnvironmentVariableIsSet("LANCET_BENCH_VERBOSE"))
        std::fprintf(stderr, "zoom %.4f  %.2f ms\n", camera.zoom, frames.cpu.back());
}

/// From the overview into the middle, across at four zooms, and back out.
Frames cameraPath(ui::GraphCanvas& canvas) {
    Frames frames;
    const QSizeF view = canvas.size();
    const fx::Rect all = canvas.scene().picture().bounds;
    const QPointF middle(all.center().x, all.center().y);
    const ui::Camera overview = ui::Camera::fitting(all, view, 32, 1);
    ui::Camera close;
    close.zoom = 1.5;
    close.centerOn(middle, view);
    for (int i = 0; i <= 2 * kSteps; ++i)
        frame(canvas, ui::Camera::between(overview, close, view, i / (2.0 * kSteps)), frames);
    for (double zoom : {1.0, 0.5, 0.3, 0.1}) {
        ui::Camera camera;
        camera.zoom = zoom;
        camera.centerOn(middle, view);
        for (int i = 0; i < kSteps; ++i) {
            camera.origin += QPointF(17, 11) / zoom;
            frame(canvas, camera, frames);
        }
    }
    for (int i = 0; i <= kSteps; ++i)
        frame(canvas, ui::Camera::between(close, overview, view, i / double(kSteps)), frames);
    return frames;
}

void spin(int millisToWait) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < millisToWait)
        QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 10);
}

void wheel(ui::GraphCanvas& canvas, QPointF at, int delta) {
    QWheelEvent event(at, canvas.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(&canvas, &event);
}

/// What people do, with the event loop running: wheel in and out, select everything, change the picture.
double longestGap(ui::GraphCanvas& canvas, const sample::Sample& graph) {
    ui::EventLoopWatchdog watchdog(&canvas, 50);
    canvas.fit();
    spin(300);
    for (int i = 0; i < 12; ++i) wheel(canvas, {700, 400}, 240), spin(30);
    canvas.setSelection(graph.module->graph.order(), false);
    spin(100);
    for (int i = 0; i < 12; ++i) wheel(canvas, {700, 400}, -240), spin(30);
    canvas.setSelection({}, false);
    auto scene =
        ui::Scene::make(std::make_shared<const fx::Picture>(*graph.picture), graph.module); // on a worker in the window
    watchdog.reset();
    canvas.setScene(scene, true);
    spin(400);
    return watchdog.longestGap();
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    ui::applyTheme(app, ui::ThemeChoice::Light);
    for (std::size_t count : {1'000, 10'000, 100'000, 1'000'000}) {
        const sample::Sample graph = sample::large(count);
        QElapsedTimer timer;
        timer.start();
        auto scene = ui::Scene::make(graph.picture, graph.module);
        const double made = millis(timer);
        ui::GraphCanvas canvas;
        canvas.resize(1600, 1000);
        canvas.show();
        canvas.setScene(std::move(scene), false);
        QCoreApplication::processEvents();
        Frames frames = cameraPath(canvas);
        const double gap = longestGap(canvas, graph);
        std::printf(
            "{\"bench\": \"canvas_frame\", \"nodes\": %zu, \"frames\": %zu, \"p50_ms\": %.2f, \"p99_ms\": %.2f, "
            "\"cpu_p50_ms\": %.2f, \"cpu_p99_ms\": %.2f, \"scene_ms\": %.1f, \"longest_gap_ms\": %.1f}\n",
            count, frames.wall.size(), Frames::quantile(frames.wall, 0.5), Frames::quantile(frames.wall, 0.99),
            Frames::quantile(frames.cpu, 0.5), Frames::quantile(frames.cpu, 0.99), made, gap);
        std::fflush(stdout);
    }
    return 0;
}
