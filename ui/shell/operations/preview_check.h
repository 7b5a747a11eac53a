// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/compare_window.h"
#include "ui/run/run_session.h"

namespace ui {

/// Runs the versions of an open preview: finds the shapes of the version after the change, and checks whether it
/// computes the same as the version before. Ends with its window. GUI thread only.
class PreviewCheck final : public QObject {
    Q_OBJECT
public:
    /// `window` becomes the parent.
    PreviewCheck(CompareWindow& window, RunSession& session, WorkerService& worker);
    ~PreviewCheck() override;

private:
    void findShapes();
    void verify();
    void show(const Verification& verification);
    WorkerService::Key key(WorkerService::Kind kind) const { return {kind, this}; }

    CompareWindow& m_window;
    QPointer<RunSession> m_session;
    QPointer<WorkerService> m_worker;
};

} // namespace ui
