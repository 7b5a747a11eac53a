// SPDX-License-Identifier: GPL-3.0-or-later
// What runs models: made by ui/run, placed here.
#include "ui/shell/window/main_window.h"

#include "core/remote/find_profile.h"
#include "ui/history/history_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/result/error_map.h"
#include "ui/result/result_card.h"
#include "ui/result/result_host.h"
#include "ui/run/run_center.h"
#include "ui/run/run_request.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/settings.h"
#include "ui/timing/time_version.h"
#include "ui/timing/timing_panel.h"
#include "ui/values/values_panel.h"

#include <QDockWidget>
#include <QToolButton>

namespace ui {

namespace {

/// Partitions are timed in the worker, with the inputs of their document.
PartitionTimer partitionTimer(RunCenter& run, PartitionPanel& panel) {
    using Kind = WorkerService::Kind;
    const auto cancelOf = [&run](WorkerService::Key key) -> PartitionTimer::Cancel {
        return [worker = QPointer(&run.worker()), key] { // documents may outlive the worker
            if (worker) worker->cancel(key);
        };
    };
    PartitionTimer timer;
    timer.missing = [&run] { return run.session() ? run.session()->missing() : MainWindow::tr("no file is open"); };
    timer.partitions = [&run, &panel, cancelOf](Document& document, PartitionTimer::Version version,
                                                std::vector<fx::Partition> partitions, auto done, auto failed,
                                                auto progressed) {
        const WorkerService::Key key{Kind::Timing, &document};
        run.worker().request<fx::remote::PartitionTimes>(
            key,
            [version, partitions, inputs = run.sessionOf(document)->inputs()](const WorkerCall& call) {
                constexpr double kSeconds = 3;
                return fx::remote::timePartitions(call.client, requestToRun(version, inputs, call.progress), partitions,
                                                  kSeconds, call.timeout, call.progress);
            },
            &panel, done, failed, progressed);
        return cancelOf(key);
    };
    timer.nodes = [&run, &panel, cancelOf](Document& document, PartitionTimer::Version version, auto done, auto failed,
                                           auto progressed) {
        const WorkerService::Key key{Kind::Timing, &document};
        run.worker().request<fx::NodeTimes>(
            key,
            [version, inputs = run.sessionOf(document)->inputs()](const WorkerCall& call) {
                fx::NodeTimes times;
                const fx::timing::BenchResult result = timeVersion(call, version, version, inputs, {}, true);
                for (const fx::timing::NodeTiming& node : result.reports.front().nodes) times[node.name] = node.ms;
                return times;
            },
            &panel, done, failed, progressed);
        return cancelOf(key);
    };
    timer.profile = [&run, &panel, cancelOf](Document& document, const std::string& name, auto done, auto failed,
                                             auto progressed) {
        const WorkerService::Key key{Kind::Verify, &document};
        run.worker().request<bool>(
            key,
            [name](const WorkerCall& call) {
                fx::remote::findProfile(call.client, name, call.progress);
                return true;
            },
            &panel, [done](bool) { done(); }, failed, progressed);
        return cancelOf(key);
    };
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
    connect(m_actions->heatMap, &QAction::triggered, this, [this](bool chosen) { chooseColours(false, chosen); });
    connect(m_actions->time, &QAction::triggered, this, [this] {
        showPanel(*m_timingDock);
        if (m_run->session() && m_run->session()->missing().isEmpty()) m_timing->session()->start();
        else m_run->editInputs();
    });
}

void MainWindow::makeResults() {
    m_errors = new ErrorMap(this);
    m_run->verifyPanel()->errorsButton()->setDefaultAction(m_actions->errorMap);
    connect(m_errors, &ErrorMap::changed, this, [this] {
        updateActions();
        showMatches();
    });
    connect(m_actions->errorMap, &QAction::triggered, this, [this](bool chosen) { chooseColours(true, chosen); });
    m_actions->timeEdits->setChecked(m_settings.panel(QStringLiteral("timeEdits")) == "1");
    connect(m_actions->timeEdits, &QAction::toggled, this, [this](bool times) {
        m_settings.setPanel(QStringLiteral("timeEdits"), times ? "1" : "0");
        if (m_result) m_result->setTimesEdits(times);
    });
}

/// Everything that shows runs of a document turns to this one, or to none.
void MainWindow::showRun(Document* document) {
    if (m_result) m_result->setInFront(false);
    m_run->setDocument(document);
    RunSession* run = m_run->session();
    TimingSession* timing = run ? TimingSession::of(*run, m_run->worker()) : nullptr;
    m_result = timing ? ResultSession::of(*timing, m_run->worker()) : nullptr;
    m_values->setSession(run);
    m_timing->setSession(timing);
    m_history->setSession(run);
    m_errors->setSession(run);
    for (ResultHost* host : {m_verifyHost, m_historyHost}) host->card()->setSession(m_result);
    if (run) connect(run, &RunSession::verifyChanged, this, &MainWindow::updateTabs, Qt::UniqueConnection);
    if (m_result) {
        m_result->setTimesEdits(m_actions->timeEdits->isChecked());
        m_result->setInFront(true);
    }
    showColours();
}

/// For the document in front alone; one of times and errors at most.
void MainWindow::chooseColours(bool errors, bool chosen) {
    using Colours = DocumentPage::Colours;
    if (DocumentPage* page = currentPage())
        page->setColours(!chosen ? Colours::Kinds : errors ? Colours::Errors : Colours::Times);
    showColours();
}

void MainWindow::showColours() {
    const auto colours = currentPage() ? currentPage()->colours() : DocumentPage::Colours::Kinds;
    m_actions->heatMap->setChecked(colours == DocumentPage::Colours::Times);
    m_actions->errorMap->setChecked(colours == DocumentPage::Colours::Errors);
    updateActions();
    showMatches();
}

void MainWindow::connectRunActions() {
    connect(m_actions->verify, &QAction::triggered, m_run, &RunCenter::verify);
    connect(m_actions->values, &QAction::triggered, this, [this] { showPanel(*m_valuesDock); });
    connect(m_actions->editInputs, &QAction::triggered, m_run, &RunCenter::editInputs);
    connect(m_actions->workerSettings, &QAction::triggered, m_run, &RunCenter::editSettings);
    m_partition->setTimer(partitionTimer(*m_run, *m_partition));
}

} // namespace ui
