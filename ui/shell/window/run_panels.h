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

/// Connects the panels that show runs of the document in front: times, results and errors follow the run session of
/// RunCenter.
class RunPanels final : public QObject {
    Q_OBJECT
public:
    /// The arguments must outlive the object; `window` becomes the parent.
    RunPanels(WindowActions& actions, Panels& panels, PanelDocks& docks, Settings& settings, QWidget* window);

    ErrorMap& errors() const { return *m_errors; } ///< The errors of the document in front.

Q_SIGNALS:
    /// Emitted when the verdict on a document changes.
    void verdictChanged();

private:
    void setSession(RunSession* session);
    void connectActions(WindowActions& actions, PanelDocks& docks, Settings& settings);

    Panels& m_panels;
    ErrorMap* m_errors;
    QPointer<ResultSession> m_result; ///< the result session of the document in front
    bool m_timesEdits = false;
};

} // namespace ui
