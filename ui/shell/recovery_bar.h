// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/recovery_offer.h"
#include "ui/tasks/task_slot.h"

#include <QFrame>

class QBoxLayout;
class QLabel;
class QPushButton;

namespace ui {

/// Non-modal bar above the documents that offers edits of a Lancet that crashed or was terminated, one file after the
/// other. A postponed offer returns at the next start or when the file is opened.
class RecoveryBar final : public QFrame {
    Q_OBJECT
public:
    using Journal = std::shared_ptr<fx::OrphanedJournal>; ///< a journal, locked while it is held

    /// `folder` contains the journals, `readers` read their models.
    explicit RecoveryBar(QString folder, fx::Readers readers = {}, QWidget* parent = nullptr);
    void setReaders(fx::Readers readers) { m_readers = std::move(readers); } ///< Replaces the readers.

    /// Looks for journals off the GUI thread; only for those of the file `model` unless it is empty.
    void look(const QString& model = {});

protected:
    void resizeEvent(QResizeEvent* event) override;

Q_SIGNALS:
    /// Emitted when the user accepted an offer and the edits have been restored.
    void restored(const std::shared_ptr<fx::OrphanedJournal>& journal,
                  const std::shared_ptr<fx::RecoveredModel>& model);

private:
    static QString contentOf(const fx::OrphanedJournal& journal);
    static QString questionOf(const RecoveryOffer& offer);
    static QString lastChangeOf(const fx::OrphanedJournal& journal);
    QString followers() const;
    void offer();
    void restore(bool onFile);
    void discard();
    void later();
    void refuse(const fx::Error& error);

    QString m_folder;
    fx::Readers m_readers;
    std::vector<RecoveryOffer> m_offers; ///< the first is shown
    QLabel* m_text;
    QPushButton *m_restore, *m_apply, *m_discard, *m_later;
    QBoxLayout *m_row, *m_buttons;
    TaskSlot<std::vector<RecoveryOffer>> m_looking{"recovery.look"};
    TaskSlot<std::shared_ptr<fx::RecoveredModel>> m_restoring{"recovery.restore"};
};

} // namespace ui
