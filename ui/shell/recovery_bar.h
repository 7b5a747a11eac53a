// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/journal/recovery.h"
#include "ui/tasks/task_slot.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

/// Offers edits that a Lancet that ended unexpectedly left behind, one file after the other: a bar that appears above
/// the documents and hinders nobody. An offer that is put off comes again with the next start or when the file is
/// opened.
class RecoveryBar final : public QFrame {
    Q_OBJECT
public:
    using Journal = std::shared_ptr<fx::OrphanedJournal>;

    /// `folder`: where the journals are.
    explicit RecoveryBar(QString folder, QWidget* parent = nullptr);

    /// Looks for journals, off the GUI thread; `model`: only those of that file.
    void look(const QString& model = {});

Q_SIGNALS:
    /// The user wants these edits, and they are there again.
    void restored(const std::shared_ptr<fx::OrphanedJournal>& journal,
                  const std::shared_ptr<fx::RecoveredModel>& model);

private:
    static QString contentOf(const fx::OrphanedJournal& journal);
    static QString lastChangeOf(const fx::OrphanedJournal& journal);
    QString followers() const;
    void offer();
    void restore(bool onFile);
    void discard();
    void later();
    void refuse(const fx::Error& error);

    QString m_folder;
    std::vector<Journal> m_offers; ///< the first one is shown; each is locked as long as it stands here
    QLabel* m_text;
    QPushButton *m_restore, *m_apply, *m_discard, *m_later;
    TaskSlot<std::vector<Journal>> m_looking{"recovery.look"};
    TaskSlot<std::shared_ptr<fx::RecoveredModel>> m_restoring{"recovery.restore"};
};

} // namespace ui
