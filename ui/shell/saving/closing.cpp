// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/closing.h"

#include "ui/document/document_source.h"
#include "ui/document/edit_text.h"
#include "ui/document/random_weights.h"
#include "ui/shell/operations/operation_list.h"
#include "ui/widgets/failure_box.h"
#include "ui/widgets/save_path.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {
constexpr int kBeforeDialog = 300; // ms: what is written sooner needs no dialog

QByteArray draftOf(const Document& document) { return document.draft() ? document.draft()->text : QByteArray(); }

/// The unapplied code that saving asks about. Source is saved as its text: nobody is asked then.
QByteArray draftAskedAbout(const Document& document) {
    return document.source() && !document.isDetached() ? QByteArray() : draftOf(document);
}

/// Source and graph are saved to two files.
QString changesOf(const Document& document) {
    const bool both = document.hasUnsavedSource() && document.hasUnsavedGraph();
    return (both ? Closing::tr("changes to the source and to the graph of %1") : Closing::tr("changes to %1"))
        .arg(document.file().title());
}

QString draftNote(const Document& document) {
    return document.draft() ? u' ' + Closing::tr("Its code is not applied yet.") : QString();
}

QString weightsNote(const Document& document) {
    const QString text = randomWeightsText(document.randomWeights().current().modules);
    return text.isEmpty() ? text : u' ' + text + u'.';
}

/// Its file has gone, whether somebody has noticed or not: what is open may be the only copy.
bool isLost(const Document& document) {
    return document.versions().history() && !document.file().path().isEmpty() &&
           !QFileInfo::exists(fileOnDisk(document.file().path()));
}

/// Everything but the unapplied code that saving was told to leave out: what was typed while it ran is in no file.
bool isSavedBut(const Document& document, const QByteArray& leftOut) {
    const bool isDrafted = document.draft() && document.draft()->text != leftOut;
    return !document.hasUnsavedSource() && !isDrafted && !document.hasUnsavedVersion();
}
} // namespace

Closing::Closing(const QList<Document*>& documents, SaveCenter& saves, QWidget* window)
    : QObject(window), m_saves(saves), m_window(window) {
    for (Document* document : documents) m_documents << document;
    m_patience.setSingleShot(true);
    m_patience.setInterval(kBeforeDialog);
    connect(&m_patience, &QTimer::timeout, this, &Closing::makeDialog);
}

Closing::~Closing() { delete m_dialog; }

void Closing::start() {
    if (!settle()) return finish(true);
    for (const auto& document : std::as_const(m_documents)) {
        if (!document) continue;
        // Later: what follows an operation begins when it has ended.
        connect(&document->operations(), &DocumentOperations::changed, this, &Closing::proceed, Qt::QueuedConnection);
        connect(document, &QObject::destroyed, this, &Closing::proceed, Qt::QueuedConnection);
    }
    proceed();
}

Closing::Discarded Closing::stateOf(const Document& document) { return {document.module(), draftOf(document)}; }

/// Closing it would lose changes, or the only copy.
bool Closing::isUnsaved(const Document& document) const {
    return (document.isModified() || isLost(document)) && !m_saves.isBeingSaved(document);
}

/// Asks about changes and about edits that still run, and begins to save; false: nothing is to be closed.
bool Closing::settle() {
    using Documents = UnsavedSheet::Documents;
    Documents toSave;
    bool runs = false;
    for (const auto& document : std::as_const(m_documents)) {
        if (!document) continue;
        if (isUnsaved(*document)) toSave << document;
        runs |= document->operations().isRunning(DocumentOperations::Kind::Edit);
    }
    if (toSave.isEmpty() && !runs) return true;
    Documents toDiscard;
    UnsavedAnswer answer = UnsavedAnswer::Cancel;
    if (toSave.size() == 1 && !runs) {
        Q_EMIT answerNeeded(toSave.front()); // one sees what one is asked about
        const QString question = tr("Save %1 before closing?").arg(changesOf(*toSave.front()));
        answer = askAboutChanges(m_window, question + draftNote(*toSave.front()) + weightsNote(*toSave.front()));
    } else {
        UnsavedSheet sheet(
            m_documents, [this](const Document& each) { return isUnsaved(each); }, m_window);
        sheet.exec();
        answer = sheet.answer();
        toSave = sheet.files(true), toDiscard = sheet.files(false);
    }
    if (answer == UnsavedAnswer::Cancel) return false;
    if (answer == UnsavedAnswer::Discard) toDiscard += std::exchange(toSave, {});
    for (const auto& document : std::as_const(toDiscard))
        if (document) m_discarded.insert(document, stateOf(*document));
    for (const auto& document : std::as_const(m_documents))
        if (document) m_saves.letGo(*document);
    for (const auto& document : std::as_const(toSave)) // a question may have turned the event loop
        if (document && !m_cancelled) save(*document); // no more dialogs after one was cancelled
    return true;
}

/// Tabs of one file: those that are given up do not keep others from writing it, and of those that are saved the first
/// one writes it. The others need files of their own.
void Closing::save(Document& document) {
    m_chosen << &document;
    m_saves.callBack(document);
    const QPointer<Document> still = &document; // a question turns the event loop
    const auto done = [closing = QPointer(this), document = &document](SaveJob::Outcome outcome) {
        if (!closing) return;
        if (outcome == SaveJob::Outcome::Saved) closing->m_saved << document;
        closing->m_cancelled |= outcome == SaveJob::Outcome::Cancelled;
        closing->m_stopped |= outcome != SaveJob::Outcome::Saved;
    };
    const auto refusal =
        document.file().target().isEmpty() ? std::nullopt : m_saves.refusal(document.file().target(), &document);
    if (refusal) {
        Q_EMIT answerNeeded(&document);
        tellFailure(m_window, tr("Could not save %1").arg(nameOfPath(document.file().target())), *refusal);
        if (still) m_saves.saveAs(document, done);
    } else {
        m_saves.saveAll(document, done);
    }
    if (still) m_leftOut.insert(still.data(), draftAskedAbout(*still));
}

void Closing::proceed() {
    if (m_done) return;
    bool busy = false;
    Document* asking = nullptr;
    for (const auto& document : std::as_const(m_documents)) {
        if (!document) continue;
        const DocumentOperations& operations = document->operations();
        busy |= operations.isWriting() ||
                (m_chosen.contains(document.data()) && operations.isRunning(DocumentOperations::Kind::Edit));
        if (!asking && m_saves.isAsking(*document)) asking = document;
    }
    if (!busy) return finish(false);
    if (asking && asking != m_asking) Q_EMIT answerNeeded(asking);
    m_asking = asking;
    waitFor(asking != nullptr);
}

void Closing::waitFor(bool asks) {
    if (asks) {
        m_patience.stop();
        if (m_dialog) m_dialog->hide(); // the question is what is to be seen
    } else if (m_dialog) {
        m_dialog->show();
    } else if (!m_patience.isActive()) {
        m_patience.start();
    }
}

void Closing::makeDialog() {
    m_dialog = new QDialog(m_window);
    m_dialog->setObjectName(QStringLiteral("closing"));
    m_dialog->setWindowTitle(tr("Saving Before Closing"));
    auto* about = new QLabel(tr("Lancet closes these files when they are saved."), m_dialog);
    auto* list = new OperationList(DocumentOperations::writes, m_dialog);
    list->setDocuments(m_documents);
    auto* buttons = new QDialogButtonBox(m_dialog);
    auto* cancel = buttons->addButton(tr("Stop and Keep Open"), QDialogButtonBox::RejectRole);
    cancel->setToolTip(tr("Cancel all that is being saved and keep the files open"));
    connect(cancel, &QPushButton::clicked, this, [this] {
        for (const auto& document : std::as_const(m_documents))
            if (document)
                for (const auto& each : std::vector(document->operations().running()))
                    if (DocumentOperations::writes(each.kind)) document->operations().cancel(each.id);
    });
    connect(m_dialog, &QDialog::rejected, this, [this] { finish(true); }); // what is written goes on, or is cancelled
    connect(buttons, &QDialogButtonBox::rejected, m_dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(m_dialog);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(12);
    column->addWidget(about);
    column->addWidget(list);
    column->addWidget(buttons);
    m_dialog->setMinimumWidth(440);
    m_dialog->show();
}

void Closing::raise() {
    if (m_asking) Q_EMIT answerNeeded(m_asking);
    if (m_dialog && m_dialog->isVisible()) m_dialog->raise();
}

/// Nothing that was done since the question is lost.
bool Closing::mayGo(Document& document) const {
    if (document.operations().isRunning(DocumentOperations::Kind::Edit)) return false;
    if (!document.isModified() && !isLost(document)) return true;
    if (m_saved.contains(&document)) return isSavedBut(document, m_leftOut.value(&document));
    const auto discarded = m_discarded.constFind(&document);
    if (discarded == m_discarded.constEnd()) return false;
    const Discarded now = stateOf(document);
    return discarded->version == now.version && discarded->draft == now.draft;
}

void Closing::finish(bool cancelled) {
    if (std::exchange(m_done, true)) return;
    m_patience.stop();
    if (m_dialog) m_dialog->hide();
    const bool stays = cancelled || m_stopped; // also what was to be discarded: the answer was for all of them
    QList<Document*> closable;
    bool all = !stays;
    for (const auto& document : std::as_const(m_documents)) {
        if (!document) continue;
        m_saves.callBack(*document);
        if (!stays && mayGo(*document)) closable << document;
        else all = false;
    }
    Q_EMIT finished(closable, all);
    deleteLater();
}

void reloadAsking(Document& document, const QString& modelName, const Reopen& reopen, SaveCenter& saves,
                  QWidget* window) {
    // Source is written without a job.
    const bool saving = saves.isSaving(document) || document.operations().isRunning(DocumentOperations::Kind::Save);
    if (saving || document.operations().isRunning(DocumentOperations::Kind::Edit)) {
        const fx::Message why = saving ? fx::Message("window.saving_now") : fx::Message("window.edit_running");
        const QString failure = Closing::tr("Could not reload %1").arg(document.file().title());
        return Q_EMIT document.operations().failed(failure, fx::Error(fx::ErrorKind::Refused, why));
    }
    if (!document.isModified()) return document.load(modelName);
    const QPointer<Document> still = &document;
    const QString question = Closing::tr("Save %1 before reloading it?").arg(changesOf(document));
    const QString note = draftNote(document), path = document.file().path();
    const auto answer =
        reopen ? askBeforeReload(window, document.file().title(), note) : askAboutChanges(window, question + note);
    if (!still || answer == UnsavedAnswer::Cancel) return;
    if (answer == UnsavedAnswer::Discard) return document.load(modelName);
    if (reopen)
        return saves.saveAs(document, [reopen, path](SaveJob::Outcome outcome) {
            if (outcome == SaveJob::Outcome::Saved) reopen(path);
        });
    const auto leftOut = std::make_shared<QByteArray>();
    saves.saveAll(document, [still, modelName, leftOut](SaveJob::Outcome outcome) {
        if (still && outcome == SaveJob::Outcome::Saved && isSavedBut(*still, *leftOut)) still->load(modelName);
    });
    if (still) *leftOut = draftAskedAbout(*still);
}

} // namespace ui
