// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"
#include "ui/passes/passes_session.h"

#include <QTimer>
#include <QWidget>

class QCheckBox;
class QLabel;
class QListWidget;
class QListWidgetItem;
class QMenu;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace ui {

class DiffView;
class PassSettingsForm;

/// Panel with a list of passes and pass files that can be reordered, ticked and run. The arrow keys go through the
/// result: up and down through passes, left and right through single rewrites, with the difference, the verdict and the
/// time of each.
class PassesPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PassesPanel(RunCenter& run, QWidget* parent = nullptr); ///< `run` must outlive the panel.

    /// Shows the passes of `document`, which owns the list; null clears the panel.
    void setDocument(Document* document);
    PassesSession* session() const { return m_session; } ///< The session of the document, or null.
    /// Adds a pass to the list and makes it the current row.
    void add(PassChoice choice);
    /// Adds pass files.
    void addFiles(const QStringList& files);
    void openPipeline(const QString& path); ///< Replaces the list by the pipeline in a file.
    void savePipeline(const QString& path); ///< Writes the ticked passes as a pipeline.
    /// Takes over the text of a pass that was edited elsewhere.
    void setText(const PassChoice& pass);

    QListWidget* list() const { return m_list; }              ///< The passes.
    DiffView* difference() const { return m_diff; }           ///< The code of the step with its differences.
    QLabel* title() const { return m_title; }                 ///< The title of the step.
    QLabel* verdict() const { return m_verdict; }             ///< The verdict on the step.
    QLabel* told() const { return m_told; }                   ///< The message of the last action.
    QPushButton* runButton() const { return m_runButton; }    ///< Runs the ticked passes.
    PassSettingsForm* settings() const { return m_settings; } ///< The settings of the current pass.

public Q_SLOTS:
    void askForFiles(); ///< Asks for pass files and adds them.
    /// Shows the model itself on the canvas again.
    void leaveStep() { setStepping(false); }

Q_SIGNALS:
    /// Emitted when the user wants to edit a pass in Python text.
    void editRequested(const PassChoice& pass);
    /// Emitted when the canvas should show a step; null: the model itself.
    void stepShown(Document* document, const std::shared_ptr<const VersionDifference>& difference,
                   const QString& title);
    /// Emitted when the user wants to see a step side by side.
    void compareRequested(Document* document, const std::shared_ptr<const VersionDifference>& difference,
                          const QString& title);
    /// Emitted when the user wants a new pass from a template.
    void newTextRequested(const QString& templateName);
    /// Emitted when a smaller failing model was found.
    void minimised(const std::shared_ptr<const fx::GraphModule>& part, const QString& title);
    void notified(const QString& what); ///< Emitted with messages for the status bar.
    /// Emitted when a file could not be read or written.
    void failed(const QString& what, const fx::Error& error);
    /// Emitted when a pass in Python text failed at a position of its file.
    void textFailed(const QString& file, const fx::Error& error);
    void optimised(Document* document); ///< Emitted after "Optimise for This CPU".

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void makeList();
    QWidget* makeHead();
    QWidget* makeActions();
    QWidget* makeStep();
    void fillAddMenu(QMenu& menu);
    void connectSession();
    void showChoices();
    void takeChoices();
    void change(const std::function<void(PassChoices&)>& how);
    int currentRow() const;
    void showRows();
    void showRow(int row);
    void followPlace();
    void showState();
    void showStep();
    void showVerdict();
    void compareStep();
    void rowChosen(int row);
    void rowMenu(const QPoint& at);
    void remove(int row);
    void moveRow(int by);
    std::optional<std::size_t> passOfRow(std::size_t row) const;
    bool isStepping() const { return m_stepping; }
    void setStepping(bool stepping);

    RunCenter& m_run;
    QPointer<Document> m_document;
    QPointer<PassesSession> m_session;
    QListWidget* m_list;
    QLabel* m_empty;
    PassSettingsForm* m_settings;
    QCheckBox *m_onSelection, *m_verifies;
    QPushButton* m_runButton;
    QToolButton *m_addButton, *m_more, *m_bisect, *m_minimise;
    QWidget *m_busy, *m_stepArea;
    QProgressBar* m_bar;
    QLabel *m_doing, *m_title, *m_verdict, *m_facts, *m_told, *m_keys;
    QToolButton *m_previous, *m_next, *m_canvasButton, *m_compareButton, *m_timeButton;
    DiffView* m_diff;
    QTimer m_settled{this}; ///< delay while arrow keys are held
    TaskSlot<std::shared_ptr<const VersionDifference>> m_comparing{"passes.difference"};
    std::shared_ptr<const VersionDifference> m_difference;
    std::shared_ptr<const fx::GraphModule> m_steppedFrom; ///< the version that the canvas showed before the step
    bool m_filling = false, m_stepping = false;
};

} // namespace ui
