// SPDX-License-Identifier: GPL-3.0-or-later
// A document whose model is traced from Python source: the model follows the text.
#include "ui/document/document.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/python/imports/sources.h"
#include "ui/document/document_source.h"
#include "ui/widgets/core_text.h"

#include <QDir>
#include <QFileInfo>

namespace ui {

namespace {
std::shared_ptr<const fx::GraphModule> moduleOf(const fx::SourceTrace& trace, const QString& path) {
    if (trace.module) return trace.module;
    auto none = std::make_shared<fx::GraphModule>();
    none->format = fx::Format::Python;
    none->path = path.toStdString();
    return none;
}
} // namespace

bool Document::isModified() const { return m_draft || hasUnsavedVersion() || hasUnsavedSource(); }

bool Document::hasUnsavedSource() const { return m_source && m_source->isModified(); }

bool Document::isPartial() const { return m_source && !isDetached() && !m_source->trace()->isComplete; }

void Document::adoptSource(const QString& file, fx::ModelIdentity identity, DocumentSource* source) {
    m_journal->end();
    m_file->openSource(file, identity);
    m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(identity), 0));
    takeTraced({fx::History(moduleOf(*source->trace(), file)), 0, {}}, source);
}

void Document::begin(const QString& title, const QByteArray& text) {
    const QString start = QString::fromStdString(fx::Journal::newSourcePath());
    QDir().mkpath(QFileInfo(start).path());
    m_file->begin(start, title);
    const QString path = m_file->opened();
    try {
        fx::ReplacedFile file(path.toStdString());
        file.write(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        file.commit();
        m_journal->begin(
            std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), fx::ModelIdentity::of(path.toStdString()), 0));
    } catch (const fx::Error& error) { m_journal->setProblem(linesFromCore(error.what())); }
    auto* source = new DocumentSource(path, DocumentSource::traceText(path, text, {}, false, m_readers, {}), {},
                                      m_readers, this); // a short text of ours
    takeTraced({fx::History(moduleOf(*source->trace(), path)), 0, {}}, source);
}

/// A model and the source that it is traced from, at once: whoever sees the model sees its source too.
void Document::takeTraced(fx::RecoveredModel model, DocumentSource* source) {
    if (m_source) {
        m_source->disconnect(this); // it may still be traced
        m_source->deleteLater();
    }
    m_source = source;
    take(std::move(model));
    noteTraced();
    connect(source, &DocumentSource::traced, this, &Document::takeTrace);
    connect(source, &DocumentSource::aboutToTrace, this, [this] { // whatever the trace does, the text is safe
        if (m_source->isModified()) m_journal->recordDraft();
    });
    connect(source, &DocumentSource::changed, this, [this] {
        m_panelViews->set(kSourceView, m_source->choices().toJson());
        recordDraftSoon();
        Q_EMIT sourceChanged();
        Q_EMIT draftChanged();
    });
    Q_EMIT sourceChanged();
}

/// The graph is that of the last trace.
void Document::noteTraced() {
    m_graphText = m_source->tracedText();
    m_graphChoices = m_source->tracedChoices().toJson();
    m_isBehind = false;
}

/// While the model has changes of its own, it stays; those that are undone go when the source changes, as they do when
/// the model does. A text without a model leaves the last one that there was.
void Document::takeTrace() {
    const bool hadEdits = hasOwnHistory();
    const bool isSame = m_graphText == m_source->tracedText() && m_graphChoices == m_source->tracedChoices().toJson();
    if (hadEdits && isSame) {
        m_isBehind = false;
        return;
    }
    if (isDetached()) {
        m_isBehind = true;
        return;
    }
    if (!m_source->trace()->module) return;
    noteTraced();
    follow(m_source->trace()->module);
    if (!hadEdits) return;
    newJournal();
    recordDraftSoon();
}

void Document::followSource() {
    if (!m_source || !isDetached()) return;
    noteTraced();
    follow(moduleOf(*m_source->trace(), m_file->opened()));
    newJournal();
    recordDraftSoon();
    Q_EMIT sourceChanged();
}

/// Begins again, with the edits that there are and without those that were given up.
void Document::newJournal() {
    auto identity = m_file->onDisk();
    try {
        if (!identity) identity = fx::ModelIdentity::of(m_file->opened().toStdString());
    } catch (const fx::Error&) { return m_journal->end(); } // a file that has gone
    m_journal->restart(std::move(*identity), *m_versions->history());
}

/// Another model in the place of the one that was there: selection by name, groups, camera and unapplied code stay.
void Document::follow(std::shared_ptr<const fx::GraphModule> trace) {
    const GuiScope scope("document.follow");
    m_versions->begin(fx::History(std::move(trace)));
    m_shapes->forget();
    showVersion(m_selection->followNames(module()));
}

void Document::setSourceSaved(const QString& path, const QByteArray& text, std::optional<fx::ModelIdentity> identity) {
    m_file->setSourceSaved(path, std::move(identity));
    newJournal();
    const bool moved = m_source->path() != path;
    m_source->setPath(path);
    m_source->setSaved(text);
    if (moved) m_source->retrace(); // imports are looked up beside the file
    m_journal->recordDraft();       // what was typed while it was written
    Q_EMIT versionChanged();
}

/// A model that is Python source, with text that was not saved when the process ended and edits of the graph; the file
/// may have gone with a Lancet that ended in order.
void Document::restoreSource(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled) {
    const QString path = QString::fromStdString(journal.base().path);
    m_file->restoreSource(path, untitled.isEmpty() ? tr("Untitled") : untitled);
    const auto& typed = journal.draft();
    if (typed && typed->choices) m_panelViews->set(kSourceView, DocumentSource::fromJournal(*typed->choices));
    const SourceChoices choices = SourceChoices::fromJson(m_panelViews->of(kSourceView));
    auto trace = std::make_shared<fx::SourceTrace>();
    trace->module = std::make_shared<fx::GraphModule>(*model.history.entries().front().model);
    const QByteArray traced = QByteArray::fromStdString(*model.traced);
    QByteArray saved, text = model.source ? QByteArray::fromStdString(*model.source) : traced;
    try {
        saved = QByteArray::fromStdString(fx::readTextFile(path.toStdString(), fx::python::Sources::kMaxBytes));
        if (!model.source) text = saved;
    } catch (const fx::Error&) {
        // The text is all that is left.
    }
    const auto draftBase = model.draftBase;
    const bool fits = model.draftFits;
    auto* source = new DocumentSource(path, {saved, std::move(trace), true}, choices, m_readers, this);
    takeTraced(std::move(model), source);
    m_graphText = traced;
    if (typed && typed->tracedChoices) m_graphChoices = DocumentSource::fromJournal(*typed->tracedChoices);
    m_isBehind = hasOwnHistory() && (traced != text || m_graphChoices != choices.toJson());
    restoreDraft(journal, draftBase, fits); // before the source is traced again, as the code then follows it
    if (text != saved) source->replaceText(text);
    else source->retrace(); // what else is in the file
}

} // namespace ui
