// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QDialog>
#include <QPointer>

class QListWidget;
class QPushButton;

namespace ui {

enum class UnsavedAnswer { Save, Discard, Cancel };

/// Asks what is to become of the changes of one document.
UnsavedAnswer askAboutChanges(QWidget* window, const QString& question);

/// Asks the same about several documents: those that are checked are saved, the others give up their changes.
class UnsavedSheet final : public QDialog {
    Q_OBJECT
public:
    UnsavedSheet(const QList<QPointer<Document>>& documents, QWidget* window);

    UnsavedAnswer answer() const { return m_answer; }
    /// Places in the list of documents.
    bool isChecked(qsizetype place) const;
    QListWidget* list() const { return m_list; }
    QPushButton* saveButton() const { return m_save; }
    QPushButton* discardButton() const { return m_discard; }

private:
    void showCount();
    void choose(UnsavedAnswer answer);

    UnsavedAnswer m_answer = UnsavedAnswer::Cancel;
    QListWidget* m_list;
    QPushButton *m_save, *m_discard;
};

} // namespace ui
