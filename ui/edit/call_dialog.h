// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "ui/document/document.h"
#include "ui/edit/call_form.h"

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

/// Creates a node or changes the call of one: a search over all callables, a form of typed arguments, and what would
/// come of it. Tab goes from the search to the arguments and to the button; Enter goes to what is missing and inserts
/// only what is complete and valid.
class CallDialog final : public QDialog {
    Q_OBJECT
public:
    enum class Task { InsertAfter, InsertBefore, ChangeCall, ReplaceModule, ReplaceModuleClass };
    /// `nodes`: where to insert (at each of them), or the node to change.
    CallDialog(Document& document, std::vector<fx::NodeId> nodes, Task task, QWidget* parent);

    /// Inserts on one edge: only this user of the node uses the new one.
    void setOnlyUser(fx::NodeId user);
    /// The calls that were inserted last, as JSON: they stand first.
    void setRecent(const QByteArray& json);
    /// The same with this one.
    QByteArray recent() const;
    /// The steps described by the form. Throws fx::Error{Refused} with what is missing.
    QByteArray steps() const;
    QString name() const; ///< of the change, for the history
    QLineEdit* search() const { return m_search; }
    QListWidget* list() const { return m_list; }
    CallForm* form() const { return m_form; }
    QPushButton* accepts() const { return m_accept; }
    QPushButton* previews() const { return m_preview; }
    void choose(const CallableChoice& choice);
    void accept() override;

Q_SIGNALS:
    /// The user wants to see more of what these steps do.
    void previewRequested(const QString& name, const QByteArray& steps);

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
    QByteArray insertSteps(const CallForm::Call& call) const;
    const fx::Graph& graph() const { return m_document.module()->graph; }
    const fx::Node& node() const { return graph().node(m_nodes.front()); }
    /// Whether to choose among the modules of the model instead of PyTorch's callables.
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
    QString m_from;                      ///< the class that is replaced everywhere
    std::vector<CallableChoice> m_found; ///< by row of the list; headings have no target
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
    bool m_isChecked = false, m_isValid = false; ///< checked: what the form says now
    bool m_acceptsNext = false;                  ///< when it is checked
    QTimer m_checking;
    TaskSlot<std::shared_ptr<const Tried>> m_trying{"call.try"};
    TaskSlot<std::vector<CallableChoice>> m_looking{"call.likely"};
};

} // namespace ui
