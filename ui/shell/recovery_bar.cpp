// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/recovery_bar.h"

#include "ui/document/document_source.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/confirm_discard.h"
#include "ui/widgets/counted.h"

#include <QDateTime>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPushButton>

#include <algorithm>

namespace ui {

namespace {

/// Where the user last saved the edits; before that, what was opened.
QFileInfo fileOf(const fx::OrphanedJournal& journal) {
    const auto* save = journal.lastSave();
    return QFileInfo(QString::fromStdString(save && save->file ? save->file->path : journal.base().path));
}

/// Source that was never saved is in a file of Lancet's own, whose name the user does not know.
QString nameOf(const fx::OrphanedJournal& journal) {
    const QFileInfo file = fileOf(journal);
    return file.filePath().contains(QLatin1String("/lancet/new/untitled_")) ? RecoveryBar::tr("Untitled")
                                                                            : file.fileName();
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
    const QString path = fileOf(*m_offers.front()).filePath(); // as the text above names it
    const auto same = std::count_if(m_offers.begin() + 1, m_offers.end(),
                                    [&](const Journal& each) { return fileOf(*each).filePath() == path; });
    const auto others = static_cast<std::ptrdiff_t>(m_offers.size()) - 1 - same;
    QString text;
    if (same > 0)
        text += u' ' + (same == 1 ? tr("Another recovery of this file follows.")
                                  : tr("%1 other recoveries of this file follow.").arg(same));
    if (others > 0)
        text += u' ' + (others == 1 ? tr("Another file follows.") : tr("%1 other files follow.").arg(others));
    return text;
}

RecoveryBar::RecoveryBar(QString folder, QWidget* parent)
    : QFrame(parent), m_folder(std::move(folder)), m_text(new QLabel(this)),
      m_restore(new QPushButton(tr("Restore"), this)), m_apply(new QPushButton(tr("Apply to Changed File"), this)),
      m_discard(new QPushButton(tr("Discard"), this)), m_later(new QPushButton(tr("Later"), this)) {
    setObjectName(QStringLiteral("recoveryBar"));
    setAccessibleName(tr("Edits that can be restored"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_restore->setToolTip(tr("Open the file and apply the changes again"));
    m_apply->setToolTip(tr("Open the file as it is now and apply the changes to it, as a recipe"));
    m_discard->setToolTip(tr("Delete these changes permanently"));
    m_later->setToolTip(tr("Ask again with the next start, or when the file is opened"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 8, 6);
    row->addWidget(m_text, 1);
    for (QPushButton* button : {m_restore, m_apply, m_discard, m_later}) row->addWidget(button);
    connect(m_restore, &QPushButton::clicked, this, [this] { restore(false); });
    connect(m_apply, &QPushButton::clicked, this, [this] { restore(true); });
    connect(m_discard, &QPushButton::clicked, this, &RecoveryBar::discard);
    connect(m_later, &QPushButton::clicked, this, &RecoveryBar::later);
    hide();
}

void RecoveryBar::look(const QString& model) {
    // One search at a time: the new one also finds what the one before would have.
    const QString only = m_looking.running() ? QString() : model;
    m_looking.start([folder = m_folder.toStdString()](const fx::Progress&) { return fx::orphanedJournals(folder); },
                    this,
                    [this, model = only.toStdString()](const std::vector<Journal>& found) {
                        for (const Journal& journal : found)
                            if (model.empty() || journal->base().path == model) m_offers.push_back(journal);
                        offer();
                    });
}

void RecoveryBar::offer() {
    setVisible(!m_offers.empty());
    if (m_offers.empty()) return;
    const fx::OrphanedJournal& journal = *m_offers.front();
    const QFileInfo file = fileOf(journal);
    m_text->setText(tr("Lancet ended unexpectedly. Restore %1 of %2?").arg(contentOf(journal), nameOf(journal)) + u' ' +
                    lastChangeOf(journal) + followers());
    m_text->setToolTip(plainToolTip(file.filePath()));
    for (QPushButton* button : {m_restore, m_apply, m_discard, m_later}) button->setEnabled(true);
    m_apply->hide();
}

/// `onFile`: whatever the file is by now.
void RecoveryBar::restore(bool onFile) {
    const Journal journal = m_offers.front();
    for (QPushButton* button : {m_restore, m_apply, m_discard}) button->setEnabled(false);
    m_text->setText(tr("Restoring the edits of %1…").arg(nameOf(*journal)));
    m_restoring.start(
        [journal, onFile](const fx::Progress& progress) {
            const auto recover = onFile ? fx::recoverOnFile : fx::recover;
            return std::make_shared<fx::RecoveredModel>(recover(*journal, progress, DocumentSource::traceAgain));
        },
        this,
        [this, journal](const std::shared_ptr<fx::RecoveredModel>& model) {
            std::erase(m_offers, journal);
            Q_EMIT restored(journal, model);
            offer();
        },
        [this](const fx::Error& error) { refuse(error); });
}

/// The edits stay, for a time at which the file is what it was. When that cannot be, they may fit what it is now.
void RecoveryBar::refuse(const fx::Error& error) {
    offer();
    m_apply->setVisible(error.message().is("journal.other_state"));
    const QString file = error.file.empty() ? QString() : QString::fromStdString(error.file) + QStringLiteral(": ");
    m_text->setText(file + QString::fromUtf8(error.what()) +
                    (error.hint.empty() ? QString() : QStringLiteral(" – ") + QString::fromStdString(error.hint)));
}

void RecoveryBar::discard() {
    const QString name = nameOf(*m_offers.front());
    const bool sure = confirmDiscard(this, tr("Discard the edits of %1 that could be restored?").arg(name),
                                     tr("Discarded edits cannot be restored."));
    if (!sure || m_offers.empty()) return;
    m_offers.front()->discard();
    m_offers.erase(m_offers.begin());
    offer();
}

void RecoveryBar::later() {
    m_restoring.cancel();
    if (!m_offers.empty()) m_offers.erase(m_offers.begin());
    offer();
}

} // namespace ui
