// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window with large graphs: opening, an edit everywhere and its undo, until code and picture are those of the
// new version, and the longest time that the event loop is held up meanwhile. One JSON line per figure.
//     lancet-bench-window [FILE...]   with files: opening each of them until its picture is there, and panning
#include "tests/bench/match/chain.h"
#include "tests/json_steps.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/tasks/event_loop_watchdog.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace {

/// Of this thread: what a turn takes on a machine that does nothing else, nearly.
double processorMillis() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

constexpr int kMatches = 12'500, kLimitMillis = 60'000;

class Bench {
public:
    explicit Bench(const fx::GraphModule& net) : Bench() {
        measure("opened", "",
                [&] { m_window.openModule(std::make_shared<const fx::GraphModule>(net), QStringLiteral("chain")); });
    }
    explicit Bench(const QString& file) : Bench() {
        measure("file opened", "1 M nodes: 5,000 ms", [&] { m_window.openFile(file); });
    }

    /// `change` makes another version the current one. Ends when the window shows it.
    template<class Change> void measure(const char* what, const char* goal, const Change& change) {
        QCoreApplication::processEvents();
        m_longest = m_longestCpu = 0;
        const auto* const before = scene();
        QElapsedTimer timer;
        timer.start();
        const double began = processorMillis();
        change();
        const double called = m_longest = double(timer.nsecsElapsed()) / 1e6;
        m_longestCpu = processorMillis() - began;
        while ((!scene() || scene() == before || !document()->facts().code()) && timer.elapsed() < kLimitMillis) turn();
        report(what, goal, double(timer.nsecsElapsed()) / 1e6, called);
    }

    /// What follows when the picture is there: index, problems, differences.
    void settle(const char* what) {
        m_longest = m_longestCpu = 0;
        QElapsedTimer timer;
        timer.start();
        while (timer.elapsed() < 1500) turn();
        report(what, "", 0, 0);
    }

    /// The whole canvas is painted anew at each step.
    void pan() {
        m_longest = m_longestCpu = 0;
        ui::GraphCanvas& canvas = m_window.currentPage()->canvas();
        std::vector<double> frames;
        for (int i = 0; i < 200; ++i) {
            QElapsedTimer timer;
            timer.start();
            ui::Camera camera = canvas.camera();
            camera.origin += QPointF(0, 40);
            canvas.setCamera(camera);
            turn();
            frames.push_back(double(timer.nsecsElapsed()) / 1e6);
        }
        std::sort(frames.begin(), frames.end());
        report("a step of panning, p99", "33 ms", frames[frames.size() * 99 / 100], 0);
    }

    ui::Document* document() const { return m_window.currentDocument(); }

private:
    Bench()
        : m_settings(m_folder.filePath(QStringLiteral("settings.ini"))), m_window(m_settings), m_watchdog(&m_window) {
        m_window.resize(1600, 1000);
        m_window.show();
    }
    void turn() {
        QElapsedTimer timer;
        timer.start();
        const double began = processorMillis();
        QCoreApplication::processEvents();
        m_longestCpu = std::max(m_longestCpu, processorMillis() - began);
        m_longest = std::max(m_longest, double(timer.nsecsElapsed()) / 1e6);
        QThread::usleep(200);
    }
    const void* scene() const { return document() ? document()->picture().scene().get() : nullptr; }
    void report(const char* what, const char* goal, double millis, double called) {
        const std::size_t nodes = document() ? document()->module()->graph.size() : 0;
        std::printf("{\"suite\": \"window\", \"what\": \"%s\", \"nodes\": %zu, \"ms\": %.1f, \"call_ms\": %.1f, "
                    "\"longest_gap_ms\": %.1f, \"longest_gap_cpu_ms\": %.1f, \"goal\": \"%s\"}\n",
                    what, nodes, millis, called, m_longest, m_longestCpu, goal);
        std::fflush(stdout);
    }

    QTemporaryDir m_folder;
    ui::Settings m_settings;
    ui::MainWindow m_window;
    ui::EventLoopWatchdog m_watchdog; ///< names what takes long
    double m_longest = 0, m_longestCpu = 0;
};

void edits(const fx::GraphModule& net) {
    Bench bench(net);
    bench.settle("after opening");
    bench.pan();
    const fx::StepList steps =
        R"steps([{"step": "replace_pattern", "pattern": "def f(x): return torch.neg(torch.relu(x))",
                  "replacement": "def f(x): return torch.neg(F.relu6(x))"}])steps"_steps;
    for (int round = 0; round < 3; ++round) {
        bench.measure("every pattern replaced", "500 ms",
                      [&] { bench.document()->versions().editInBackground(QStringLiteral("replace"), steps); });
        bench.settle("after replacing");
        bench.measure("undone", "100 ms", [&] { bench.document()->versions().undo(); });
        bench.settle("after undoing");
    }
}

/// As many modules as nodes, all beside each other, and an edit that leaves them as they are.
void modules(const fx::GraphModule& net) {
    Bench bench(net);
    bench.settle("after opening modules");
    const fx::StepList steps = fx::StepList().rename("layer0", "first");
    for (int round = 0; round < 3; ++round) {
        bench.measure("a node among modules renamed", "100 ms",
                      [&] { bench.document()->versions().edit(QStringLiteral("rename"), steps); });
        bench.settle("after renaming");
        bench.measure("renaming undone", "100 ms", [&] { bench.document()->versions().undo(); });
        bench.settle("after undoing it");
    }
}

} // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication app(argc, argv);
    ui::applyTheme(app, ui::ThemeChoice::Light);
    for (int i = 1; i < argc; ++i) {
        Bench bench(QString::fromLocal8Bit(argv[i]));
        bench.settle("after opening");
        bench.pan();
    }
    if (argc > 1) return 0;
    for (const int pairs : {2'500, kMatches, 25'000}) edits(bench::chain(pairs));
    modules(bench::wideModules(kMatches));
}
