// SPDX-License-Identifier: GPL-3.0-or-later
// How a document comes from its file: what there is stays until all of the new one is there.
#include "ui/document/document.h"

#include "core/io/compilation/compilation.h"
#include "core/model_files/journal/kept_base.h"
#include "ui/document/document_source.h"

#include <QFileInfo>

namespace ui {

Document::Opened Document::open(const std::string& path, const fx::OpenOptions& options, const fx::Progress& progress) {
    std::optional<fx::ModelIdentity> identity;
    // Before the model is read, so that a change in between is one for the journal.
    try {
        identity = fx::ModelIdentity::of(path, options.modelName);
    } catch (const fx::Error&) {
        // Opening it says what is wrong.
    }
    const auto model = fx::openModel(path, options, progress);
    auto content = identity ? fx::contentOf(*identity, *model) : fx::Journal::Content();
    return {fx::projectHistoryOf(model, progress, options.keepsContent), std::move(identity), std::move(content)};
}

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
    if (modelName.isEmpty() && !m_path.isEmpty() && fx::isPythonSource(m_path.toStdString())) return loadSource(m_path);
    const QString path = modelName.isEmpty() ? file() : m_path; // other models are in the file that was opened
    const QString name = QFileInfo(path.endsWith(u'/') ? path.chopped(1) : path).fileName();
    m_operations->cancel(DocumentOperations::Kind::Open);
    if (!again) setState(State::Loading);
    const QString failure = (again ? tr("Could not reload %1") : tr("Could not open %1")).arg(name);
    fx::OpenOptions options;
    options.modelName = modelName.toStdString();
    options.keepsContent = true; // scripts write their models again while they are open
    m_operations->start<Opened>(
        DocumentOperations::Kind::Open, {(again ? tr("Reloading %1") : tr("Opening %1")).arg(name), failure},
        [path = path.toStdString(), options](const fx::Progress& progress) { return open(path, options, progress); },
        [this, again, path, failure, unchanged = unchangedSince()](Opened opened) {
            if (!again || unchanged()) return adopt(std::move(opened), path);
            Q_EMIT m_operations->failed(failure,
                                        fx::Error(fx::ErrorKind::Refused, fx::Message("window.changed_on_reload")));
        },
        [this, again, failure](const fx::Error& error) {
            if (again) Q_EMIT m_operations->failed(failure, error);
            else fail(error);
        });
}

/// The edits of what was there before are given up, and so is their journal.
void Document::adopt(Opened opened, const QString& file) {
    endJournal();
    m_path = file;
    const auto stage = fx::splitStagePath(file.toStdString());
    m_title = stage ? QString::fromStdString(stage->second) : file.section(u'/', -1, -1, QString::SectionSkipEmpty);
    m_onDisk = opened.identity;
    const std::size_t version = opened.project.history.current();
    if (opened.identity)
        m_journal = std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(*opened.identity), version,
                                                  std::move(opened.content));
    m_target = m_path.endsWith(QLatin1String(".lancet")) || m_path == m_awaited ? m_path : QString();
    m_projectInputs = std::move(opened.project.inputs);
    take({std::move(opened.project.history), version, {}});
    restoreView(opened.project.view);
}

void Document::setAwaited(const QString& path) {
    m_awaited = path;
    if (m_path == path && m_target.isEmpty()) m_target = path;
}

void Document::cancelLoading() { m_operations->cancel(DocumentOperations::Kind::Open); }

/// Reading was cancelled; when there was nothing before, the tab has to say why it is empty.
void Document::loadingCancelled() {
    if (m_state == State::Loading)
        fail(fx::Error(fx::ErrorKind::Cancelled, fx::Message("window.opening_cancelled")).in(m_path.toStdString()));
}

} // namespace ui
