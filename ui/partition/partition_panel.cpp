// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_panel.h"

#include "ui/partition/operators_view.h"
#include "ui/partition/partition_flags.h"
#include "ui/partition/partition_log.h"
#include "ui/partition/partition_table_view.h"
#include "ui/partition/stages/stages_view.h"
#include "ui/partition/why_view.h"
#include "ui/widgets/counted_text.h"

#include <QEvent>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace ui {

Q_LOGGING_CATEGORY(partitionLog, "lancet.partition", QtWarningMsg)

PartitionPanel::PartitionPanel(QWidget* parent) : QWidget(parent), m_stages(new StagesOnCanvas(this)) {
    setProperty("look", "panel");
    setAttribute(Qt::WA_StyledBackground);
    auto* parts = new QSplitter(Qt::Vertical, this);
    parts->setChildrenCollapsible(false);
    parts->addWidget(makeOperators());
    auto* results = new QWidget(parts);
    auto* lower = new QVBoxLayout(results);
    lower->setContentsMargins(0, 6, 0, 0);
    lower->setSpacing(6);
    m_flags = new PartitionFlags(results);
    connect(m_flags, &PartitionFlags::toggled, this, &PartitionPanel::run);
    lower->addWidget(m_flags);
    lower->addWidget(makeStatus(), 3);
    makeTable();
    lower->addWidget(m_table, 2);
    parts->addWidget(results);
    parts->setStretchFactor(0, 2);
    parts->setStretchFactor(1, 3);
    parts->setSizes({320, 400}); // about ten operators
    auto* rules = new QWidget(this);
    auto* column = new QVBoxLayout(rules);
    column->setContentsMargins(0, 6, 0, 0);
    column->setSpacing(6);
    column->addWidget(parts, 1);
    column->addWidget(makeButtons());
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(12, 6, 12, 10);
    all->setSpacing(0);
    all->addWidget(makeMode());
    m_pages->addWidget(rules);
    m_pages->addWidget(m_stagesView);
    all->addWidget(m_pages, 1);
    makeActions();
    connect(m_stages, &StagesOnCanvas::changed, this, &PartitionPanel::showMode);
    connect(m_stages, &StagesOnCanvas::changed, this, &PartitionPanel::stylesChanged);
    showStatus();
}

void PartitionPanel::setDocument(Document* document) {
    if (m_document == document) return;
    if (m_document) m_document->release(this);
    if (m_session) m_session->disconnect(this);
    m_document = document;
    m_session = document ? PartitionSession::of(*document) : nullptr;
    m_stages->setDocument(document);
    takeChoices();
    if (document) connectDocument(*document);
    m_stagesView->setDocument(document);
    takeVersion();
    m_stages->update();
    if (m_session) showProfile(); // it may have been found meanwhile
}

void PartitionPanel::connectDocument(Document& document) {
    connect(m_session, &PartitionSession::choicesRestored, this, [this] {
        takeChoices();
        run();
    });
    connect(m_session, &PartitionSession::movesDropped, this, [this](std::size_t count) {
        Q_EMIT notified(count == 1
                            ? tr("This edit dropped a manual move of partitions. Press Ctrl+Z to undo.")
                            : tr("This edit dropped %1 manual moves of partitions. Press Ctrl+Z to undo.").arg(count));
    });
    connect(m_session, &PartitionSession::proposed, this, &PartitionPanel::showProposal);
    connect(m_session, &PartitionSession::timesChanged, this, &PartitionPanel::showTimes);
    connect(m_session, &PartitionSession::profileChanged, this, &PartitionPanel::showProfile);
    connect(&document, &Document::versionChanged, this, &PartitionPanel::takeVersion);
    connect(&document, &Document::stateChanged, this, &PartitionPanel::takeVersion);
    connect(&document.shapes(), &DocumentShapes::changed, this, &PartitionPanel::takeShapes);
    connect(&document.selection(), &NodeSelection::changed, this, [this](QObject* source) {
        updateButtons();
        if (source == this) return;
        m_asking.cancel(); // what was asked is not of what is selected now
        m_whatIf->hide();
        explain();
    });
}

bool PartitionPanel::colours() const {
    if (!m_seen || !m_document) return false;
    return showsStages() ? m_stages->isPlanned() : !m_outcome->report.partitions.empty();
}

void PartitionPanel::showStages(bool stages) {
    if (m_document) StagesSession::of(*m_document)->setOn(stages);
    else showMode();
}

void PartitionPanel::showMode() {
    const bool stages = showsStages(), switches = m_pages->currentIndex() != (stages ? 1 : 0);
    const QSignalBlocker quiet(m_mode);
    m_mode->setCurrentIndex(stages ? 1 : 0);
    m_pages->setCurrentIndex(stages ? 1 : 0);
    if (switches) run();
}

/// Another model, or another version of it: its operators are listed anew.
void PartitionPanel::takeVersion() {
    auto version = m_document && m_document->state() == Document::State::Ready ? m_document->module() : nullptr;
    if (version != m_version) {
        m_asking.cancel();
        m_whatIf->hide();
    }
    m_version = std::move(version);
    m_hand = m_session ? m_session->hand() : decltype(m_hand)();
    m_listing.cancel();
    m_listedVersion.reset();
    take({});
    if (!m_version) {
        m_operators->setOperators({});
        return showStatus();
    }
    if (!m_seen) return; // nobody looks: when somebody does
    m_listing.start(
        [module = m_version](const fx::Progress& progress) {
            return Listed{operatorsOf(*module), std::make_shared<const DrawnGroups>(drawnGroups(*module, progress))};
        },
        this,
        [this](Listed listed) {
            m_groups = std::move(listed.groups);
            m_operators->setOperators(std::move(listed.operators));
            m_listedVersion = m_version;
            run();
        });
}

void PartitionPanel::setSeen(bool seen) {
    if (std::exchange(m_seen, seen) == seen) return;
    if (!seen) {
        if (m_session) m_session->dropProposal();
        m_asking.cancel();
    } else if (m_document && (m_version != m_document->module() || m_listedVersion != m_version)) {
        takeVersion();
    } else {
        run();
    }
    m_stages->setSeen(seen);
    updateButtons();
}

void PartitionPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange || !m_document) return;
    showStyles();
    m_stages->update();
}

/// Choices belong to their document.
void PartitionPanel::takeChoices() {
    const PartitionChoices choices = m_session ? m_session->choices() : PartitionChoices();
    m_draft = choices.draft;
    m_nonCompute = choices.nonCompute;
    m_hand = m_session ? m_session->hand() : decltype(m_hand)();
    m_flags->setFlags(choices.flags);
    showDraft();
}

PartitionQuery PartitionPanel::query() const {
    const int flags = m_flags->flags();
    return {m_draft.rules(),
            m_hand.empty() ? fx::NamedPartitions() : m_hand.back(),
            (flags & kAllowSingle) != 0,
            (flags & kTrimEnds) != 0,
            (flags & kNoHorizontal) != 0,
            m_nonCompute};
}

void PartitionPanel::run() {
    if (!m_session) return;
    m_session->setChoices({m_draft, m_nonCompute, flags()}, m_hand);
    if (!m_version || !m_seen || showsStages()) return m_session->dropProposal();
    m_session->propose(m_version, m_groups, query());
    if (m_session->proposal()) showProposal(); // known from before
}

void PartitionPanel::showProposal() {
    const PartitionProposal* proposal = m_session->proposal();
    m_styles.setShares(proposal ? proposal->shares : PartitionStyles::Shares());
    take(proposal ? proposal->outcome : PartitionOutcome());
}

void PartitionPanel::take(PartitionOutcome outcome) {
    if (m_version) countBytes(outcome.report, *shown());
    m_outcome = std::make_shared<const PartitionOutcome>(std::move(outcome));
    m_table->setOutcome(m_outcome);
    showTimes();
    m_table->setBytes(m_outcome, guessed());
    m_operators->model().setOutcome(*m_outcome);
    showStatus();
    explain();
    qCDebug(partitionLog, "partitions: %zu refused: %zu", m_outcome->report.partitions.size(),
            m_outcome->report.unassigned.size());
}

/// The version that is partitioned with the shapes that the canvas shows; null without a model.
std::shared_ptr<const fx::GraphModule> PartitionPanel::shown() const {
    return m_document && m_document->module() == m_version ? m_document->shapes().shown() : m_version;
}

/// The inputs on which shapes are guessed, or empty.
QString PartitionPanel::guessed() const {
    const auto shapes = m_document ? m_document->shapes().notes() : nullptr;
    return shapes ? shapes->guessed : QString();
}

/// Sizes were found out: partitions, times and marks stay.
void PartitionPanel::takeShapes() {
    if (!m_version || m_document->module() != m_version || m_outcome->report.partitions.empty()) return;
    auto outcome = std::make_shared<PartitionOutcome>(*m_outcome);
    countBytes(outcome->report, *shown());
    m_outcome = std::move(outcome);
    m_table->setBytes(m_outcome, guessed());
    if (m_why->cycle().empty()) explain();
}

/// What is selected decides what is explained.
void PartitionPanel::explain() {
    m_why->explain({m_document ? m_version : nullptr, shown(), m_outcome,
                    m_document ? m_document->selection().nodes() : std::vector<fx::NodeId>(), guessed(),
                    !m_draft.isEmpty(), !m_draft.hasBase()});
}

void PartitionPanel::showStyles() {
    m_styles.update(m_version ? &m_version->graph : nullptr, *m_outcome, m_why->cycle(), m_why->current());
    updateButtons();
    Q_EMIT stylesChanged();
}

const NodeStyle* PartitionPanel::styleOf(fx::NodeId node) const {
    return showsStages() ? m_stages->overlay().styleOf(node) : m_styles.styleOf(node);
}

ColourLegend PartitionPanel::legend() const { return showsStages() ? m_stages->overlay().legend() : m_styles.legend(); }

RegionShares PartitionPanel::sharesOf(const std::string& groupPath) const {
    return showsStages() ? m_stages->overlay().sharesOf(groupPath) : m_styles.sharesOf(groupPath);
}

std::vector<fx::NodeId> PartitionPanel::nodesOf(const std::vector<int>& partitions) const {
    std::vector<fx::NodeId> nodes;
    for (const int partition : partitions) {
        const auto& of = m_outcome->report.partitions[static_cast<std::size_t>(partition)].nodes;
        nodes.insert(nodes.end(), of.begin(), of.end());
    }
    return nodes;
}

void PartitionPanel::setTimer(PartitionTimer timer) {
    m_timer = std::move(timer);
    m_stagesView->setTimer(m_timer);
    updateButtons();
}

/// Starts the measurement, or ends the one that runs.
void PartitionPanel::measure() {
    if (!m_session) return;
    if (m_session->measured() != PartitionSession::Measured::Nothing) return m_session->stopTiming();
    if (m_timer.partitions && m_version && !m_outcome->report.partitions.empty())
        m_session->timePartitions(m_timer, m_version, m_outcome->report.partitions);
}

void PartitionPanel::showTimes() {
    m_table->setTimes(m_session ? m_session->timesOf(m_outcome->report.partitions) : nullptr,
                      m_session ? m_session->note() : QString());
    updateButtons();
}

void PartitionPanel::change(bool splits) {
    const std::size_t count = m_outcome->report.partitions.size();
    const QString name = splits ? counted(count, tr("Split into 1 partition"), tr("Split into %1 partitions"))
                                : counted(count, tr("Fuse 1 partition"), tr("Fuse %1 partitions"));
    try {
        Q_EMIT changeRequested(name, partitionStep(query(), splits));
    } catch (const fx::Error& error) { Q_EMIT m_document->versions().refused(error); } // rules that are no JSON by now
}

} // namespace ui
