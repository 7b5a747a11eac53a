// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/save_center.h"

#include "core/io/compilation/compilation.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/graphmodule/packed_params.h"
#include "ui/code/draft_check.h"
#include "ui/document/document_source.h"
#include "ui/shell/saving/draft_question.h"
#include "ui/shell/saving/source_saving.h"

#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QRegularExpression>

#include <algorithm>

namespace ui {

namespace {

SaveFormat asWritten() { return {QStringLiteral(".py"), SaveCenter::tr("Python source, as written (*.py)")}; }

/// Whether torch.load would not read a layer: it is a quantised convolution.
bool needsScript(const fx::GraphModule& model) {
    bool found = false;
    fx::forEachModule(
        *model.root, [&](const std::string&, const fx::Module& module) { found = found || fx::hasStateTuple(module); });
    return found;
}

/// What a file of the document's own format ends with, unless that cannot hold its model; a graph that no longer
/// follows its source is not that source.
QString ownEnding(const Document& document) {
    const fx::Format format = document.file().format();
    const bool isPickle = format == fx::Format::GraphModule || format == fx::Format::Folder ||
                          format == fx::Format::CompileGraph || (format == fx::Format::Python && document.isDetached());
    if (isPickle && needsScript(*document.module())) return QStringLiteral(".ts");
    switch (format) {
    case fx::Format::Pt2: return QStringLiteral(".pt2");
    case fx::Format::TorchScript: return QStringLiteral(".ts");
    case fx::Format::Lancet: return QStringLiteral(".lancet");
    case fx::Format::Folder: return QStringLiteral("/");
    case fx::Format::Ir: return QStringLiteral(".json");
    case fx::Format::Python: return document.isDetached() ? QStringLiteral(".pt") : QStringLiteral(".py");
    case fx::Format::GraphModule:
    case fx::Format::CompileGraph: break;
    }
    return QStringLiteral(".pt");
}

/// The formats that the document can be saved as, its own first.
std::vector<SaveFormat> formatsFor(const Document& document) {
    std::vector<SaveFormat> formats{
        {QStringLiteral(".pt2"), SaveCenter::tr("Exported program for torch.export.load (*.pt2)")},
        {QStringLiteral(".pt"), SaveCenter::tr("GraphModule for torch.load (*.pt)")},
        {QStringLiteral(".ts"), SaveCenter::tr("TorchScript for torch.jit.load, in Python and C++ (*.ts)")},
        {QStringLiteral(".lancet"), SaveCenter::tr("Lancet project, with all edits (*.lancet)")},
        {QStringLiteral("/"), SaveCenter::tr("Folder as to_folder writes it (*)")},
        {QStringLiteral(".json"), SaveCenter::tr("Lancet description (*.json)"), true},
        {QStringLiteral(".py"), SaveCenter::tr("Python source, without weights (*.py)")},
    };
    if (document.module()->format != fx::Format::Pt2)
        formats.erase(formats.begin()); // only these can be written as such
    if (document.source() && !document.isDetached()) formats.back() = asWritten();
    const QString ending = ownEnding(document);
    const auto own =
        std::find_if(formats.begin(), formats.end(), [&](const SaveFormat& format) { return format.ending == ending; });
    if (own != formats.end()) std::rotate(formats.begin(), own, own + 1);
    return formats;
}

/// The version that the last quantisation on the way to `version` made; null for none.
std::shared_ptr<const fx::GraphModule> quantisedBefore(const fx::History& history, const fx::GraphModule* version) {
    std::shared_ptr<const fx::GraphModule> last;
    for (const fx::History::Entry& entry : history.entries()) {
        if (entry.steps.has("quantize")) last = entry.model;
        if (entry.model.get() == version) return last;
    }
    return nullptr;
}

/// A version of the document was made by quantisation.
bool isQuantisedHere(const Document& document) {
    if (!document.versions().history()) return false;
    const auto& entries = document.versions().history()->entries();
    return std::any_of(entries.begin(), entries.end(),
                       [](const fx::History::Entry& entry) { return entry.steps.has("quantize"); });
}

/// Where the document's file is, or was, unless it has none of its own or nothing can be written there.
QString folderOf(const Document& document, const QString& otherwise) {
    QString file = fileOnDisk(document.file().path());
    if (file.isEmpty() || document.file().isUntitled()) return otherwise;
    while (file.endsWith(u'/')) file.chop(1);
    const QFileInfo folder(QFileInfo(file).absolutePath());
    return folder.isWritable() || !folder.exists() ? folder.filePath() : otherwise;
}

/// Why a model cannot be written to a folder: it holds other things, for example.
std::optional<fx::Error> folderRefusal(const QString& path) {
    if (!path.endsWith(u'/')) return std::nullopt;
    try {
        fx::checkFolderTarget(path.toStdString());
    } catch (const fx::Error& error) { return error; }
    return std::nullopt;
}

/// Whether a path is the document's file, or one of the files that its model was read from or written to.
bool isFileOf(const Document& document, const QString& path) {
    if (isSamePath(fileOnDisk(document.file().path()), path)) return true;
    const auto& known = document.file().onDisk();
    if (!known) return false;
    return isSamePath(QString::fromStdString(known->path), path) ||
           std::any_of(known->files.begin(), known->files.end(), [&](const fx::ModelIdentity::File& file) {
               return isSamePath(QString::fromStdString(known->pathOf(file)), path);
           });
}

/// The title with the extension of the first format; one that means the same stays. A part of a model ("net.pt ›
/// block") and a model that was quantised here are not to replace the one that they were made of.
QString proposedName(const Document& document, const QString& ending) {
    static const QRegularExpression apart(QStringLiteral("[/:]")); // in the ID of a stage
    const QString mark = QStringLiteral("_quantised");
    const QString title = QString(document.file().title()).replace(apart, QStringLiteral("_"));
    const bool keepsTitle = ending == QLatin1String("/") && document.file().format() == fx::Format::Folder;
    const QString between = QStringLiteral(" › ");
    const bool isPart = document.file().path().isEmpty() && title.contains(between);
    QString base = isPart ? title.section(between, -1) : keepsTitle ? title : QFileInfo(title).completeBaseName();
    if (isQuantisedHere(document)) {
        if (base.endsWith(mark)) base.chop(mark.size());
        if (quantisedBefore(*document.versions().history(), document.module().get())) base += mark;
    } else if (ending == QLatin1String(".pt") && title.endsWith(QLatin1String(".pth"), Qt::CaseInsensitive)) {
        return title;
    }
    return ending == QLatin1String("/") ? base : base + ending;
}

} // namespace

/// What is in a file that was not saved here, as after a crash, is not known. A project has all versions.
bool SaveCenter::targetIsOther(const Document& document) const {
    if (!document.versions().history() || document.file().format() == fx::Format::Lancet) return false;
    const auto known = m_origins.constFind(&document);
    if (known == m_origins.constEnd()) return isQuantisedHere(document);
    return quantisedBefore(*document.versions().history(), document.module().get()) != *known;
}

/// Source alone is not what the document is saved as.
void SaveCenter::noteOrigin(const Document& document, const SaveRequest& request) {
    if (document.file().target() != request.path) return;
    if (!m_origins.contains(&document))
        connect(&document, &QObject::destroyed, this, [this, gone = &document] { m_origins.remove(gone); });
    m_origins[&document] = quantisedBefore(request.history, request.version.get());
}

QString fileOnDisk(const QString& path) {
    const auto stage = fx::splitStagePath(path.toStdString());
    return stage ? QString::fromStdString(stage->first) : path;
}

SaveCenter::SaveCenter(SaveHost host)
    : QObject(host.window), m_host(std::move(host)),
      m_guard(new PathGuard(m_host.window, [this](const QString& path) { return refusal(path); })) {}

/// Of Python source, its text first; the graph's own edits need a file of their own.
void SaveCenter::save(Document& document, Done done) {
    if (document.isDetached() && document.hasUnsavedSource()) {
        const QPointer<Document> still = &document; // the dialog turns the event loop
        const QString path = sourcePath(document);
        if (!still || path.isEmpty()) return done ? done(SaveJob::Outcome::Cancelled) : void();
        if (!isRefused(document, path, done)) saveSource(document, path, done);
        return;
    }
    if (document.isDetached() || document.file().target().isEmpty() || targetIsOther(document))
        saveAs(document, std::move(done));
    else saveTo(document, document.file().target(), std::move(done));
}

void SaveCenter::saveAs(Document& document, Done done) {
    const QPointer<Document> still = &document; // the dialog turns the event loop
    const QString path = askPath(document, tr("Save %1 As").arg(document.file().title()), formatsFor(document));
    if (still && !path.isEmpty()) saveTo(document, path, std::move(done));
    else if (done) done(SaveJob::Outcome::Cancelled);
}

void SaveCenter::saveAll(Document& document, Done done) {
    if (!document.hasUnsavedSource() || !document.hasUnsavedGraph()) return save(document, std::move(done));
    const QPointer<Document> still = &document;
    const QString source = sourcePath(document);
    const QString graph =
        still && !source.isEmpty()
            ? askPath(document, tr("Save the Graph of %1 As").arg(document.file().title()), formatsFor(document))
            : QString();
    if (!still || graph.isEmpty()) return done ? done(SaveJob::Outcome::Cancelled) : void();
    if (isRefused(document, source, done) || isRefused(document, graph, done)) return;
    saveSource(document, source, [this, still, graph, done](SaveJob::Outcome outcome) {
        if (still && outcome == SaveJob::Outcome::Saved) saveTo(*still, graph, done);
        else if (done) done(outcome);
    });
}

QString SaveCenter::askPath(const Document& document, const QString& title,
                            const std::vector<SaveFormat>& formats) const {
    const QString folder = folderOf(document, m_host.folder()), name = proposedName(document, formats.front().ending);
    return askSavePath(
        m_host.window, title, QDir(folder).filePath(name), formats,
        [this, &document](const QString& path) {
            const auto inUse = refusal(path, &document);
            return inUse ? inUse : folderRefusal(path);
        },
        [this, &document](const QString& path) { return lossOf(document, path); });
}

/// The weights in floating point, if the file is the only one that has them.
std::optional<ReplacedLoss> SaveCenter::lossOf(const Document& document, const QString& path) const {
    if (!isFileOf(document, path) || !targetIsOther(document)) return std::nullopt;
    const bool hasFloat = m_origins.value(&document) == nullptr; // it was not saved here, or not after quantising
    if (!hasFloat || !quantisedBefore(*document.versions().history(), document.module().get())) return std::nullopt;
    return ReplacedLoss{tr("It is the file of this model in floating point. Quantising cannot be reversed: the weights "
                           "in floating point will be lost."),
                        tr("Replace with the Quantised Model")};
}

/// The file of the source; asked for before the first save. Empty: cancelled.
QString SaveCenter::sourcePath(const Document& document) const {
    if (!document.file().target().isEmpty()) return document.file().target();
    return askPath(document, tr("Save the Source of %1 As").arg(document.file().title()), {asWritten()});
}

std::optional<fx::Error> SaveCenter::refusal(const QString& path, const Document* writer) const {
    const auto refused = [](const QString& why) {
        return fx::Error(fx::ErrorKind::Refused, fx::Message("window.file_in_use", {{"reason", why.toStdString()}}));
    };
    const auto claims = [this] {
        const std::lock_guard lock(m_claims->mutex);
        return m_claims->open;
    }();
    for (const Claim& claim : claims)
        if (claim.document != writer && isSamePath(claim.path, path))
            return refused(tr("%1 is being saved from another tab").arg(nameOfPath(path)));
    for (const Document* other : m_host.documents())
        if (other != writer && !m_leaving.contains(other) && isFileOf(*other, path)) {
            const QString name = nameOfPath(path),
                          what = isLink(path) ? tr("%1, a link to %2,").arg(name, other->file().title()) : name;
            return refused((writer ? tr("%1 is open in another tab") : tr("%1 is open in a tab")).arg(what));
        }
    return std::nullopt;
}

/// As `done`; until it was called or dropped no other document writes the file. Saving may have to wait, for weights or
/// for code that is applied, before there is a job.
SaveCenter::Done SaveCenter::claiming(const Document& document, const QString& path, Done done) {
    const quint64 id = ++m_lastClaim;
    {
        const std::lock_guard lock(m_claims->mutex);
        m_claims->open.insert(id, {&document, path});
    }
    const std::shared_ptr<void> claim(nullptr, [claims = m_claims, id](void*) { claims->end(id); });
    return [claim, claims = m_claims, id, done = std::move(done)](SaveJob::Outcome outcome) {
        claims->end(id);
        if (done) done(outcome);
    };
}

void SaveCenter::letGo(Document& document) {
    m_leaving.insert(&document);
    connect(&document, &QObject::destroyed, this, [this, leaving = &document] { m_leaving.remove(leaving); });
}

bool SaveCenter::isRefused(const Document& document, const QString& path, const Done& done) const {
    const auto error = refusal(path, &document);
    if (!error) return false;
    Q_EMIT document.operations().failed(tr("Could not save %1").arg(nameOfPath(path)), *error);
    if (done) done(SaveJob::Outcome::Failed);
    return true;
}

void SaveCenter::saveTo(Document& document, const QString& path, Done done) {
    if (isRefused(document, path, done)) return;
    done = claiming(document, path, std::move(done));
    if (document.source()) return saveTraced(document, path, std::move(done));
    if (settleDraft(document, path, done)) enqueue(document, path, std::move(done));
}

void SaveCenter::saveSource(Document& document, const QString& path, Done done) {
    const QPointer<Document> still = &document;
    done = claiming(document, path, std::move(done));
    writeSource(document, path, m_host.window, [this, still, path, done](SaveJob::Outcome outcome) {
        if (outcome == SaveJob::Outcome::Saved) {
            const bool isAll = !still || !still->hasUnsavedGraph();
            Q_EMIT notified(isAll ? tr("Saved %1.").arg(path)
                                  : tr("Saved the source to %1. Save again to save the edits of its graph.").arg(path));
            Q_EMIT saved(path);
        }
        if (done) done(outcome);
    });
}

/// Python source is its text; what is traced from it can be written once it is whole and has weights.
void SaveCenter::saveTraced(Document& document, const QString& path, Done done) {
    const bool isText = path.endsWith(QLatin1String(".py"));
    if (isText && (!document.isDetached() || isSamePath(path, document.file().target())))
        return saveSource(document, path, done);
    const auto fail = [document = &document, path, done](const fx::Error& error) {
        Q_EMIT document->operations().failed(tr("Could not save %1").arg(nameOfPath(path)), error);
        if (done) done(SaveJob::Outcome::Failed);
    };
    whenDrawn(document, path, done, [this, document = &document, path, done, fail](const QString& problem) {
        if (document->isPartial())
            return fail(fx::Error(fx::ErrorKind::Refused, fx::Message("window.source_incomplete")));
        if (!problem.isEmpty())
            return fail(fx::Error(fx::ErrorKind::Refused,
                                  fx::Message("window.no_weights", {{"reason", problem.toStdString()}})));
        if (settleDraft(*document, path, done)) enqueue(*document, path, done);
    });
}

/// Weights that have no values yet are waited for as a part of saving, which can be cancelled.
void SaveCenter::whenDrawn(Document& document, const QString& path, const Done& done,
                           std::function<void(const QString& problem)> then) {
    if (document.source()->isDrawn()) return document.source()->whenDrawn(&document, std::move(then));
    auto* waiting = new QObject(&document);
    DocumentOperations& operations = document.operations();
    const auto id = std::make_shared<DocumentOperations::Id>(0);
    *id = operations.begin(DocumentOperations::Kind::Save, tr("Saving %1").arg(nameOfPath(path)),
                           [&operations, id, waiting, done] {
                               operations.end(*id);
                               delete waiting;
                               if (done) done(SaveJob::Outcome::Cancelled);
                           });
    document.source()->whenDrawn(waiting, [&operations, id, waiting, then = std::move(then)](const QString& problem) {
        operations.end(*id);
        waiting->deleteLater();
        then(problem);
    });
}

/// True when saving goes on now; else it was cancelled, or goes on when the code is applied.
bool SaveCenter::settleDraft(Document& document, const QString& path, const Done& done) {
    if (!document.draft()) return true;
    const QPointer<Document> still = &document;
    const DraftChoice choice = askAboutDraft(m_host.window, document.file().title(), document.draft()->fault);
    if (!still) return false;
    if (choice == DraftChoice::Without) return true;
    if (choice == DraftChoice::Cancel) {
        if (done) done(SaveJob::Outcome::Cancelled);
        return false;
    }
    applyDraft(document, [this, document = &document, path, done](bool applied) {
        if (applied) enqueue(*document, path, done);
        else if (done) done(SaveJob::Outcome::Failed);
    });
    return false;
}

SaveRequest SaveCenter::requestFor(Document& document, const QString& path) const {
    std::vector<std::shared_ptr<fx::Journal>> journals;
    for (const Document* each : m_host.documents())
        if (const auto& journal = each->journal().file()) journals.push_back(journal);
    return {path,
            document.module(),
            std::move(journals),
            *document.versions().history(),
            m_host.view(document).toStdString(),
            m_host.inputs(document),
            m_host.tried(document),
            m_host.worker()};
}

void SaveCenter::enqueue(Document& document, const QString& path, Done done) {
    Queue& queue = m_queues[&document];
    const auto waiting = std::find_if(queue.empty() ? queue.end() : queue.begin() + 1, queue.end(),
                                      [&](const Entry& entry) { return entry.job->request().path == path; });
    if (waiting != queue.end()) {
        waiting->job->replace(requestFor(document, path));
        waiting->done.push_back(std::move(done));
        return;
    }
    if (isAsking(document) && queue.front().job->request().path == path &&
        queue.front().job->request().version == document.module()) {
        queue.front().done.push_back(std::move(done));
        return queue.front().job->setInFront(m_front == &document);
    }
    auto* job = new SaveJob(document, requestFor(document, path), m_host.window);
    connect(job, &SaveJob::notified, this, &SaveCenter::notified);
    connect(job, &SaveJob::finished, this,
            [this, document = &document, job](SaveJob::Outcome outcome) { jobEnded(document, job, outcome); });
    connect(&document, &QObject::destroyed, this, [this, document = &document] { m_queues.remove(document); });
    queue.push_back({job, {std::move(done)}});
    if (queue.size() == 1) startNext(document);
}

void SaveCenter::startNext(Document& document) { m_queues[&document].front().job->start(m_front == &document); }

void SaveCenter::jobEnded(Document* document, SaveJob* job, SaveJob::Outcome outcome) {
    if (outcome == SaveJob::Outcome::Saved) {
        noteOrigin(*document, job->request());
        Q_EMIT saved(job->request().path);
    }
    Queue& queue = m_queues[document];
    const auto entry = std::find_if(queue.begin(), queue.end(), [&](const Entry& each) { return each.job == job; });
    const bool ran = entry == queue.begin();
    const std::vector<Done> done = std::move(entry->done);
    queue.erase(entry);
    const bool last = queue.empty();
    if (last) m_queues.remove(document);
    else if (ran) startNext(*document);
    for (const Done& each : done)
        if (each) each(outcome);
    if (last) Q_EMIT ended(document);
}

bool SaveCenter::isAsking(const Document& document) const {
    const auto queue = m_queues.constFind(&document);
    return queue != m_queues.constEnd() && !queue->empty() && queue->front().job->isAsking();
}

bool SaveCenter::isBeingSaved(const Document& document) const {
    const auto queue = m_queues.constFind(&document);
    if (queue == m_queues.constEnd() || document.draft() || document.hasUnsavedSource()) return false;
    const SaveRequest& last = queue->back().job->request();
    return last.version == document.module() && !last.path.endsWith(QLatin1String(".py"));
}

void SaveCenter::setInFront(Document* document) {
    m_front = document;
    for (auto queue = m_queues.begin(); queue != m_queues.end(); ++queue)
        queue->front().job->setInFront(queue.key() == document);
}

} // namespace ui
