// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/files/temporary_folder.h"
#include "core/module/graph_module.h"
#include "core/own/own_python.h"
#include "ui/tasks/task_slot.h"

#include <QDialog>
#include <QJsonObject>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ui {

/// Dialog that traces a model with the user's own Python: it tries symbolic_trace, then torch.export, in a child
/// process in the sandbox and shows the output as it comes. Closing or cancelling kills the process. Nothing but the
/// Trace button starts Python here. The user can allow the environment (`fx::AllowedPythons`) to trace by itself later.
class TraceDialog final : public QDialog {
    Q_OBJECT
public:
    /// `remembered` is the `memory` of the previous dialog.
    explicit TraceDialog(const QJsonObject& remembered, QWidget* parent = nullptr);
    ~TraceDialog() override;

    /// Sets the initial target: "/home/me/net.py:Net".
    void setTarget(const QString& target);
    /// Returns the fields to remember for the next dialog.
    QJsonObject memory() const;
    QComboBox* interpreter() const { return m_python; }    ///< The Python interpreters.
    QLineEdit* target() const { return m_target; }         ///< The target field.
    QLineEdit* inputs() const { return m_inputs; }         ///< The example inputs, as `ownInputs` parses them.
    QPlainTextEdit* output() const { return m_output; }    ///< The output of the child process.
    QCheckBox* alwaysBox() const { return m_always; }      ///< Allows the environment, once it has traced.
    QPushButton* traceButton() const { return m_trace; }   ///< Starts tracing.
    QPushButton* cancelButton() const { return m_cancel; } ///< Kills the child process.
    /// The status message.
    QString message() const;
    /// Describes the program, the file or module and the call that Trace will run.
    QString whatWillRun() const;
    bool isRunning() const { return m_running.running(); } ///< True while the child process runs.

Q_SIGNALS:
    /// Emitted after tracing. The weights of the model are in `folder`.
    void traced(const std::shared_ptr<const fx::GraphModule>& module, const QString& title,
                const std::shared_ptr<fx::TemporaryFolder>& folder);
    /// Emitted when `memory` changes.
    void remember();

private:
    void browse();
    void start();
    void cancel();
    void take(const fx::OwnTrace& result);
    void showAllowed();
    std::optional<fx::Error> storeAllowed(const fx::OwnTrace& result) const;
    void showState();
    void tell(const QString& text, const char* role);
    void append(const QString& text);
    std::optional<fx::OwnPython> request();

    QComboBox* m_python;
    QLineEdit *m_target, *m_inputs, *m_folders;
    QLabel* m_command;
    QPlainTextEdit* m_output;
    QCheckBox* m_always;
    QLabel* m_message;
    QPushButton *m_trace, *m_cancel;
    std::shared_ptr<fx::TemporaryFolder> m_folder;
    TaskSlot<fx::OwnTrace> m_running{"source.python"};
};

/// Parses "x=1x3x224x224:float32, ids=1x16:int64" as inputs; nullopt if the text is malformed.
std::optional<std::vector<fx::OwnInput>> ownInputs(const QString& text);

} // namespace ui
