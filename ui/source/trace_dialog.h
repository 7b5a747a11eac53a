// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/python/own/own_python.h"
#include "ui/tasks/task_slot.h"

#include <QDialog>
#include <QJsonObject>
#include <QTemporaryDir>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ui {

/// Asks the user's own Python for a model: symbolic_trace, else torch.export, in a child process whose output is shown
/// as it comes. Closing or cancelling kills it. Only the Trace button of this dialog starts Python.
class TraceDialog final : public QDialog {
    Q_OBJECT
public:
    /// `remembered`: what `memory` returned the last time.
    explicit TraceDialog(const QJsonObject& remembered, QWidget* parent = nullptr);
    ~TraceDialog() override;

    /// The target to begin with: "/home/me/net.py:Net".
    void setTarget(const QString& target);
    QJsonObject memory() const;
    QComboBox* interpreter() const { return m_python; }
    QLineEdit* target() const { return m_target; }
    QLineEdit* inputs() const { return m_inputs; }
    QPlainTextEdit* output() const { return m_output; }
    QPushButton* traceButton() const { return m_trace; }
    QPushButton* cancelButton() const { return m_cancel; }
    QString message() const;
    bool isRunning() const { return m_running.running(); }

Q_SIGNALS:
    /// The model, whose weights are in `folder`.
    void traced(const std::shared_ptr<const fx::GraphModule>& module, const QString& title,
                const std::shared_ptr<QTemporaryDir>& folder);
    /// What is remembered changed.
    void remember();

private:
    struct Result {
        fx::OwnTrace trace;
        std::shared_ptr<fx::GraphModule> module;
    };
    void browse();
    void start();
    void cancel();
    void take(const Result& result);
    void showState();
    void tell(const QString& text, const char* role);
    void append(const QString& text);
    std::optional<fx::OwnPython> request();

    QComboBox* m_python;
    QLineEdit *m_target, *m_inputs, *m_folders;
    QPlainTextEdit* m_output;
    QLabel* m_message;
    QPushButton *m_trace, *m_cancel;
    std::shared_ptr<QTemporaryDir> m_folder;
    TaskSlot<Result> m_running{"source.python"};
};

/// "x=1x3x224x224:float32, ids=1x16:int64" as inputs; nullopt if it is not that.
std::optional<std::vector<fx::OwnInput>> ownInputs(const QString& text);

} // namespace ui
