// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QListWidget;
class QToolButton;

namespace ui {

/// The versions of the document, newest last, with times and verdicts; choosing one goes there. Those that were undone
/// stand muted below the current one. The steps can be copied as a recipe.
class HistoryPanel final : public QWidget {
    Q_OBJECT
public:
    explicit HistoryPanel(QWidget* parent = nullptr);
    void setDocument(Document* document);
    /// How its versions compare with the original; null: no file is open.
    void setSession(RunSession* session);
    QListWidget* list() const { return m_list; }

Q_SIGNALS:
    void copied(const QString& what);
    /// The recipe is to be written to a file: as a script for torch.fx, or as JSON.
    void saveRequested(bool asScript);

private:
    void showVersions();
    void showVerdicts();
    void copyRecipe();

    QPointer<Document> m_document;
    QPointer<RunSession> m_session;
    QLabel* m_about;
    QToolButton *m_copy, *m_save;
    QListWidget* m_list;
};

} // namespace ui
