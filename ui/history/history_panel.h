// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QListWidget;
class QToolButton;

namespace ui {

/// Panel that lists the versions of the document, newest last, with times and verdicts. Choosing a version goes to it.
/// Undone versions are muted below the current one. The steps can be copied as a recipe.
class HistoryPanel final : public QWidget {
    Q_OBJECT
public:
    /// Creates a panel without a document.
    explicit HistoryPanel(QWidget* parent = nullptr);
    /// Shows the history of `document`; null clears the panel.
    void setDocument(Document* document);
    /// Sets the session whose verdicts compare the versions with the original; null if no file is open.
    void setSession(RunSession* session);
    QListWidget* list() const { return m_list; } ///< The versions, one row each.

Q_SIGNALS:
    /// Emitted after `what` was copied to the clipboard.
    void copied(const QString& what);
    /// Emitted when the user saves the recipe to a file, as a script for torch.fx or as JSON.
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
