// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/worker_settings.h"
#include "ui/tasks/task_slot.h"

#include <QDialog>

class QCheckBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ui {

/// Dialog for where models run and with which limits: this machine, another machine through ssh, a container. "Try it"
/// starts a worker with the entered settings and shows the machine that answers, or the error.
class WorkerDialog final : public QDialog {
    Q_OBJECT
public:
    explicit WorkerDialog(const WorkerSettings& settings, QWidget* parent = nullptr); ///< Shows `settings`.
    WorkerSettings settings() const;                                                  ///< Returns the entered settings.
    QLineEdit* command() const { return m_command; }     ///< The command that starts the worker.
    QLineEdit* libraries() const { return m_libraries; } ///< The operator libraries.
    QLabel* answer() const { return m_answer; }          ///< The result of "Try it".

public Q_SLOTS:
    void tryIt(); ///< Starts a worker with the entered settings, off the GUI thread.

private:
    void tell(const QString& text, const char* state);

    QLineEdit *m_command, *m_libraries;
    QCheckBox* m_sameFiles;
    QDoubleSpinBox* m_memory;
    QSpinBox* m_timeout;
    QPushButton* m_try;
    QLabel* m_answer;
    TaskSlot<std::string> m_trial{"worker.try"};
};

} // namespace ui
