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

/// Passes and pass files in a list that can be reordered and ticked; they are run, and gone through with the arrow
/// keys: up and down through passes, left and right through single rewrites, with the difference, the numbers and the
/// time of each.
class PassesPanel final : public QWidget {
    Q_OBJECT
public:
    explicit PassesPanel(RunCenter& run, QWidget* parent = nullptr);

    /// Null for none. The list belongs to the document.
    void setDocument(Document* document);
    PassesSession* session() const { return m_session; }
    /// Adds a pass to the list and makes it the current row.
    void add(PassChoice choice);
    /// Adds pass files.
    void addFiles(const QStringList& files);
    void openPipeline(const QString& path);
    void savePipeline(const QString& path);
    /// The text of a pass is edited elsewhere.
    void setText(const PassChoice& pass);

    QListWidget* list() const { return m_list; }
    DiffView* difference() const { return m_diff; }
    QLabel* title() const { return m_title; }
    QLabel* verdict() const { return m_verdict; }
    QLabel* told() const { return m_told; }
    QPushButton* runButton() const { return m_runButton; }
    PassSettingsForm* settings() const { return m_settings; }

public Q_SLOTS:
    void askForFiles();
    /// The canvas shows the model again.
    void leaveStep() { setStepping(false); }

Q_SIGNALS:
    /// A pass of Python text is to be edited.
    void editRequested(const PassChoice& pass);
    /// A step is looked at; null: none, the model itself is.
    void stepShown(Document* document, const std::shared_ptr<const VersionDifference>& difference,
                   const QString& title);
    void compareRequested(Document* document, const std::shared_ptr<const VersionDifference>& difference,
                          const QString& title);
    void newTextRequested(const QString& templateName);
    void minimised(const std::shared_ptr<const fx::GraphModule>& part, const QString& title);
    void notified(const QString& what);
    void failed(const QString& what, const fx::Error& error);
    void textFailed(const QString& file, const fx::Error& error);
    void optimised(Document* document);

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
    QTimer m_settled; ///< while the arrow keys are held
    TaskSlot<std::shared_ptr<const VersionDifference>> m_comparing{"passes.difference"};
    std::shared_ptr<const VersionDifference> m_difference;
    bool m_filling = false, m_stepping = false;
};

} // namespace ui
