// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/stages/stages_session.h"

#include <QPointer>
#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTableView;
class QToolButton;

namespace ui {

class BalanceBar;
class StageTableModel;

/// The Stages page of the Partition panel: number and measure, the balance bar, the stages, undo and export. It shows
/// and changes the StagesSession of a document.
class StagesView final : public QWidget {
    Q_OBJECT
public:
    explicit StagesView(QWidget* parent); ///< Creates a page without a document.

    /// Shows the stages of `document`; null clears the page.
    void setDocument(Document* document);
    void setTimer(const PartitionTimer& timer); ///< Sets the functions that time nodes.
    /// Exports the stages to `folder`, or asks for a folder if it is empty.
    void exportStages(const QString& folder = {});
    /// Returns the files that an export to that folder would overwrite.
    static QStringList filesInTheWay(const QString& folder);
    /// Emits `stageChosen` unless the view itself changes.
    void chooseStage(int stage);

Q_SIGNALS:
    /// Emitted when the calls of a stage should be selected and shown.
    void stageChosen(int stage);
    /// Emitted when a cut was chosen or moved in the bar.
    void cutChosen(int cut);
    void notified(const QString& text); ///< Emitted with messages for the status bar.

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeChoices();
    QWidget* makeStages();
    QWidget* makeButtons();
    void propose();
    void refresh();
    void showCuts();
    void showChoices();
    void showNote();
    void showButtons();
    QString askFolder(); ///< Returns an empty path if the user cancels or keeps existing files.

    QPointer<Document> m_document;
    QPointer<StagesSession> m_session;
    PartitionTimer m_timer;
    QSpinBox* m_count;
    QComboBox* m_measure;
    QLabel *m_note, *m_balance, *m_refusal, *m_saved;
    BalanceBar* m_bar;
    StageTableModel* m_model;
    QTableView* m_table;
    QToolButton *m_undo, *m_redo;
    QPushButton *m_stop, *m_rebalance, *m_export;
    fx::StageLine::Cuts m_savedCuts;                       ///< the cuts of the files that `m_saved` names
    std::shared_ptr<const fx::GraphModule> m_savedVersion; ///< the version of these files
    bool m_showing = false; ///< the view updates its widgets, so their signals are not choices of the user
};

} // namespace ui
