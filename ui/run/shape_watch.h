// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

namespace ui {

/// Keeps the shapes of a document up to date, in the background: after opening, after every change and when the inputs
/// change, as far as the inputs are known or guessed. The document shows what was found out. GUI thread only.
class ShapeWatch final : public QObject {
    Q_OBJECT
public:
    ShapeWatch(RunSession& session, WorkerService& worker);

private:
    void ask();

    RunSession& m_session;
    WorkerService& m_worker;
    std::shared_ptr<const fx::GraphModule> m_asked;
};

} // namespace ui
