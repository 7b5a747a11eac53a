// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QDialog>
#include <QPointer>

class QLabel;
class QListWidget;
class QPushButton;

namespace ui {

class OperationList;

/// The answer to a question about unsaved changes.
enum class UnsavedAnswer { Save, Discard, Cancel };

/// Asks whether to save or discard the changes of one document.
UnsavedAnswer askAboutChanges(QWidget* window, const QString& question);

/// Asks whether to save the changes of a document whose file changed on disk before it is read again. They can only be
/// saved to another file.
UnsavedAnswer askBeforeReload(QWidget* window, const QString& name, const QString& note);

/// Dialog that shows what closing documents would lose: running edits and unsaved changes. While edits run, it shows
/// their progress and can cancel them. Then it asks about the changes: it saves those of checked files and discards the
/// others. It closes when there is nothing left to ask.
class UnsavedSheet final : public QDialog {
    Q_OBJECT
public:
    using Documents = QList<QPointer<Document>>; ///< null once a document is destroyed

    /// `isUnsaved` is true for documents with changes that would be lost.
    UnsavedSheet(Documents documents, std::function<bool(const Document&)> isUnsaved, QWidget* window);

    UnsavedAnswer answer() const { return m_answer; } ///< The user's answer; Cancel by default.
    /// The files with unsaved changes that are checked, or those that are not.
    Documents files(bool checked) const;
    QListWidget* list() const { return m_list; }             ///< The files with unsaved changes.
    OperationList* running() const { return m_running; }     ///< The running edits.
    QPushButton* saveButton() const { return m_save; }       ///< Saves the checked files.
    QPushButton* discardButton() const { return m_discard; } ///< Discards all changes.
    QPushButton* stopButton() const { return m_stop; }       ///< Cancels the running edits.

private:
    void showState();
    void listFiles();
    void showCount();
    void cancelRunning();
    void choose(UnsavedAnswer answer);

    Documents m_documents, m_unsaved; ///< `m_unsaved`: in the order of the list
    std::function<bool(const Document&)> m_isUnsaved;
    UnsavedAnswer m_answer = UnsavedAnswer::Cancel;
    OperationList* m_running;
    QListWidget* m_list;
    QLabel *m_waiting, *m_intro, *m_about;
    QPushButton *m_save, *m_discard, *m_stop, *m_keep;
};

} // namespace ui
