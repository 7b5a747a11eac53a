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

/// Where models run and with which limits: this machine, another one through ssh, a container. "Try it" starts a worker
/// with what is entered and shows the machine that answers, or why none does.
class WorkerDialog final : public QDialog {
    Q_OBJECT
public:
    explicit WorkerDialog(const WorkerSettings& settings, QWidget* parent = nullptr);
    WorkerSettings settings() const;
    QLineEdit* command() const { return m_command; }
    QLineEdit* libraries() const { return m_libraries; }
    QLabel* answer() const { return m_answer; }

public Q_SLOTS:
    void tryIt();

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
