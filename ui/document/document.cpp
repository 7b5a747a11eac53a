// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document.h"

#include "core/edit/steps/steps.h"
#include "core/edit/version_diff.h"
#include "core/model_files/foresee.h"
#include "ui/document/random_weights.h"
#include "ui/widgets/core_text.h"

#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLoggingCategory>

#include <algorithm>

namespace ui {

namespace {
/// Off by default; QT_LOGGING_RULES="lancet.document.debug=true" tells what is open and selected.
Q_LOGGING_CATEGORY(documentLog, "lancet.document", QtWarningMsg)

struct Edited {
    std::shared_ptr<fx::GraphModule> result;
    bool changes = true;
};

/// The counterpart of a node in another version: the node with its name. Ids are the same only as long as edits are
/// small; then a node can have another name, too. kNoNode if the node is gone.
fx::NodeId counterpart(fx::NodeId id, const fx::Graph& from, const fx::Graph& to) {
    const fx::Node& node = from.node(id);
    const bool isThere = fx::index(id) < to.idLimit() && !to.node(id).erased();
    if (isThere && to.node(id).name() == node.name()) return id;
    if (const fx::NodeId found = to.find(node.name()); found != fx::kNoNode) return found;
    const bool isRenamed = isThere && to.node(id).op() == node.op() && to.node(id).target() == node.target() &&
                           from.find(to.node(id).name()) == fx::kNoNode;
    return isRenamed ? id : fx::kNoNode;
}

bool isNothing(const fx::EditEffect& effect) {
    return effect.created.empty() && effect.erased.empty() && effect.changed.empty();
}

/// What an edit made of a version: nothing, only other names where a pattern was replaced by what was there, or more.
enum class Outcome { Nothing, SameReplacement, Change };

Outcome outcomeOf(const fx::GraphModule& before, const fx::GraphModule& after, const fx::StepList& steps) {
    if (before.root != after.root) return Outcome::Change;
    const fx::EditEffect effect = fx::compareVersions(before.graph, after.graph);
    if (isNothing(effect)) return before.graph.order() == after.graph.order() ? Outcome::Nothing : Outcome::Change;
    if (effect.created.empty() || !steps.has("replace_pattern")) return Outcome::Change;
    const bool isSame = isNothing(fx::VersionDiff(before, after).effect());
    return isSame ? Outcome::SameReplacement : Outcome::Change;
}

fx::Error sameReplacement() { return fx::Error(fx::ErrorKind::Refused, fx::Message("window.same_replacement")); }
} // namespace

Document::Document(QString path, QObject* parent, fx::Readers readers)
    : QObject(parent), m_path(std::move(path)), m_title(visible(QFileInfo(m_path).fileName())),
      m_readers(std::move(readers)), m_picture(new DocumentPicture(this)), m_operations(new DocumentOperations(this)),
      m_journal(new DocumentJournal(this)), m_panelViews(new PanelViews(this)),
      m_randomWeights(new RandomWeights(*this)) {
    connect(m_randomWeights, &RandomWeights::changed, this, &Document::problemsChanged); // one of the notes
    connect(m_operations, &DocumentOperations::cancelled, this, [this](DocumentOperations::Kind kind) {
        if (kind == DocumentOperations::Kind::Open && m_state == State::Loading) // the tab says why it is empty
            fail(fx::Error(fx::ErrorKind::Cancelled, fx::Message("window.opening_cancelled")).in(m_path.toStdString()));
    });
    m_draftPause.setSingleShot(true);
    connect(&m_draftPause, &QTimer::timeout, this, &Document::recordDraft);
    connect(qGuiApp, &QGuiApplication::focusObjectChanged, this, [this] {
        if (m_draftPause.isActive()) recordDraft();
    });
    connect(m_picture, &DocumentPicture::revealed, this, &Document::revealRequested);
    connect(m_picture, &DocumentPicture::revealedAll, this, &Document::revealAllRequested);
    connect(m_picture, &DocumentPicture::failed, this, [this](const QString& what) {
        addProblem({Problem::Severity::Error, tr("cannot draw the graph: %1").arg(what), fx::kNoNode, {}});
    });
}

/// A document goes when it was closed, and then its edits are saved or given up.
Document::~Document() {
    endJournal();
    if (m_isUntitled) QFile::remove(m_path); // it is in no file now
    disposeLater(std::move(m_shown));
    disposeLater(std::move(m_shapes));
    disposeLater(std::move(m_module));
    disposeLater(std::move(m_code));
    disposeLater(std::move(m_index));
}

void Document::adopt(std::shared_ptr<const fx::GraphModule> module, const QString& title, std::string inputs) {
    m_title = visible(title);
    m_projectInputs = std::move(inputs);
    take({fx::History(std::move(module)), 0, {}});
}

void Document::fail(const fx::Error& error) {
    m_error = error;
    if (m_error->file.empty()) m_error->file = m_path.toStdString();
    setState(State::Failed);
}

void Document::setState(State state) {
    m_state = state;
    Q_EMIT stateChanged();
}

void Document::take(fx::RecoveredModel model) {
    m_history.emplace(std::move(model.history));
    m_fileLost = m_isRestored = false;
    m_module = m_history->model();
    m_fileFormat = m_target.isEmpty() ? m_module->format : fx::formatOf(fx::savedAs(m_target.toStdString()));
    m_saved =
        model.savedVersion < m_history->entries().size() ? m_history->entries()[model.savedVersion].model : nullptr;
    if (std::exchange(m_draft, {})) Q_EMIT draftChanged();
    m_selectedModule.reset();
    m_error.reset();
    m_selection.clear();
    m_picture->setModule(nullptr);
    m_shapes.reset();
    showVersion();
    qCDebug(documentLog, "ready");
}

/// Looks at the model as the project says; selection and groups at once, the camera when there is a picture.
void Document::restoreView(const std::string& json) {
    const auto view = ViewState::fromJson(QByteArray::fromStdString(json), m_module->graph);
    if (!view) return;
    m_look = view->look;
    if (!view->panels.isEmpty()) m_panelViews->restore(view->panels);
    m_picture->setOptions(view->options);
    m_restoresSelection = true;
    select(view->selection, nullptr);
    m_restoresSelection = false;
}

/// Everything that is made of the module is made again; the picture keeps what is open, the selection what still
/// exists.
void Document::showVersion(const fx::Graph* before) {
    std::vector<fx::NodeId> selected;
    for (const fx::NodeId node : m_selection)
        if (const auto here = before ? counterpart(node, *before, m_module->graph) : node; here != fx::kNoNode)
            selected.push_back(here);
    const bool isSelectionChanged = selected != m_selection;
    m_selection = std::move(selected);
    disposeLater(std::move(m_code));
    disposeLater(std::move(m_index));
    m_problems.clear();
    m_shapeFailures.clear();
    // The shapes of the version before, until the new ones are known.
    disposeLater(std::exchange(m_shown, noted(m_module, m_shapes)));
    if (!m_journal->problem().isEmpty())
        m_problems.push_back({Problem::Severity::Warning,
                              tr("edits cannot be recovered after a crash: %1").arg(m_journal->problem()),
                              fx::kNoNode,
                              {}});
    m_info.reset();
    m_calls.clear();
    m_selected.assign(m_module->graph.idLimit(), 0);
    for (const fx::NodeId node : m_selection) m_selected[fx::index(node)] = 1;
    setState(State::Ready);
    m_picture->setVersion(shown());
    generateCode();
    buildIndex();
    check();
    qCDebug(documentLog).noquote() << "version:" << m_history->current()
                                   << QString::fromStdString(m_history->entries()[m_history->current()].name);
    Q_EMIT versionChanged();
    if (isSelectionChanged) Q_EMIT selectionChanged(nullptr);
}

bool Document::edit(const QString& name, const fx::StepList& steps) {
    if (m_state != State::Ready) return false;
    const GuiScope scope("document.edit");
    std::shared_ptr<const fx::GraphModule> result;
    try {
        result = fx::History::edited(*m_module, steps, {}, m_readers);
    } catch (const fx::Error& error) {
        Q_EMIT refused(error);
        return false;
    }
    return adoptEdit(name, steps, std::move(result));
}

bool Document::adoptEdit(const QString& name, const fx::StepList& steps,
                         std::shared_ptr<const fx::GraphModule> result) {
    if (m_editRefusal) {
        Q_EMIT refused(*m_editRefusal);
        return false;
    }
    const Outcome outcome = outcomeOf(*m_module, *result, steps);
    if (outcome == Outcome::Nothing) Q_EMIT unchanged(name);
    if (outcome == Outcome::SameReplacement) Q_EMIT refused(sameReplacement());
    if (outcome != Outcome::Change) return false;
    addVersion(name, steps, std::move(result));
    return true;
}

void Document::addVersion(const QString& name, const fx::StepList& steps,
                          std::shared_ptr<const fx::GraphModule> result) {
    const auto& entries = m_history->entries();
    std::vector<fx::History::Entry> undone(entries.begin() + static_cast<std::ptrdiff_t>(m_history->current()) + 1,
                                           entries.end()); // they end as others are made
    m_history->push(name.toStdString(), steps, std::move(result));
    m_journal->record([this](fx::Journal& journal) { journal.edited(*m_history); });
    if (m_source) recordDraftSoon(); // the text that the edits are of
    const auto before = std::exchange(m_module, m_history->model());
    Q_EMIT edited(name);
    showVersion(&before->graph);
    disposeLater(std::move(undone));
}

/// "forward (operators only)" is another form of "forward", and no second graph.
QString Document::graphName() const {
    if (!m_module || m_module->modelNames.size() < 2) return {};
    const std::vector<std::string>& names = m_module->modelNames;
    const std::string form = names.front() + " (";
    const bool isOne =
        std::all_of(names.begin() + 1, names.end(), [&](const std::string& name) { return name.starts_with(form); });
    return isOne && m_module->modelName == names.front() ? QString() : fromCore(m_module->modelName);
}

void Document::setDraft(std::optional<CodeDraft> draft) {
    const bool told = draft.has_value() != m_draft.has_value();
    m_draft = std::move(draft);
    recordDraftSoon();
    if (told) Q_EMIT draftChanged();
}

void Document::editInBackground(const QString& name, const fx::StepList& steps, std::function<void()> onDone) {
    if (m_state != State::Ready) return;
    if (m_editRefusal) return Q_EMIT refused(*m_editRefusal);
    if (m_operations->isRunning(DocumentOperations::Kind::Edit)) {
        Q_EMIT refused(fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_running")));
        return;
    }
    m_operations->start<Edited>(
        DocumentOperations::Kind::Edit, {name, {}},
        [module = m_module, steps, readers = m_readers](const fx::Progress& progress) {
            Edited edited{fx::History::edited(*module, steps, progress, readers)};
            const Outcome outcome = outcomeOf(*module, *edited.result, steps);
            if (outcome == Outcome::SameReplacement) throw sameReplacement();
            edited.changes = outcome == Outcome::Change;
            return edited;
        },
        [this, before = m_module, name, steps, onDone = std::move(onDone)](Edited edited) {
            if (!edited.changes) return Q_EMIT unchanged(name);
            if (m_module == before) {
                addVersion(name, steps, std::move(edited.result));
                return onDone ? onDone() : void();
            }
            Q_EMIT refused(
                fx::Error(fx::ErrorKind::Refused, fx::Message("window.edit_stale", {{"name", name.toStdString()}})));
        },
        [this](const fx::Error& error) { Q_EMIT refused(error); });
}

void Document::goToVersion(std::size_t entry) {
    if (m_state != State::Ready || entry >= m_history->entries().size() || entry == m_history->current()) return;
    m_history->goTo(entry);
    m_journal->record([this](fx::Journal& journal) { journal.wentTo(m_history->current()); });
    const auto before = std::exchange(m_module, m_history->model());
    showVersion(&before->graph);
}

void Document::generateCode() {
    m_coding.start(
        [module = m_module](const fx::Progress&) {
            return std::make_shared<const fx::PythonCode>(fx::generatePython(module->graph));
        },
        this,
        [this](std::shared_ptr<const fx::PythonCode> code) {
            m_code = std::move(code);
            Q_EMIT codeChanged();
        },
        [this](const fx::Error& error) {
            const fx::NodeId node = error.node.empty() ? fx::kNoNode : m_module->graph.find(error.node);
            addProblem({Problem::Severity::Error, tr("cannot generate code: %1").arg(elidedLines(error.what(), 1000)),
                        node, elided(error.node, 120)});
            Q_EMIT codeChanged();
        });
}

void Document::buildIndex() {
    m_indexing.start([module = shown()](const fx::Progress& progress) { return FindIndex::build(*module, progress); },
                     this,
                     [this](std::shared_ptr<const FindIndex> index) {
                         m_index = std::move(index);
                         Q_EMIT indexChanged();
                     });
}

void Document::check() {
    m_checking.start(
        [module = m_module, original = m_history->entries().front().model, format = m_fileFormat](const fx::Progress&) {
            Checked checked{problemsOf(*module), fx::modelInfo(*module), callCounts(*module)};
            fx::GraphModule asFile = *original;
            if (format == fx::Format::Lancet) asFile.format = format; // as `lancet info` tells it of a project
            checked.info.dialect = fx::dialectOf(asFile);
            return checked;
        },
        this,
        [this](Checked checked) {
            m_problems.insert(m_problems.begin(), std::make_move_iterator(checked.problems.begin()),
                              std::make_move_iterator(checked.problems.end()));
            m_info = std::move(checked.info);
            m_calls = std::move(checked.calls);
            Q_EMIT problemsChanged();
        });
}

void Document::setShapes(std::shared_ptr<const ShapeNotes> shapes) {
    if (m_state != State::Ready || (shapes && shapes->version != m_module) || (!shapes && !m_shapes)) return;
    const GuiScope scope("document.shapes");
    const auto before = shown();
    m_shapes = std::move(shapes);
    m_shown = m_shapes ? m_shapes->shown : nullptr;
    m_shapeFailures.clear();
    const auto gone = std::erase_if(m_problems, [](const Problem& problem) { return problem.isShape; });
    for (std::size_t i = 0; m_shapes && i < m_shapes->failures.size(); ++i) {
        const fx::NodeId node = m_module->graph.find(m_shapes->failures[i].node);
        if (node != fx::kNoNode && !m_shapes->failures[i].needsValues) m_shapeFailures.emplace_back(node, i);
        m_problems.push_back(problemOf(m_shapes->failures[i], node, m_shapes->guessed, m_shapes->original));
    }
    if (before != shown() && !sameShapes(*before, *shown())) {
        m_picture->setVersion(shown());
        buildIndex();
    }
    Q_EMIT shapesChanged();
    if (gone > 0 || (m_shapes && !m_shapes->failures.empty())) Q_EMIT problemsChanged();
}

const fx::ShapeFailure* Document::shapeFailure(fx::NodeId node) const {
    for (const auto& [failed, place] : m_shapeFailures)
        if (failed == node) return &m_shapes->failures[place];
    return nullptr;
}

void Document::addProblem(Problem problem) {
    m_problems.push_back(std::move(problem));
    Q_EMIT problemsChanged();
}

void Document::setSelection(std::vector<fx::NodeId> nodes) {
    std::erase_if(nodes, [this](fx::NodeId node) { return fx::index(node) >= m_selected.size(); });
    for (const fx::NodeId node : m_selection) m_selected[fx::index(node)] = 0;
    m_selection = std::move(nodes);
    for (const fx::NodeId node : m_selection) m_selected[fx::index(node)] = 1;
}

void Document::select(std::vector<fx::NodeId> nodes, QObject* source) {
    m_selectionRestored = m_restoresSelection;
    if (m_state != State::Ready || (nodes == m_selection && !m_selectedModule)) return;
    m_selectedModule.reset();
    setSelection(std::move(nodes));
    if (documentLog().isDebugEnabled() && m_selection.size() < 100) {
        QStringList names;
        for (const fx::NodeId node : m_selection) names << QString::fromStdString(m_module->graph.node(node).name());
        qCDebug(documentLog).noquote() << "selected:" << names.join(u' ');
    }
    Q_EMIT selectionChanged(source);
}

void Document::selectModule(const QString& modulePath, QObject* source) {
    if (m_state != State::Ready || m_selectedModule == modulePath) return;
    m_selectedModule = modulePath;
    setSelection(nodesOfModule(modulePath));
    Q_EMIT selectionChanged(source);
}

void Document::selectAll() {
    if (m_state == State::Ready) select(m_module->graph.order(), nullptr);
}

std::vector<fx::NodeId> Document::selectionInGraphOrder() const {
    std::vector<fx::NodeId> nodes = m_selection;
    if (m_module)
        std::sort(nodes.begin(), nodes.end(),
                  [this](fx::NodeId a, fx::NodeId b) { return m_module->graph.isBefore(a, b); });
    return nodes;
}

std::vector<fx::NodeId> Document::nodesOfModule(const QString& modulePath) const {
    std::vector<fx::NodeId> nodes;
    if (!m_module) return nodes;
    const std::string path = modulePath.toStdString();
    for (const fx::Node& node : m_module->graph.nodes()) {
        const std::string own = modulePathOf(node);
        const bool inside =
            path.empty() || (own.starts_with(path) && (own.size() == path.size() || own[path.size()] == '.'));
        if (inside) nodes.push_back(node.id());
    }
    return nodes;
}

void Document::goTo(fx::NodeId node, QObject* source) {
    if (m_state != State::Ready || node == fx::kNoNode) return;
    select({node}, source);
    m_picture->reveal(node);
}

void Document::goTo(const std::vector<fx::NodeId>& nodes, QObject* source) {
    if (m_state != State::Ready || nodes.empty()) return;
    m_isGoing = true;
    select(nodes, source);
    m_isGoing = false;
    m_picture->reveal(nodes);
}

} // namespace ui
