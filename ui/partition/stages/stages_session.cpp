// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stages_session.h"

#include "core/model_files/save_pipeline.h"
#include "core/partition/pipeline.h"
#include "ui/partition/stages/carried_cuts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"

#include <QJsonArray>
#include <QJsonObject>

namespace ui {

namespace {

const QString kView = QStringLiteral("stages");

std::vector<std::string> namesOf(const StagePlan& plan, const fx::StageLine::Cuts& cuts) {
    std::vector<std::string> result;
    for (const std::size_t cut : cuts) result.push_back(plan.model->graph.node(plan.line->calls()[cut]).name());
    return result;
}

} // namespace

StagesSession::StagesSession(Document& document) : QObject(&document), m_document(document) {
    connect(&document, &Document::versionChanged, this, &StagesSession::versionChanged);
    connect(&document.shapes(), &DocumentShapes::changed, this, [this] {
        if (m_isOn && (m_plan || m_planning)) replan(m_isMoved ? names() : std::vector<std::string>());
    });
    connect(&document.panelViews(), &PanelViews::restored, this, [this] {
        recall();
        m_plan.reset();
        m_version.reset();
        versionChanged();
    });
    connect(&document.operations(), &DocumentOperations::cancelled, this,
            [this](DocumentOperations::Kind, DocumentOperations::Id id) {
                if (id == m_checking) m_checking = 0;
                if (id != m_planning) return;
                m_planning = 0;
                m_problem = tr("Cutting into stages was cancelled.");
                Q_EMIT changed();
            });
    recall();
}

StagesSession* StagesSession::of(Document& document) {
    auto* known = document.findChild<StagesSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new StagesSession(document);
}

void StagesSession::recall() {
    const QJsonObject view = m_document.panelViews().of(kView);
    m_isOn = view[QLatin1String("on")].toBool();
    m_count = std::clamp(view[QLatin1String("count")].toInt(2), 1, kMostStages);
    m_measure = static_cast<StageMeasure>(std::clamp(view[QLatin1String("measure")].toInt(), 0, 3));
    if (m_measure == StageMeasure::Measured) m_measure = StageMeasure::Estimated; // times are not kept
    m_kept.clear();
    for (const auto& name : view[QLatin1String("cuts")].toArray()) m_kept.push_back(name.toString().toStdString());
    m_isMoved = !m_kept.empty();
}

void StagesSession::keep() {
    QJsonArray cuts;
    if (m_isMoved)
        for (const std::string& name : names()) cuts.append(QString::fromStdString(name));
    m_document.panelViews().set(kView, {{QStringLiteral("on"), m_isOn},
                                        {QStringLiteral("count"), m_count},
                                        {QStringLiteral("measure"), static_cast<int>(m_measure)},
                                        {QStringLiteral("cuts"), cuts}});
}

/// The first calls of the stages after the first.
std::vector<std::string> StagesSession::names() const {
    if (m_plan) return namesOf(*m_plan, m_cuts);
    return m_before ? namesOf(*m_before, m_before->cuts) : m_kept;
}

/// What undo brings back follows the graph as the cuts do.
void StagesSession::carryRemembered() {
    const auto before = std::exchange(m_before, nullptr);
    if (!before || (m_undone.empty() && m_redone.empty())) return;
    const CarriedCuts carried(*before->model, *before->line, *m_plan->model, *m_plan->line);
    for (auto* states : {&m_undone, &m_redone})
        std::erase_if(*states, [&](Before& state) {
            const bool hadCuts = !state.cuts.empty();
            state.cuts = carried(state.cuts);
            return hadCuts && state.cuts.empty();
        });
}

void StagesSession::setOn(bool on) {
    if (std::exchange(m_isOn, on) == on) return;
    keep();
    if (on && !m_plan) versionChanged();
    Q_EMIT changed();
}

/// Remembers the stages of the version that was current.
void StagesSession::leaveVersion() {
    if (!m_plan) return;
    std::erase_if(m_known, [](const auto& entry) { return entry.second.version.expired(); });
    m_kept = m_isMoved ? namesOf(*m_plan, m_cuts) : std::vector<std::string>();
    m_known[m_version.get()] = {m_version, m_kept, m_undone, m_redone, m_serial};
    m_beforeVersion = m_version;
    m_plan->cuts = m_cuts;
    m_before = std::make_shared<const StagePlan>(std::move(*m_plan));
    m_plan.reset();
}

/// Cuts follow the graph. A version that was current before has those that it had, unless others were chosen since. The
/// model of a file that was read again has other nodes: there cuts go by the names of calls.
void StagesSession::enterVersion(const std::shared_ptr<const fx::GraphModule>& version) {
    const auto known = m_known.find(version.get());
    if (known != m_known.end() && known->second.version.lock() == version && known->second.serial == m_serial) {
        m_kept = known->second.cuts;
        m_isMoved = !m_kept.empty();
        m_undone = known->second.undone;
        m_redone = known->second.redone;
        m_before.reset();
        return;
    }
    const auto& entries = m_document.versions().history()->entries();
    const auto isBefore = [this](const auto& entry) { return entry.model == m_beforeVersion; };
    if (!m_before || std::any_of(entries.begin(), entries.end(), isBefore)) return;
    m_before.reset();
    m_known.clear();
    m_undone.clear();
    m_redone.clear();
}

void StagesSession::versionChanged() {
    const auto version = m_document.state() == Document::State::Ready ? m_document.module() : nullptr;
    if (version && version == m_version) return; // it was saved
    leaveVersion();
    if (version) enterVersion(version);
    m_cuts.clear();
    m_current = -1;
    if (m_measure == StageMeasure::Measured && m_timedVersion != version) m_measure = StageMeasure::Estimated;
    m_document.operations().cancel(std::exchange(m_planning, 0));
    m_document.operations().cancel(std::exchange(m_checking, 0));
    m_refusal.clear();
    m_version.reset();
    if (m_isOn && version) replan(m_kept);
    Q_EMIT changed();
}

void StagesSession::propose(int count, StageMeasure measure, const PartitionTimer& timer) {
    if (m_plan) remember();
    m_count = count;
    m_measure = measure;
    m_isMoved = false;
    m_current = -1;
    keep();
    const auto version = m_document.module();
    if (measure != StageMeasure::Measured || m_timedVersion == version || !timer.nodes) return replan({});
    PartitionSession::of(m_document)->timeNodes(timer, version, [this, version](const fx::NodeTimes& times) {
        m_timedVersion = version;
        m_times = times;
        if (m_document.module() == version) replan(m_isMoved ? names() : std::vector<std::string>());
    });
    Q_EMIT changed();
}

void StagesSession::inputsChanged() {
    m_timedVersion.reset();
    m_times.clear();
    if (m_measure != StageMeasure::Measured) return;
    m_measure = StageMeasure::Estimated;
    keep();
    if (m_isOn && m_document.state() == Document::State::Ready)
        replan(m_isMoved ? names() : std::vector<std::string>());
    Q_EMIT changed();
}

void StagesSession::replan(std::vector<std::string> kept) {
    m_document.operations().cancel(std::exchange(m_planning, 0));
    m_problem.clear();
    m_version = m_document.module();
    StageRequest request{m_count, m_measure, {}, {}, std::move(kept), nullptr};
    if (m_isMoved && m_before && !m_before->cuts.empty()) request.before = m_before;
    if (m_document.shapes().notes()) request.symbols = m_document.shapes().notes()->symbols;
    if (m_timedVersion == m_document.module()) request.measured = m_times;
    const QString title = m_document.file().title();
    m_planning = m_document.operations().start<StagePlan>(
        DocumentOperations::Kind::Partition,
        {tr("Cutting %1 into stages").arg(title), tr("Could not cut %1 into stages").arg(title)},
        [model = m_document.shapes().shown(), request](const fx::Progress& progress) {
            return planStages(model, request, progress);
        },
        [this](StagePlan plan) { take(std::move(plan)); },
        [this](const fx::Error& error) {
            m_planning = 0;
            m_problem = linesFromCore(error.what());
            Q_EMIT changed();
        });
    Q_EMIT changed();
}

void StagesSession::take(StagePlan plan) {
    m_planning = 0;
    m_plan = std::move(plan);
    m_cuts = m_plan->cuts;
    carryRemembered();
    m_count = static_cast<int>(m_cuts.size()) + 1;
    if (m_isMoved) {
        m_isMoved = m_plan->isKept || m_cuts.empty();
        keep(); // calls may have other names
    }
    if (m_current >= static_cast<int>(m_cuts.size())) m_current = -1;
    check();
    Q_EMIT changed();
}

/// Checks whether the stages can run as a pipeline: not every value that crosses a cut can be sent.
void StagesSession::check() {
    m_document.operations().cancel(std::exchange(m_checking, 0));
    m_refusal.clear();
    if (!m_plan || m_cuts.empty()) return;
    const QString title = m_document.file().title();
    m_checking = m_document.operations().start<bool>(
        DocumentOperations::Kind::Partition,
        {tr("Checking the stages of %1").arg(title), tr("Could not check the stages of %1").arg(title)},
        [version = m_version, line = m_plan->line, cuts = m_cuts](const fx::Progress&) {
            (void)fx::makePipeline(*version, line->stagesOf(cuts));
            return true;
        },
        [this](bool) { m_checking = 0; },
        [this](const fx::Error& error) {
            m_checking = 0;
            m_refusal = linesFromCore(error.what());
            Q_EMIT cutsChanged();
        });
}

void StagesSession::endMove() {
    if (!std::exchange(m_isMoving, false)) return;
    if (std::exchange(m_replans, false)) replan(names());
    else check();
}

void StagesSession::choose(int cut) {
    endMove();
    if (std::exchange(m_current, cut) != cut) Q_EMIT cutsChanged();
}

void StagesSession::remember() {
    m_undone.push_back({m_cuts, m_measure});
    m_redone.clear();
    ++m_serial;
}

void StagesSession::moveCut(int cut, std::size_t place) {
    const auto at = static_cast<std::size_t>(cut);
    if (!m_plan || cut < 0 || at >= m_cuts.size()) return;
    const auto [least, most] = m_plan->line->range(m_cuts, at);
    const std::size_t moved = std::clamp(place, least, most);
    if (moved == m_cuts[at]) return;
    if (!std::exchange(m_isMoving, true)) remember();
    if (m_planning) { // that plan knows nothing of this cut
        m_document.operations().cancel(std::exchange(m_planning, 0));
        m_replans = true;
    }
    m_cuts[at] = moved;
    m_isMoved = true;
    keep();
    Q_EMIT cutsChanged();
}

void StagesSession::dragCut(int cut, double share) {
    if (!m_plan || cut < 0 || static_cast<std::size_t>(cut) >= m_cuts.size()) return;
    const fx::StageLine& line = *m_plan->line;
    const double wanted = share * line.weight(0, line.size());
    auto [least, most] = line.range(m_cuts, static_cast<std::size_t>(cut));
    while (least < most) { // the first place with as much before it
        const std::size_t middle = least + (most - least) / 2;
        if (line.weight(0, middle) < wanted) least = middle + 1;
        else most = middle;
    }
    const auto distance = [&](std::size_t place) { return std::abs(line.weight(0, place) - wanted); };
    if (least > 0 && distance(least - 1) < distance(least)) --least; // moveCut keeps it in its range
    moveCut(cut, least);
}

void StagesSession::stepCut(int cut, int by) {
    if (!m_plan || cut < 0 || static_cast<std::size_t>(cut) >= m_cuts.size()) return;
    endMove();
    const auto place = static_cast<std::ptrdiff_t>(m_cuts[static_cast<std::size_t>(cut)]) + by;
    moveCut(cut, static_cast<std::size_t>(std::max<std::ptrdiff_t>(place, 0)));
    endMove();
}

void StagesSession::restore(std::vector<Before>& from, std::vector<Before>& to) {
    if (from.empty() || !m_plan) return;
    to.push_back({m_cuts, m_measure});
    ++m_serial;
    m_cuts = std::move(from.back().cuts);
    m_measure = from.back().measure;
    from.pop_back();
    m_count = static_cast<int>(m_cuts.size()) + 1;
    m_isMoving = false;
    m_isMoved = true;
    if (m_current >= static_cast<int>(m_cuts.size())) m_current = -1;
    keep();
    check();
    Q_EMIT changed();
}

void StagesSession::undo() { restore(m_undone, m_redone); }
void StagesSession::redo() { restore(m_redone, m_undone); }

void StagesSession::exportTo(const QString& folder, std::function<void()> exported) {
    if (!m_plan) return;
    m_folder = folder;
    const QString title = m_document.file().title();
    m_document.operations().start<bool>(
        DocumentOperations::Kind::Export,
        {tr("Exporting the stages of %1").arg(title), tr("Could not export the stages of %1").arg(title)},
        [version = m_document.module(), line = m_plan->line, cuts = m_cuts, folder](const fx::Progress& progress) {
            fx::savePipeline(*version, line->stagesOf(cuts), folder.toStdString(), true, progress);
            return true;
        },
        [exported = std::move(exported)](bool) { exported(); });
}

} // namespace ui
