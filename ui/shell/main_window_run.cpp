// SPDX-License-Identifier: GPL-3.0-or-later
// What runs models: made by ui/run, placed here.
#include "ui/shell/main_window.h"

#include "ui/run/run_center.h"
#include "ui/run/verify_panel.h"
#include "ui/shell/settings.h"

#include <QDockWidget>

namespace ui {

void MainWindow::makeRun() {
    RunMemory memory{[this](const QString& path) { return m_settings.runOf(path); }, [this](const QString& path, const QByteArray& json) { m_settings.setRunOf(path, json); }};
    m_run = new RunCenter(m_settings.worker(), std::move(memory), this);
    connect(m_run, &RunCenter::notified, this, &MainWindow::notify);
    connect(m_run, &RunCenter::settingsChanged, this, [this](const WorkerSettings& settings) { m_settings.setWorker(settings); });
    connect(m_run, &RunCenter::verifyPanelRequested, this, [this] {
        m_verifyDock->show();
        m_verifyDock->raise();
    });
}

void MainWindow::connectRunActions() {
    connect(m_actions->verify, &QAction::triggered, m_run, &RunCenter::verify);
    connect(m_actions->editInputs, &QAction::triggered, m_run, &RunCenter::editInputs);
    connect(m_actions->workerSettings, &QAction::triggered, m_run, &RunCenter::editSettings);
}

} // namespace ui
