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
#include <QScopeGuard>

namespace ui {

namespace {
const QString kView = QStringLiteral("source"); // in what panels keep

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

/// "net.py:Net" is the file with a choice.
SourceChoices Document::choicesToLoad(const QString& path) const {
    SourceChoices choices = m_source ? m_source->choices() : SourceChoices::fromJson(m_panelViews->of(kView));
    if (const auto source = fx::splitSourcePath(path.toStdString()); source && !source->name.empty())
        choices.name = QString::fromStdString(source->name);
    return choices;
}

void Document::adoptSource(const QString& file, fx::ModelIdentity identity, DocumentSource* source) {
    endJournal();
    m_path = m_target = file;
    m_title = visible(QFileInfo(file).fileName());
    m_onDisk = identity;
    m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(identity), 0));
    takeTraced({fx::History(moduleOf(*source->trace(), file)), 0, {}}, source);
}

void Document::begin(const QString& title, const QByteArray& text) {
    const QString start = QString::fromStdString(fx::Journal::newSourcePath());
    QDir().mkpath(QFileInfo(start).path());
    static int number = 0;
    m_path = start + QStringLiteral("%1_%2.py").arg(QCoreApplication::applicationPid()).arg(++number);
    m_title = visible(title);
    m_isUntitled = true;
    try {
        fx::ReplacedFile file(m_path.toStdString());
        file.write(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        file.commit();
        m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(),
                                                       fx::ModelIdentity::of(m_path.toStdString()), 0));
    } catch (const fx::Error& error) { m_journal->setProblem(linesFromCore(error.what())); }
    auto* source = new DocumentSource(m_path, DocumentSource::traceText(m_path, text, {}, false, m_readers, {}), {},
                                      m_readers, this); // a short text of ours
    takeTraced({fx::History(moduleOf(*source->trace(), m_path)), 0, {}}, source);
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
        if (m_source->isModified()) recordDraft();
    });
    connect(source, &DocumentSource::changed, this, [this] {
        m_panelViews->set(kView, m_source->choices().toJson());
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

bool Document::isOfTheTrace() const {
    return m_graphText == m_source->tracedText() && m_graphChoices == m_source->tracedChoices().toJson();
}

/// While the model has changes of its own, it stays; those that are undone go when the source changes, as they do when
/// the model does. A text without a model leaves the last one that there was.
void Document::takeTrace() {
    const bool hadEdits = hasOwnHistory();
    if (hadEdits && isOfTheTrace()) {
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
    follow(moduleOf(*m_source->trace(), m_path));
    newJournal();
    recordDraftSoon();
    Q_EMIT sourceChanged();
}

/// Begins again, with the edits that there are and without those that were given up. What is typed goes over, so that
/// it is in one of the two at any time, also as it was when it was not too large.
void Document::newJournal() {
    m_draftPause.stop();
    auto identity = m_onDisk;
    try {
        if (!identity) identity = fx::ModelIdentity::of(m_path.toStdString());
    } catch (const fx::Error&) { return endJournal(); } // a file that has gone
    const auto before =
        m_journal->begin(std::make_shared<fx::Journal>(fx::Journal::defaultFolder(), std::move(*identity), 0));
    const auto removed = qScopeGuard([&before] {
        if (before) before->remove();
    });
    if (before) m_journal->record([&before](fx::Journal& journal) { journal.takeTyped(*before); });
    const auto& entries = m_history->entries();
    fx::History again(entries.front().model);
    for (std::size_t i = 1; i < entries.size(); ++i) {
        again.push(entries[i].name, entries[i].steps, entries[i].model);
        m_journal->record([&](fx::Journal& journal) { journal.edited(again); });
    }
    if (m_history->current() + 1 < entries.size())
        m_journal->record([this](fx::Journal& journal) { journal.wentTo(m_history->current()); });
}

/// Another model in the place of the one that was there: selection by name, groups, camera and unapplied code stay.
void Document::follow(std::shared_ptr<const fx::GraphModule> module) {
    const GuiScope scope("document.follow");
    std::vector<fx::NodeId> selected;
    for (const fx::NodeId node : m_selection)
        if (const fx::NodeId found = module->graph.find(m_module->graph.node(node).name()); found != fx::kNoNode)
            selected.push_back(found);
    const bool hadSelection = !m_selection.empty();
    m_selection.clear();
    m_selectedModule.reset();
    m_shapes.reset();
    m_history.emplace(fx::History(std::move(module)));
    m_module = m_saved = m_history->model();
    m_selection = selected;
    showVersion();
    if (hadSelection) Q_EMIT selectionChanged(nullptr);
}

void Document::setSourceSaved(const QString& path, const QByteArray& text, std::optional<fx::ModelIdentity> identity) {
    if (m_isUntitled && path != m_path) QFile::remove(m_path);
    m_isUntitled = false;
    m_path = m_target = path;
    m_title = visible(QFileInfo(path).fileName());
    m_onDisk = identity;
    m_fileLost = false;
    newJournal();
    const bool moved = m_source->path() != path;
    m_source->setPath(path);
    m_source->setSaved(text);
    if (moved) m_source->retrace(); // imports are looked up beside the file
    recordDraft();                  // what was typed while it was written
    Q_EMIT versionChanged();
}

/// A model that is Python source, with text that was not saved when the process ended and edits of the graph; the file
/// may have gone with a Lancet that ended in order.
void Document::restoreSource(const fx::OrphanedJournal& journal, fx::RecoveredModel model, const QString& untitled) {
    const QString path = QString::fromStdString(journal.base().path);
    m_isUntitled = path.contains(QLatin1String("/lancet/new/untitled_"));
    if (m_isUntitled) m_title = untitled.isEmpty() ? tr("Untitled") : untitled;
    m_target = m_isUntitled ? QString() : path;
    const auto& typed = journal.draft();
    if (typed && typed->choices) m_panelViews->set(kView, DocumentSource::fromJournal(*typed->choices));
    const SourceChoices choices = SourceChoices::fromJson(m_panelViews->of(kView));
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
