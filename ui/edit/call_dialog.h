// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "ui/document/document.h"
#include "ui/edit/call_form_widget.h"

#include <QDialog>
#include <QTimer>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace ui {

/// Dialog that inserts a node or changes the call of an existing one.
/// It has a search over all callables, a form of typed arguments, and a description of the result. Tab goes from the
/// search to the arguments and to the button. Enter goes to the first missing argument, and accepts only a call that is
/// complete and valid.
class CallDialog final : public QDialog {
    Q_OBJECT
public:
    /// The edit that the dialog makes. The last two replace one module, or all modules of its class.
    enum class Task { InsertAfter, InsertBefore, ChangeCall, ReplaceModule, ReplaceModuleClass };
    /// `nodes` (not empty) are the nodes to insert at, or the one node to change.
    CallDialog(Document& document, std::vector<fx::NodeId> nodes, Task task, QWidget* parent);

    /// Inserts on one edge: only `user` takes the new node instead of the old one.
    void setOnlyUser(fx::NodeId user);
    /// Sets the calls that were inserted last, as JSON. The list shows them first.
    void setRecent(const QByteArray& json);
    /// Returns the JSON of `setRecent`, with the chosen call in front if the dialog inserts.
    QByteArray recent() const;
    /// Returns the steps described by the form. Throws fx::Error{Refused} that names what is missing.
    fx::StepList steps() const;
    QString name() const;                               ///< The name of the change in the history.
    QLineEdit* search() const { return m_search; }      ///< The search field.
    QListWidget* list() const { return m_list; }        ///< The callables that were found, with headings between them.
    CallForm* form() const { return m_form; }           ///< The fields of the arguments.
    QPushButton* accepts() const { return m_accept; }   ///< The button that accepts the dialog.
    QPushButton* previews() const { return m_preview; } ///< The button that requests a preview.
    /// Shows the arguments of `choice` in the form.
    void choose(const CallableChoice& choice);
    /// Checks the steps in the background and closes only if they are valid.
    void accept() override;

Q_SIGNALS:
    /// Emitted when the user asks for a preview of `steps`.
    void previewRequested(const QString& name, const fx::StepList& steps);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeParts();
    QWidget* makeRight();
    std::vector<CallableChoice> searchModules() const;
    bool mayCall(const CallableChoice& choice) const;
    void addRow(const CallableChoice& choice);
    void addHeading(const QString& text);
    void find();
    void showNothingFound();
    void showPresent();
    void showRows();
    void showKept(std::vector<ParameterRow>& rows) const;
    void orderTabs();
    struct Tried;
    void checkLater();
    void check();
    QString replacedText(const fx::GraphModule& before) const;
    void showTried(const Tried& tried);
    bool changesNothing(const Tried& tried) const;
    void showResult(const QString& text, bool valid);
    void startFromNode();
    std::vector<CallForm::Value> valuesOfNode() const;
    std::string freeModulePath() const;
    fx::StepModule chosenModule() const;
    void addOnlyUser(fx::StepList& steps) const;
    fx::StepList insertSteps(const CallForm::Call& call) const;
    const fx::Graph& graph() const { return m_document.module()->graph; }
    const fx::Node& node() const { return graph().node(m_nodes.front()); }
    /// True if the list shows the modules of the model instead of PyTorch's callables.
    bool choosesModule() const { return m_task == Task::ChangeCall && node().op() == fx::Op::CallModule; }
    bool inserts() const { return m_task == Task::InsertAfter || m_task == Task::InsertBefore; }
    bool replaces() const { return m_task == Task::ReplaceModule || m_task == Task::ReplaceModuleClass; }
    bool asksSettings() const { return m_choice.op == fx::Op::CallModule && (inserts() || replaces()); }
    bool isValid() const { return m_isChecked && m_isValid; }

    Document& m_document;
    std::vector<fx::NodeId> m_nodes;
    fx::NodeId m_onlyUser = fx::kNoNode;
    Task m_task;
    CallableChoice m_choice;
    QString m_from;                      ///< the class whose modules are replaced
    std::vector<CallableChoice> m_found; ///< by row of the list; headings have an empty target
    std::vector<CallableChoice> m_recent, m_plausible;
    QByteArray m_recentJson;
    QLineEdit *m_search, *m_name;
    QListWidget* m_list;
    QLabel *m_target, *m_result;
    QComboBox* m_overload;
    QScrollArea* m_scroll;
    CallForm* m_form;
    QCheckBox *m_rewire, *m_keep;
    QPushButton *m_accept, *m_preview, *m_cancel;
    bool m_isChecked = false, m_isValid = false; ///< checked: the last result is that of the current form
    bool m_acceptsNext = false;                  ///< close as soon as the check succeeds
    QTimer m_checking{this};
    TaskSlot<std::shared_ptr<const Tried>> m_trying{"call.try"};
    TaskSlot<std::vector<CallableChoice>> m_looking{"call.likely"};
};

} // namespace ui
