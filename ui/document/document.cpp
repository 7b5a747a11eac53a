// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include "ui/document/random_weights.h"

#include <QLoggingCategory>

#include <initializer_list>

namespace ui {

namespace {
/// Off by default; QT_LOGGING_RULES="lancet.document.debug=true" logs which version is shown.
Q_LOGGING_CATEGORY(documentLog, "lancet.document", QtWarningMsg)
} // namespace

Document::Document(QString path, QObject* parent, fx::Readers readers)
    : QObject(parent), m_file(std::make_unique<DocumentFile>(std::move(path))), m_readers(std::move(readers)),
      m_picture(new DocumentPicture(this)), m_operations(new DocumentOperations(this)),
      m_journal(new DocumentJournal([this] { return journalDraft(); }, this)),
      m_versions(new DocumentVersions(*m_operations, *m_journal, m_readers, this)), m_shapes(new DocumentShapes(this)),
      m_facts(new VersionFacts(this)), m_selection(new NodeSelection(*m_picture, this)),
      m_panelViews(new PanelViews(this)), m_randomWeights(new RandomWeights(*this)) {
    connect(m_randomWeights, &RandomWeights::changed, m_facts, &VersionFacts::problemsChanged); // one of the notes
    connect(m_operations, &DocumentOperations::cancelled, this, [this](DocumentOperations::Kind kind) {
        if (kind == DocumentOperations::Kind::Open && m_state == State::Loading) // the tab says why it is empty
            fail(fx::Error(fx::ErrorKind::Cancelled, fx::Message("window.opening_cancelled"))
                     .in(m_file->opened().toStdString()));
    });
    connect(m_versions, &DocumentVersions::edited, this, [this] {
        if (m_source) recordDraftSoon(); // the text that the edits are of
    });
    connect(m_versions, &DocumentVersions::changed, this, [this] { showVersion(m_selection->follow(module())); });
    // First, so that picture and problems have the shapes when others hear of them.
    connect(m_shapes, &DocumentShapes::changed, this, &Document::showShapes);
    connect(m_picture, &DocumentPicture::failed, this, [this](const QString& what) {
        m_facts->addProblem({Problem::Severity::Error, tr("cannot draw the graph: %1").arg(what), fx::kNoNode, {}});
    });
}

/// A document goes when it was closed, and then its edits are saved or given up.
Document::~Document() { m_journal->end(); }

void Document::adopt(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs) {
    m_file->setTitle(title);
    m_projectInputs = std::move(inputs);
    take({fx::History(std::move(module)), 0, {}});
}

void Document::release(const QObject* listener) {
    const std::initializer_list<const QObject*> all = {this,         m_picture,      m_operations, m_journal,
                                                       m_versions,   m_shapes,       m_facts,      m_selection,
                                                       m_panelViews, m_randomWeights};
    for (const QObject* part : all) disconnect(part, nullptr, listener, nullptr);
}

void Document::fail(const fx::Error& error) {
    m_error = error;
    if (m_error->file.empty()) m_error->file = m_file->opened().toStdString();
    setState(State::Failed);
}

void Document::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

void Document::take(fx::RecoveredModel model) {
    m_versions->begin(std::move(model.history), model.savedVersion);
    m_isRestored = false;
    m_file->take(module()->format);
    const bool hadDraft = std::exchange(m_draft, {}).has_value();
    m_error.reset();
    m_picture->setModule(nullptr);
    m_selection->reset(module());
    m_shapes->forget();
    showVersion(false);
    if (hadDraft) Q_EMIT draftChanged(); // listeners look at the new version
    qCDebug(documentLog, "ready");
}

/// Looks at the model as the project says; selection and groups at once, the camera when there is a picture.
void Document::restoreView(const std::string& json) {
    const auto view = ViewState::fromJson(QByteArray::fromStdString(json), module()->graph);
    if (!view) return;
    m_picture->setLook(view->look);
    if (!view->panels.isEmpty()) m_panelViews->restore(view->panels);
    m_picture->setOptions(view->options);
    m_selection->restore(view->selection);
}

/// Everything that is made of the module is made again; the picture keeps what is open. `isSelectionChanged`: the
/// selection is already of this version, and is announced last.
void Document::showVersion(bool isSelectionChanged) {
    std::vector<Problem> problems;
    if (!m_journal->problem().isEmpty())
        problems.push_back({Problem::Severity::Warning,
                            tr("edits cannot be recovered after a crash: %1").arg(m_journal->problem()),
                            fx::kNoNode,
                            {}});
    m_facts->clear(std::move(problems));
    m_shapes->follow(module());
    setState(State::Ready);
    m_picture->setVersion(m_shapes->shown());
    const fx::History& history = *m_versions->history();
    m_facts->compute({module(), m_shapes->shown(), history.entries().front().model, m_file->format()});
    qCDebug(documentLog).noquote() << "version:" << history.current()
                                   << QString::fromStdString(history.entries()[history.current()].name);
    Q_EMIT versionChanged();
    if (isSelectionChanged) Q_EMIT m_selection->changed(nullptr);
}

void Document::showShapes(bool differ) {
    if (differ) {
        m_picture->setVersion(m_shapes->shown());
        m_facts->computeIndex(m_shapes->shown());
    }
    std::vector<Problem> problems;
    if (const ShapeNotes* notes = m_shapes->notes().get())
        for (const fx::ShapeFailure& failure : notes->failures)
            problems.push_back(problemOf(failure, module()->graph.find(failure.node), notes->guessed, notes->original));
    m_facts->setShapeProblems(std::move(problems));
}

void Document::setDraft(std::optional<CodeDraft> draft) {
    const bool told = draft.has_value() != m_draft.has_value();
    m_draft = std::move(draft);
    recordDraftSoon();
    if (told) Q_EMIT draftChanged();
}

void Document::setNote(const QString& note) {
    m_note = note;
    Q_EMIT noteChanged();
}

} // namespace ui
