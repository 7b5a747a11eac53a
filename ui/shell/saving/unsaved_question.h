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

enum class UnsavedAnswer { Save, Discard, Cancel };

/// Asks what is to become of the changes of one document.
UnsavedAnswer askAboutChanges(QWidget* window, const QString& question);

/// Asks what is to become of the changes of a document that was changed on disk and is to be read again: they can be
/// saved to another file only.
UnsavedAnswer askBeforeReload(QWidget* window, const QString& name, const QString& note);

/// What closing documents would lose: edits that still run, and changes that are not saved. While something runs, the
/// sheet shows how far it is and can cancel it; then it asks about the changes: those of checked files are saved, the
/// others are given up. It closes by itself when nothing is left to ask.
class UnsavedSheet final : public QDialog {
    Q_OBJECT
public:
    using Documents = QList<QPointer<Document>>;

    /// `isUnsaved`: a document has changes that would be lost.
    UnsavedSheet(Documents documents, std::function<bool(const Document&)> isUnsaved, QWidget* window);

    UnsavedAnswer answer() const { return m_answer; }
    /// The files with unsaved changes that are checked, or that are not.
    Documents files(bool checked) const;
    QListWidget* list() const { return m_list; }
    OperationList* running() const { return m_running; }
    QPushButton* saveButton() const { return m_save; }
    QPushButton* discardButton() const { return m_discard; }
    QPushButton* stopButton() const { return m_stop; }

private:
    void showState();
    void listFiles();
    void showCount();
    void cancelRunning();
    void choose(UnsavedAnswer answer);

    Documents m_documents, m_unsaved; ///< unsaved: in the order of the list
    std::function<bool(const Document&)> m_isUnsaved;
    UnsavedAnswer m_answer = UnsavedAnswer::Cancel;
    OperationList* m_running;
    QListWidget* m_list;
    QLabel *m_waiting, *m_intro, *m_about;
    QPushButton *m_save, *m_discard, *m_stop, *m_keep;
};

} // namespace ui
