// SPDX-License-Identifier: GPL-3.0-or-later
// What runs models: made by ui/run, placed here.
#include "ui/shell/window/main_window.h"

#include "core/remote/find_profile.h"
#include "ui/partition/partition_panel.h"
#include "ui/run/run_center.h"
#include "ui/run/run_request.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/settings.h"
#include "ui/timing/time_version.h"
#include "ui/timing/timing_panel.h"

#include <QDockWidget>
#include <QToolButton>

namespace ui {

namespace {

/// Partitions are timed in the worker, with the inputs of the document.
PartitionTimer partitionTimer(RunCenter& run, PartitionPanel& panel) {
    const WorkerService::Key key{WorkerService::Kind::Timing, &panel};
    PartitionTimer timer;
    timer.missing = [&run] { return run.session() ? run.session()->missing() : MainWindow::tr("no file is open"); };
    timer.start = [&run, &panel, key](std::shared_ptr<const fx::GraphModule> version,
                                      std::vector<fx::Partition> partitions, auto done, auto failed) {
        run.worker().request<fx::remote::PartitionTimes>(
            key,
            [version, partitions, inputs = run.session()->inputs()](const WorkerCall& call) {
                constexpr double kSeconds = 3;
                return fx::remote::timePartitions(call.client, requestToRun(version, inputs, call.progress), partitions,
                                                  kSeconds, call.timeout, call.progress);
            },
            &panel, done, failed);
    };
    timer.nodes = [&run, &panel, key](std::shared_ptr<const fx::GraphModule> version, auto done, auto failed,
                                      auto progressed) {
        run.worker().request<fx::NodeTimes>(
            key,
            [version, inputs = run.session()->inputs()](const WorkerCall& call) {
                fx::NodeTimes times;
                const fx::timing::BenchResult result = timeVersion(call, version, version, inputs, {}, true);
                for (const fx::timing::NodeTiming& node : result.reports.front().nodes) times[node.name] = node.ms;
                return times;
            },
            &panel, done, failed, progressed);
    };
    timer.cancel = [&run, key] { run.worker().cancel(key); };
    const WorkerService::Key profile{WorkerService::Kind::Verify, &panel};
    timer.profile = [&run, &panel, profile](const std::string& name, auto done, auto failed, auto progressed) {
        run.worker().request<bool>(
            profile,
            [name](const WorkerCall& call) {
                fx::remote::findProfile(call.client, name, call.progress);
                return true;
            },
            &panel, [done](bool) { done(); }, failed, progressed);
    };
    timer.cancelProfile = [&run, profile] { run.worker().cancel(profile); };
    return timer;
}

} // namespace

void MainWindow::makeRun() {
    RunMemory memory{[this](const QString& path) { return m_settings.runOf(path); },
                     [this](const QString& path, const QByteArray& json) { m_settings.setRunOf(path, json); }};
    m_run = new RunCenter(m_settings.worker(), std::move(memory), this);
    connect(m_run, &RunCenter::notified, this, &MainWindow::notify);
    connect(m_run, &RunCenter::settingsChanged, this,
            [this](const WorkerSettings& settings) { m_settings.setWorker(settings); });
    connect(m_run, &RunCenter::verifyPanelRequested, this, [this] { showPanel(*m_verifyDock); });
}

void MainWindow::makeTiming() {
    m_timing = new TimingPanel(this);
    m_timing->recall(m_settings.panel(QStringLiteral("timing")));
    m_timingDock = addPanel(QStringLiteral("timing"), tr("Timing"), m_timing, Qt::BottomDockWidgetArea);
    m_timing->heatButton()->setDefaultAction(m_actions->heatMap);
    connect(m_timing, &TimingPanel::notified, this, &MainWindow::notify);
    connect(m_timing, &TimingPanel::inputsRequested, m_run, &RunCenter::editInputs);
    connect(m_timing, &TimingPanel::heatChanged, this, [this] {
        updateActions();
        showMatches();
    });
    connect(m_actions->heatMap, &QAction::toggled, this, &MainWindow::showMatches);
    connect(m_actions->time, &QAction::triggered, this, [this] {
        showPanel(*m_timingDock);
        if (m_run->session() && m_run->session()->missing().isEmpty()) m_timing->session()->start();
        else m_run->editInputs();
    });
}

void MainWindow::connectRunActions() {
    connect(m_actions->verify, &QAction::triggered, m_run, &RunCenter::verify);
    connect(m_actions->values, &QAction::triggered, this, [this] { showPanel(*m_valuesDock); });
    connect(m_actions->editInputs, &QAction::triggered, m_run, &RunCenter::editInputs);
    connect(m_actions->workerSettings, &QAction::triggered, m_run, &RunCenter::editSettings);
    m_partition->setTimer(partitionTimer(*m_run, *m_partition));
}

} // namespace ui
