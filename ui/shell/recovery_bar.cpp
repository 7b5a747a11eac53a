// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/recovery_bar.h"

#include "ui/document/document_source.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/confirm_discard.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/wrapped_label.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {
/// There is nothing but a journal whose edits are damaged.
bool isLost(const RecoveryOffer& offer) {
    return offer.journal->isDamaged() && offer.journal->problem().empty() && !offer.journal->hasChanges() &&
           !offer.isOnlyCopy;
}
} // namespace

/// "unsaved source, 2 changes and unapplied code".
QString RecoveryBar::contentOf(const fx::OrphanedJournal& journal) {
    const std::size_t changes = journal.unsavedChanges();
    const bool hasSource = journal.draft() && journal.draft()->source,
               hasCode = journal.draft() && journal.draft()->code;
    QStringList parts;
    if (hasSource) parts << tr("unsaved source");
    if (changes > 0) parts << counted(changes, tr("1 change"), tr("%1 changes"));
    if (hasCode) parts << tr("unapplied code");
    if (parts.isEmpty()) return tr("edits"); // that cannot be read
    if (parts.size() < 2) return parts.join(QString());
    const QString last = parts.takeLast();
    return tr("%1 and %2").arg(parts.join(QStringLiteral(", ")), last);
}

/// What can be restored, and what cannot.
QString RecoveryBar::questionOf(const RecoveryOffer& offer) {
    const fx::OrphanedJournal& journal = *offer.journal;
    if (isLost(offer)) return tr("The crash journal of %1 is damaged: its edits cannot be restored.").arg(offer.name);
    const QString text =
        offer.isOnlyCopy
            ? (journal.wasLeft() ? tr("Unsaved work of the last session was kept. %1 has changed or gone from the disk "
                                      "since it was opened. Restore it as it was?")
                                 : tr("Lancet ended unexpectedly. %1 has changed or gone from the disk since it was "
                                      "opened. Restore it as it was?"))
                  .arg(offer.name)
            : (journal.wasLeft() ? tr("Unsaved work of the last session was kept. Restore %1 of %2?")
                                 : tr("Lancet ended unexpectedly. Restore %1 of %2?"))
                  .arg(contentOf(journal), offer.name);
    return journal.isDamaged() ? text + u' ' + tr("The crash journal is damaged: later edits cannot be restored.")
                               : text;
}

/// "Last changed 11/26/26 4:52 PM. Last edit: Rename mul.", which tells several recoveries of one file apart. What was
/// changed last may be an edit that was undone.
QString RecoveryBar::lastChangeOf(const fx::OrphanedJournal& journal) {
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(journal.lastTime().time_since_epoch()).count();
    const QString time = QLocale().toString(QDateTime::fromMSecsSinceEpoch(milliseconds), QLocale::ShortFormat);
    const auto* edit = journal.lastEdit();
    return edit && !edit->name.empty() ? tr("Last changed %1. Last edit: %2.").arg(time, elided(edit->name, 60))
                                       : tr("Last changed %1.").arg(time);
}

/// " Another recovery of this file follows.", " 3 other files follow."
QString RecoveryBar::followers() const {
    if (m_offers.size() < 2) return {};
    const QString path = m_offers.front().path; // as the text above names it
    const auto same = std::count_if(m_offers.begin() + 1, m_offers.end(),
                                    [&](const RecoveryOffer& each) { return each.path == path; });
    const auto others = static_cast<std::ptrdiff_t>(m_offers.size()) - 1 - same;
    QString text;
    if (same > 0)
        text += u' ' + counted(qint64(same), tr("Another recovery of this file follows."),
                               tr("%1 other recoveries of this file follow."));
    if (others > 0) text += u' ' + counted(qint64(others), tr("Another file follows."), tr("%1 other files follow."));
    return text;
}

RecoveryBar::RecoveryBar(QString folder, fx::Readers readers, QWidget* parent)
    : QFrame(parent), m_folder(std::move(folder)), m_readers(std::move(readers)), m_text(new WrappedLabel(this)),
      m_restore(new QPushButton(tr("Restore"), this)), m_apply(new QPushButton(tr("Apply to Changed File"), this)),
      m_discard(new QPushButton(tr("Discard"), this)), m_later(new QPushButton(tr("Later"), this)) {
    setObjectName(QStringLiteral("recoveryBar"));
    setAccessibleName(tr("Edits that can be restored"));
    m_text->setTextFormat(Qt::PlainText);
    m_restore->setToolTip(tr("Open the file and apply the changes again"));
    m_apply->setToolTip(tr("Open the file as it is now and apply the changes to it, as a recipe"));
    m_discard->setToolTip(tr("Delete these changes permanently"));
    m_later->setToolTip(tr("Ask again with the next start, or when the file is opened"));
    m_row = new QBoxLayout(QBoxLayout::LeftToRight, this);
    m_row->setContentsMargins(10, 6, 8, 6);
    m_row->addWidget(m_text, 1);
    m_buttons = new QHBoxLayout;
    for (QPushButton* button : {m_restore, m_apply, m_discard, m_later}) m_buttons->addWidget(button);
    m_row->addLayout(m_buttons);
    connect(m_restore, &QPushButton::clicked, this, [this] { restore(false); });
    connect(m_apply, &QPushButton::clicked, this, [this] { restore(true); });
    connect(m_discard, &QPushButton::clicked, this, &RecoveryBar::discard);
    connect(m_later, &QPushButton::clicked, this, &RecoveryBar::later);
    hide();
}

/// In a narrow window the buttons go below the text, which would have a word in each line beside them.
void RecoveryBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    const bool isNarrow = width() < 2 * m_buttons->sizeHint().width();
    m_row->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

void RecoveryBar::look(const QString& model) {
    // One search at a time: the new one also finds what the one before would have.
    const QString only = m_looking.running() ? QString() : model;
    m_looking.start(
        [folder = m_folder.toStdString()](const fx::Progress&) {
            std::vector<RecoveryOffer> offers;
            for (const Journal& journal : fx::orphanedJournals(folder)) offers.push_back(recoveryOffer(journal));
            return offers;
        },
        this,
        [this, model = only.toStdString()](const std::vector<RecoveryOffer>& found) {
            for (const RecoveryOffer& each : found)
                if (model.empty() || each.journal->base().path == model) m_offers.push_back(each);
            offer();
        });
}

void RecoveryBar::offer() {
    setVisible(!m_offers.empty());
    if (m_offers.empty()) return;
    const RecoveryOffer& first = m_offers.front();
    m_text->setText(questionOf(first) + u' ' + lastChangeOf(*first.journal) + followers());
    m_text->setToolTip(plainToolTip(first.preview.isEmpty() ? visible(first.path) : first.preview));
    m_restore->setVisible(!isLost(first));
    for (QPushButton* button : {m_restore, m_apply, m_discard, m_later}) button->setEnabled(true);
    m_apply->hide();
}

/// `onFile`: whatever the file is by now.
void RecoveryBar::restore(bool onFile) {
    const Journal journal = m_offers.front().journal;
    for (QPushButton* button : {m_restore, m_apply, m_discard}) button->setEnabled(false);
    m_text->setText(tr("Restoring the edits of %1…").arg(m_offers.front().name));
    m_restoring.start(
        [journal, onFile, readers = m_readers](const fx::Progress& progress) {
            const auto recover = onFile ? fx::recoverOnFile : fx::recover;
            const auto trace = [&](const std::string& text, const std::string& path, const std::string& choices,
                                   const fx::Progress& tracing) {
                return DocumentSource::traceAgain(text, path, choices, readers, tracing);
            };
            return std::make_shared<fx::RecoveredModel>(recover(*journal, progress, {trace, readers}));
        },
        this,
        [this, journal](const std::shared_ptr<fx::RecoveredModel>& model) {
            std::erase_if(m_offers, [&](const RecoveryOffer& each) { return each.journal == journal; });
            Q_EMIT restored(journal, model);
            offer();
        },
        [this](const fx::Error& error) { refuse(error); });
}

/// The edits stay, for a time at which the file is what it was. When that cannot be, they may fit what it is now.
void RecoveryBar::refuse(const fx::Error& error) {
    offer();
    m_apply->setVisible(error.message().is("journal.other_state"));
    const QString file = error.file.empty() ? QString() : fromCore(error.file) + QStringLiteral(": ");
    m_text->setText(file + linesFromCore(error.what()) +
                    (error.hint.empty() ? QString() : QStringLiteral(" – ") + linesFromCore(error.hint)));
}

void RecoveryBar::discard() {
    const QString name = m_offers.front().name;
    const bool sure = confirmDiscard(this, tr("Discard the edits of %1 that could be restored?").arg(name),
                                     tr("Discarded edits cannot be restored."));
    if (!sure || m_offers.empty()) return;
    m_offers.front().journal->discard();
    m_offers.erase(m_offers.begin());
    offer();
}

void RecoveryBar::later() {
    m_restoring.cancel();
    if (!m_offers.empty()) m_offers.erase(m_offers.begin());
    offer();
}

} // namespace ui
