// SPDX-License-Identifier: GPL-3.0-or-later
// How a document comes from its file: what there is stays until all of the new one is there.
#include "ui/document/document.h"

#include "core/files/read_text.h"
#include "core/journal/kept_base.h"
#include "core/python/imports/sources.h"
#include "ui/document/document_source.h"

namespace ui {

/// What a file turned out to be: a model, a source, or with neither the dump of a compilation.
struct LoadedFile {
    fx::ModelFile found;
    std::optional<fx::ModelIdentity> identity = {};
    std::optional<fx::ProjectHistory> model = {}; ///< with the versions of a project
    fx::Journal::Content content = {};            ///< of the model
    std::optional<DocumentSource::Start> source = {};
};

namespace {

/// Follows Python source if `choices` is not null. The identity is taken before the content is read, so that a change
/// in between is one for the journal.
LoadedFile loadedFile(const std::string& path, const fx::OpenOptions& options, const SourceChoices* choices,
                      const fx::Progress& progress) {
    LoadedFile loaded;
    try {
        loaded.identity = fx::ModelIdentity::of(path, options.modelName);
    } catch (const fx::Error&) {
        // Opening it says what is wrong.
    }
    loaded.found = fx::findModel(path, options.keepsContent);
    const fx::ModelFile& found = loaded.found;
    if (choices && found.kind == fx::FileKind::Source) {
        if (!loaded.identity) loaded.identity = fx::ModelIdentity::of(found.path);
        const std::string text = fx::readTextFile(found.path, fx::python::Sources::kMaxBytes);
        loaded.source = DocumentSource::traceText(QString::fromStdString(found.path), QByteArray::fromStdString(text),
                                                  *choices, false, options.readers, progress);
    } else if (found.kind != fx::FileKind::Dump || !found.part.empty()) {
        const auto model = fx::openModel(found, options, progress);
        if (loaded.identity) loaded.content = fx::contentOf(*loaded.identity, *model);
        loaded.model = fx::projectHistoryOf(model, progress, options.keepsContent, options.readers);
    }
    return loaded;
}

/// Returns a predicate: true while model and text are unchanged. It protects changes made while a file is read. A model
/// that follows its source is made again without anybody having changed it.
std::function<bool()> unchangedSince(const Document& document) {
    const auto typed = [&document] {
        const DocumentSource* source = document.source();
        return std::pair(document.draft() ? document.draft()->text : QByteArray(),
                         source ? source->text() : QByteArray());
    };
    return [&document, typed, module = document.module(), before = typed()] {
        const bool follows = document.source() && !document.isDetached();
        return (follows || document.module() == module) && typed() == before;
    };
}

/// "net.py:Net" is the file with a choice.
SourceChoices choicesToLoad(const Document& document, const QString& path) {
    SourceChoices choices = document.source() ? document.source()->choices()
                                              : SourceChoices::fromJson(document.panelViews().of(kSourceView));
    if (const auto source = fx::splitSourcePath(path.toStdString()); source && !source->name.empty())
        choices.name = QString::fromStdString(source->name);
    return choices;
}
} // namespace

void Document::load(const QString& modelName) {
    const bool again = m_state == State::Ready;
    // Other models are in the file that was opened, and so is the source that a model follows.
    const QString path = modelName.isEmpty() && !m_source ? m_file->path() : m_file->opened();
    const QString name = fileTitle(path);
    m_operations->cancel(DocumentOperations::Kind::Open);
    if (!again) setState(State::Loading);
    const QString failure = (again ? tr("Could not reload %1") : tr("Could not open %1")).arg(name);
    fx::OpenOptions options;
    options.modelName = modelName.toStdString();
    options.readers = m_readers;
    options.keepsContent = true; // scripts write their models again while they are open
    const bool follows = modelName.isEmpty() && path == m_file->opened();
    const SourceChoices choices = choicesToLoad(*this, path);
    m_operations->start<LoadedFile>(
        DocumentOperations::Kind::Open, {(again ? tr("Reloading %1") : tr("Opening %1")).arg(name), failure},
        [path = path.toStdString(), options, follows, choices](const fx::Progress& progress) {
            return loadedFile(path, options, follows ? &choices : nullptr, progress);
        },
        [this, again, path, choices, failure, unchanged = unchangedSince(*this)](LoadedFile loaded) {
            if (!again || unchanged()) return adopt(std::move(loaded), path, choices);
            Q_EMIT m_operations->failed(failure,
                                        fx::Error(fx::ErrorKind::Refused, fx::Message("window.changed_on_reload")));
        },
        [this, again, failure](const fx::Error& error) {
            if (again) Q_EMIT m_operations->failed(failure, error);
            else fail(error);
        });
}

/// The edits of what was there before are given up, and so is their journal.
void Document::adopt(LoadedFile loaded, const QString& path, const SourceChoices& choices) {
    const QString file = QString::fromStdString(loaded.found.path), part = QString::fromStdString(loaded.found.part);
    if (loaded.source)
        return adoptSource(file, std::move(*loaded.identity),
                           new DocumentSource(file, std::move(*loaded.source), choices, m_readers, this));
    if (fx::ProjectHistory* const model = loaded.model ? &*loaded.model : nullptr) {
        m_journal->end();
        m_file->open(path, part, loaded.identity);
        const std::size_t version = model->history.current();
        if (loaded.identity)
            m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(*loaded.identity),
                                                           version, std::move(loaded.content)));
        m_projectInputs = std::move(model->inputs);
        take({std::move(model->history), version, {}});
        restoreView(model->view);
    }
    if (loaded.found.kind == fx::FileKind::Dump) Q_EMIT dumpFound(file, part);
}

} // namespace ui
