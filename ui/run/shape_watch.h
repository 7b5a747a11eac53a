// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"
#include "ui/run/version_shapes.h"

#include <QTimer>

namespace ui {

/// Keeps the shapes of a document up to date in the background: after opening, after every change and when the inputs
/// change, as far as the inputs are known or guessed. The document shows the result. Opening a file runs nothing of it:
/// until the user edits it or asks for its shapes (`DocumentShapes::ask`), only shapes that follow from pure
/// operators on tensors without values are inferred. Running the model for shapes is an operation of the document, at
/// once if the user asked, else if it takes long. If it fails or is cancelled, known shapes stay. GUI thread only.
class ShapeWatch final : public QObject {
    Q_OBJECT
public:
    ShapeWatch(RunSession& session, WorkerService& worker); ///< `session` becomes the parent.
    /// Stops all requests, so that nothing runs for a closed document.
    ~ShapeWatch() override;

Q_SIGNALS:
    /// Emitted when the user asks for shapes but models may not run without permission.
    void allowanceNeeded();

private:
    void ask();
    void noteVersion();
    void begin();
    void end();
    void cancel();
    void fail(const std::shared_ptr<const fx::GraphModule>& version, const QString& why, const QString& sentence);
    WorkerService::Key key() const { return {WorkerService::Kind::Shapes, this}; }

    RunSession& m_session;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    std::shared_ptr<const fx::GraphModule> m_asked;
    std::shared_ptr<const fx::GraphModule> m_original, m_opened; ///< `m_opened`: the version in the file
    ShapeRuns m_runs = ShapeRuns::Nothing;
    DocumentOperations::Id m_operation = 0; ///< while the model runs
    QTimer m_slow{this};                    ///< delay until an automatic run becomes an operation
    bool m_isAsked = false;                 ///< the user asked for the running request
    bool m_fitsInputs = false;              ///< the document's shapes are those for the current inputs
};

} // namespace ui
