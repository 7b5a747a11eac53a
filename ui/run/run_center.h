// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QHash>
#include <QPointer>

class QToolButton;

namespace ui {

class VerifyPanel;

/// Everything in the window that runs models: the worker's queue, and the run session of each open document. It creates
/// the panel and the buttons of the status bar; the window places them.
class RunCenter final : public QObject {
    Q_OBJECT
public:
    /// `memory` stores inputs and tolerances between starts; `complete` is that of `WorkerService`.
    RunCenter(WorkerSettings settings, RunMemory memory, QWidget* window, fx::remote::CompleteModel complete = {});

    WorkerService& worker() { return m_worker; }          ///< The queue of the worker.
    VerifyPanel* verifyPanel() const { return m_verify; } ///< The Verify panel.
    /// The state of the worker for the status bar; a click opens the dialog.
    QToolButton* workerButton() const { return m_workerButton; }
    /// The verdict on the current version for the status bar; a click requests the panel.
    QToolButton* verifyChip() const { return m_chip; }
    /// Sets the document in front, or null.
    void setDocument(Document* document);
    /// The session of the document in front, or null.
    RunSession* session() const { return m_session; }
    /// The session of a document; null if it was never in front.
    RunSession* sessionOf(const Document& document) const { return m_sessions.value(&document); }

public Q_SLOTS:
    void editSettings(); ///< Opens the dialog of the worker.
    void askToAllow();   ///< Asks whether to run models without a sandbox.
    void editInputs();   ///< Opens the dialog of the inputs.
    void verify();       ///< Verifies the document in front.

Q_SIGNALS:
    /// Emitted when another document is in front; null: none.
    void sessionChanged(RunSession* session);
    /// Emitted when the inputs of a document change, even if it is not in front.
    void inputsChanged(Document& document);
    /// Emitted with messages for the status bar.
    void notified(const QString& what);
    /// Emitted when settings of the worker should be stored.
    void settingsChanged(const WorkerSettings& settings);
    void verifyPanelRequested(); ///< Emitted when the user wants to see the Verify panel.

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showWorker();
    void showVerdict();
    void tellDeath(const fx::Error& error);

    QWidget* m_window;
    bool m_readerIsHeld; ///< this system has a sandbox for lancet-reader
    WorkerService m_worker;
    RunMemory m_memory;
    QToolButton *m_workerButton, *m_chip;
    VerifyPanel* m_verify;
    QPointer<RunSession> m_session;
    QHash<const Document*, QPointer<RunSession>> m_sessions;
};

} // namespace ui
