// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/source_saving.h"

#include "core/files/replaced_file.h"
#include "core/model_files/journal/kept_base.h"
#include "ui/document/document_source.h"
#include "ui/shell/saving/save_path.h"
#include "ui/widgets/overwrite_question.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {
struct Texts {
    Q_DECLARE_TR_FUNCTIONS(ui::SourceSaving)
};
using Outcome = SaveJob::Outcome;
using Identity = std::optional<fx::ModelIdentity>;

/// Nothing when somebody else has written the file meanwhile.
struct Written {
    bool changedOnDisk = false;
    Identity identity;
};

Written write(const QString& path, const QByteArray& text, const Identity& known, const fx::Progress& progress) {
    fx::ReplacedFile file(path.toStdString()); // before anything is asked: it may be refused
    if (known) {
        const Identity now = identityAt(path, {});
        if (now && !known->difference(*now).empty()) return {true, {}};
    }
    file.write(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
    progress.check(); // a cancelled save leaves the file
    fx::keepForJournals(fx::Journal::defaultFolder(), path.toStdString());
    file.commit();
    return {false, identityAt(path, {})};
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

void start(Document& document, const QString& path, const Identity& known, QWidget* window,
           const std::function<void(Outcome)>& done) {
    const QString name = nameOfPath(path);
    const QByteArray text = document.source()->text();
    document.operations().start<Written>(
        DocumentOperations::Kind::Save, {Texts::tr("Saving %1").arg(name), Texts::tr("Could not save %1").arg(name)},
        [path, text, known](const fx::Progress& progress) { return write(path, text, known, progress); },
        [document = QPointer<Document>(&document), path, text, window, done](const Written& written) {
            if (!document) return;
            if (written.changedOnDisk) {
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
}
} // namespace

void writeSource(Document& document, const QString& path, QWidget* window, std::function<void(Outcome)> done) {
    afterWriting(document, Texts::tr("Saving %1").arg(nameOfPath(path)), [&document, path, window, done] {
        start(document, path, isSamePath(document.target(), path) ? document.onDisk() : Identity(), window, done);
    });
}

} // namespace ui
