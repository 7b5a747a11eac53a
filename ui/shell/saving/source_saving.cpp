// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/source_saving.h"

#include "core/files/replaced_file.h"
#include "core/journal/kept_base.h"
#include "ui/document/document_source.h"
#include "ui/widgets/overwrite_question.h"
#include "ui/widgets/save_path.h"

#include <QCoreApplication>

#include <algorithm>
#include <stop_token>

namespace ui {

namespace {
struct Texts {
    Q_DECLARE_TR_FUNCTIONS(ui::SourceSaving)
};
using Outcome = SaveJob::Outcome;
using Identity = std::optional<fx::ModelIdentity>;

/// What became of the file: it is as it was if it was cancelled, or if somebody else has written it meanwhile.
struct Written {
    enum class What { Done, Cancelled, ChangedOnDisk };
    What what = What::Done;
    Identity identity = {};
};

Written write(const QString& path, const QByteArray& text, const Identity& known, const std::stop_token& stop) {
    fx::ReplacedFile file(path.toStdString()); // before anything is asked: it may be refused
    if (known) {
        const Identity now = identityAt(path, {});
        if (now && !known->difference(*now).empty()) return {Written::What::ChangedOnDisk};
    }
    file.write(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    if (stop.stop_requested()) return {Written::What::Cancelled};
    fx::keepForJournals(fx::Journal::defaultFolder(), path.toStdString());
    file.commit();
    return {Written::What::Done, identityAt(path, {})};
}

bool mayOverwrite(const QString& path, QWidget* window) {
    OverwriteQuestion box(nameOfPath(path), window);
    box.exec();
    return box.isYes();
}

bool isWriting(const Document& document, const QString& label) {
    const auto& running = document.operations().running();
    return std::any_of(running.begin(), running.end(), [&](const DocumentOperations::Operation& each) {
        return each.kind == DocumentOperations::Kind::Save && each.label == label;
    });
}

/// Two writers at once could leave the older text in the file, and the newer one would take the other for a stranger.
void afterWriting(Document& document, const QString& label, const std::function<void()>& then) {
    if (!isWriting(document, label)) return then();
    auto* waiting = new QObject(&document);
    const auto began = std::make_shared<bool>(false);
    // Later: what the writer has found out is taken first.
    QObject::connect(
        &document.operations(), &DocumentOperations::changed, waiting,
        [waiting, began, &document, label, then] {
            if (*began || isWriting(document, label)) return;
            *began = true;
            waiting->deleteLater();
            then();
        },
        Qt::QueuedConnection);
}

/// The stop is the save's own: whether the file was written is known only when the work has ended.
void start(Document& document, const QString& path, const Identity& known, QWidget* window,
           const std::function<void(Outcome)>& done) {
    const QString name = nameOfPath(path);
    const QByteArray text = document.source()->text();
    std::stop_source stop;
    const auto id = document.operations().start<Written>(
        DocumentOperations::Kind::Save, {Texts::tr("Saving %1").arg(name), Texts::tr("Could not save %1").arg(name)},
        [path, text, known, token = stop.get_token()](const fx::Progress&) { return write(path, text, known, token); },
        [document = QPointer<Document>(&document), path, text, window, done](const Written& written) {
            if (!document) return;
            if (written.what == Written::What::Cancelled) return done(Outcome::Cancelled);
            if (written.what == Written::What::ChangedOnDisk) {
                if (mayOverwrite(path, window) && document) return start(*document, path, {}, window, done);
                return done(Outcome::Cancelled);
            }
            document->setSourceSaved(path, text, written.identity);
            done(Outcome::Saved);
        },
        [operations = &document.operations(), name, done](const fx::Error& error) {
            Q_EMIT operations->failed(Texts::tr("Could not save %1").arg(name), error);
            done(Outcome::Failed);
        });
    document.operations().setCancel(id, [stop, id, operations = &document.operations()]() mutable {
        stop.request_stop();
        operations->report(id, Texts::tr("Cancelling"), 0);
    });
}
} // namespace

void writeSource(Document& document, const QString& path, QWidget* window, std::function<void(Outcome)> done) {
    afterWriting(document, Texts::tr("Saving %1").arg(nameOfPath(path)), [&document, path, window, done] {
        start(document, path, isSamePath(document.file().target(), path) ? document.file().onDisk() : Identity(),
              window, done);
    });
}

} // namespace ui
