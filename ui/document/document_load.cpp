// SPDX-License-Identifier: GPL-3.0-or-later
// How a document comes from its file: what there is stays until all of the new one is there.
#include "ui/document/document.h"

#include "core/files/read_text.h"
#include "core/journal/kept_base.h"
#include "core/python/imports/sources.h"
#include "ui/document/document_source.h"
#include "ui/widgets/core_text.h"

#include <QFileInfo>

namespace ui {

namespace {
/// Returns the name of the file: "net.py", also for "net.py:Net".
QString nameOf(const QString& path) {
    const auto source = fx::splitSourcePath(path.toStdString());
    const QString file = source ? QString::fromStdString(source->file) : path;
    return visible(file.section(u'/', -1, -1, QString::SectionSkipEmpty));
}
} // namespace

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
} // namespace

/// A model that follows its source is made again without anybody having changed it.
std::function<bool()> Document::unchangedSince() const {
    const auto typed = [this] {
        return std::pair(m_draft ? m_draft->text : QByteArray(), m_source ? m_source->text() : QByteArray());
    };
    return [this, typed, module = m_module, before = typed()] {
        const bool follows = m_source && !isDetached();
        return (follows || m_module == module) && typed() == before;
    };
}

void Document::load(const QString& modelName) {
    const bool again = m_state == State::Ready;
    // Other models are in the file that was opened, and so is the source that a model follows.
    const QString path = modelName.isEmpty() && !m_source ? file() : m_path;
    const QString name = nameOf(path);
    m_operations->cancel(DocumentOperations::Kind::Open);
    if (!again) setState(State::Loading);
    const QString failure = (again ? tr("Could not reload %1") : tr("Could not open %1")).arg(name);
    fx::OpenOptions options;
    options.modelName = modelName.toStdString();
    options.readers = m_readers;
    options.keepsContent = true; // scripts write their models again while they are open
    const bool follows = modelName.isEmpty() && path == m_path;
    const SourceChoices choices = choicesToLoad(path);
    m_operations->start<LoadedFile>(
        DocumentOperations::Kind::Open, {(again ? tr("Reloading %1") : tr("Opening %1")).arg(name), failure},
        [path = path.toStdString(), options, follows, choices](const fx::Progress& progress) {
            return loadedFile(path, options, follows ? &choices : nullptr, progress);
        },
        [this, again, path, choices, failure, unchanged = unchangedSince()](LoadedFile loaded) {
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
        endJournal();
        m_path = path;
        m_title = part.isEmpty() ? nameOf(path) : fromCore(loaded.found.part);
        m_onDisk = loaded.identity;
        const std::size_t version = model->history.current();
        if (loaded.identity)
            m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(*loaded.identity),
                                                           version, std::move(loaded.content)));
        m_target = m_path.endsWith(QLatin1String(".lancet")) || m_path == m_awaited ? m_path : QString();
        m_projectInputs = std::move(model->inputs);
        take({std::move(model->history), version, {}});
        restoreView(model->view);
    }
    if (loaded.found.kind == fx::FileKind::Dump) Q_EMIT dumpFound(file, part);
}

void Document::setAwaited(const QString& path) {
    m_awaited = path;
    if (m_path == path && m_target.isEmpty()) m_target = path;
}

} // namespace ui
