// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/result/result_session.h"
#include "ui/shell/window/panels.h"

#include <QObject>
#include <QPointer>

namespace ui {

class ErrorMap;
class PanelDocks;
class Settings;
class WindowActions;

/// What shows runs of the document in front: its times, results and errors follow the run session of RunCenter.
class RunPanels final : public QObject {
    Q_OBJECT
public:
    RunPanels(WindowActions& actions, Panels& panels, PanelDocks& docks, Settings& settings, QWidget* window);

    ErrorMap& errors() const { return *m_errors; }

Q_SIGNALS:
    /// The verdict on a document has changed.
    void verdictChanged();

private:
    void setSession(RunSession* session);
    void connectActions(WindowActions& actions, PanelDocks& docks, Settings& settings);

    Panels& m_panels;
    ErrorMap* m_errors;
    QPointer<ResultSession> m_result; ///< of the document in front
    bool m_timesEdits = false;
};

} // namespace ui
