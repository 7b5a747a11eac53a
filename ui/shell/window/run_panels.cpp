// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/run_panels.h"

#include "ui/result/error_map.h"
#include "ui/result/result_card.h"
#include "ui/result/result_host.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/panel_docks.h"
#include "ui/shell/window_actions.h"
#include "ui/timing/timing_panel.h"

#include <QToolButton>

namespace ui {

RunPanels::RunPanels(WindowActions& actions, Panels& panels, PanelDocks& docks, Settings& settings, QWidget* window)
    : QObject(window), m_panels(panels), m_errors(new ErrorMap(window)) {
    panels.timing->recall(settings.panel(QStringLiteral("timing")));
    panels.timing->heatButton()->setDefaultAction(actions.heatMap);
    panels.run.verifyPanel()->errorsButton()->setDefaultAction(actions.errorMap);
    connect(&panels.run, &RunCenter::sessionChanged, this, &RunPanels::setSession);
    connectActions(actions, docks, settings);
}

void RunPanels::connectActions(WindowActions& actions, PanelDocks& docks, Settings& settings) {
    RunCenter& run = m_panels.run;
    connect(actions.verify, &QAction::triggered, &run, &RunCenter::verify);
    connect(actions.editInputs, &QAction::triggered, &run, &RunCenter::editInputs);
    connect(actions.workerSettings, &QAction::triggered, &run, &RunCenter::editSettings);
    connect(actions.values, &QAction::triggered, this, [&docks] { docks.show(Panel::Values); });
    connect(&run, &RunCenter::verifyPanelRequested, this, [&docks] { docks.show(Panel::Verify); });
    connect(actions.time, &QAction::triggered, this, [this, &run, &docks] {
        docks.show(Panel::Timing);
        if (run.session() && run.session()->missing().isEmpty()) m_panels.timing->session()->start();
        else run.editInputs();
    });
    m_timesEdits = settings.panel(QStringLiteral("timeEdits")) == "1";
    actions.timeEdits->setChecked(m_timesEdits);
    connect(actions.timeEdits, &QAction::toggled, this, [this, &settings](bool times) {
        settings.setPanel(QStringLiteral("timeEdits"), times ? "1" : "0");
        m_timesEdits = times;
        if (m_result) m_result->setTimesEdits(times);
    });
}

/// Null: no file is open.
void RunPanels::setSession(RunSession* run) {
    if (m_result) m_result->setInFront(false);
    WorkerService& worker = m_panels.run.worker();
    TimingSession* timing = run ? TimingSession::of(*run, worker) : nullptr;
    m_result = timing ? ResultSession::of(*timing, worker) : nullptr;
    m_panels.timing->setSession(timing);
    m_errors->setSession(run);
    for (ResultHost* host : {m_panels.verifyHost, m_panels.historyHost}) host->card()->setSession(m_result);
    if (run) connect(run, &RunSession::verifyChanged, this, &RunPanels::verdictChanged, Qt::UniqueConnection);
    if (!m_result) return;
    m_result->setTimesEdits(m_timesEdits);
    m_result->setInFront(true);
}

} // namespace ui
