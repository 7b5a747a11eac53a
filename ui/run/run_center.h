// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QHash>
#include <QPointer>

class QToolButton;

namespace ui {

class VerifyPanel;

/// Everything of the window that runs models: the worker's queue, and for each open document what is known of running
/// it. It makes the panel and the buttons of the status bar; the window places them.
class RunCenter final : public QObject {
    Q_OBJECT
public:
    RunCenter(WorkerSettings settings, RunMemory memory, QWidget* window);

    WorkerService& worker() { return m_worker; }
    VerifyPanel* verifyPanel() const { return m_verify; }
    /// What the worker does, for the status bar; a click opens the dialog.
    QToolButton* workerButton() const { return m_workerButton; }
    /// The verdict on the current version, for the status bar; a click asks for the panel.
    QToolButton* verifyChip() const { return m_chip; }
    /// The document in front, or null.
    void setDocument(Document* document);
    /// Of the document in front, or null.
    RunSession* session() const { return m_session; }
    /// Of a document that was in front at least once; else null.
    RunSession* sessionOf(const Document& document) const { return m_sessions.value(&document); }

public Q_SLOTS:
    void editSettings();
    void editInputs();
    void verify();

Q_SIGNALS:
    /// Another document is in front; null: none.
    void sessionChanged(RunSession* session);
    /// A document runs with other inputs; also of those that are not in front.
    void inputsChanged(Document& document);
    /// To be said in the status bar.
    void notified(const QString& what);
    /// To be remembered.
    void settingsChanged(const WorkerSettings& settings);
    void verifyPanelRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showWorker();
    void showVerdict();
    void tellDeath(const fx::Error& error);

    QWidget* m_window;
    WorkerService m_worker;
    RunMemory m_memory;
    QToolButton *m_workerButton, *m_chip;
    VerifyPanel* m_verify;
    QPointer<RunSession> m_session;
    QHash<const Document*, QPointer<RunSession>> m_sessions;
};

} // namespace ui
