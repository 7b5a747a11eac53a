// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_session.h"

#include "ui/partition/carried_marks.h"
#include "ui/widgets/core_text.h"

#include <QJsonArray>

#include <algorithm>

namespace ui {

namespace {

using Kind = DocumentOperations::Kind;
const QString kPanel = QStringLiteral("partition");

QString withHint(const fx::Error& error) {
    const QString text = linesFromCore(error.what());
    return error.hint.empty() ? text : text + QStringLiteral(" — ") + linesFromCore(error.hint);
}

bool isSame(const std::vector<fx::Partition>& a, const std::vector<fx::Partition>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const fx::Partition& one, const fx::Partition& other) { return one.nodes == other.nodes; });
}

} // namespace

PartitionSession::PartitionSession(Document& document)
    : QObject(&document), m_document(document), m_choices(PartitionChoices::fromJson(document.panelViews().of(kPanel))),
      m_markedVersion(document.module()) {
    connect(&document.panelViews(), &PanelViews::restored, this, [this] {
        m_choices = PartitionChoices::fromJson(m_document.panelViews().of(kPanel));
        Q_EMIT choicesRestored();
    });
    connect(&document, &Document::versionChanged, this, &PartitionSession::versionChanged);
    connect(&document.operations(), &DocumentOperations::cancelled, this, [this](Kind, DocumentOperations::Id id) {
        if (id != m_proposing) return;
        m_proposing = 0;
        m_cancelled = true;
        Q_EMIT proposed();
    });
}

/// The document has deleted its operations, but the worker still runs.
PartitionSession::~PartitionSession() {
    if (m_stopTiming) m_stopTiming();
    if (m_stopProfile) m_stopProfile();
}

PartitionSession* PartitionSession::of(Document& document) {
    auto* known = document.findChild<PartitionSession*>(QString(), Qt::FindDirectChildrenOnly);
    return known ? known : new PartitionSession(document);
}

// ── choices ──────────────────────────────────────────────────────────────────────────────────────────────────────────

QJsonObject PartitionChoices::toJson() const {
    QJsonObject out = draft.remembered();
    QJsonArray names;
    for (const std::string& name : nonCompute) names.append(QString::fromStdString(name));
    out.insert(QStringLiteral("non_compute"), names);
    out.insert(QStringLiteral("flags"), flags);
    return out;
}

PartitionChoices PartitionChoices::fromJson(const QJsonObject& json) {
    PartitionChoices choices;
    choices.flags = json[QLatin1String("flags")].toInt();
    for (const auto& name : json[QLatin1String("non_compute")].toArray())
        choices.nonCompute.push_back(name.toString().toStdString());
    choices.draft.recall(json);
    try {
        (void)fx::SupportRules::parseText(choices.draft.rules().toStdString());
    } catch (const fx::Error&) { choices.draft = {}; } // of another version
    return choices;
}

void PartitionSession::setChoices(PartitionChoices choices, std::vector<fx::NamedPartitions> hand) {
    if (hand != m_hand) {
        m_hand = std::move(hand);
        m_handMemory.changed();
    }
    m_handVersion = m_document.module();
    if (choices == m_choices) return;
    m_choices = std::move(choices);
    m_document.panelViews().set(kPanel, m_choices.toJson());
}

// ── proposals ────────────────────────────────────────────────────────────────────────────────────────────────────────

void PartitionSession::propose(std::shared_ptr<const fx::GraphModule> version,
                               std::shared_ptr<const DrawnGroups> groups, const PartitionQuery& query) {
    if (version == m_version && query == m_query) return;
    dropProposal();
    m_version = version;
    m_query = query;
    const QString title = m_document.file().title();
    m_proposing = m_document.operations().start<PartitionProposal>(
        Kind::Partition, {tr("Partitioning %1").arg(title), tr("Could not partition %1").arg(title)},
        [version, groups = std::move(groups), query](const fx::Progress& progress) {
            PartitionProposal proposal{runPartition(*version, query, progress), {}};
            if (groups) proposal.shares = groups->shares(version->graph, proposal.outcome);
            return proposal;
        },
        [this](PartitionProposal proposal) { takeProposal(std::move(proposal)); });
}

void PartitionSession::takeProposal(PartitionProposal proposal) {
    m_proposing = 0;
    m_proposal = std::move(proposal);
    // Times of other partitions are outdated. Times of nodes do not depend on partitions.
    if (m_measured != Measured::Nodes && !isSame(m_timed, m_proposal->outcome.report.partitions)) dropTiming();
    Q_EMIT proposed();
}

void PartitionSession::dropProposal() {
    m_document.operations().cancel(std::exchange(m_proposing, 0));
    m_proposal.reset();
    m_version.reset();
    m_cancelled = false;
}

void PartitionSession::versionChanged() {
    const bool ready = m_document.state() == Document::State::Ready;
    const auto version = ready ? m_document.module() : nullptr;
    if (version) carryHand(std::exchange(m_handVersion, version));
    if (m_version && m_version != version) dropProposal();
    if (m_timedVersion && m_timedVersion != version) dropTiming();
    carryMarks(std::exchange(m_markedVersion, version));
}

/// The model of a file that was read again has other nodes.
bool PartitionSession::isOfHistory(const std::shared_ptr<const fx::GraphModule>& version) const {
    const auto& entries = m_document.versions().history()->entries();
    return std::any_of(entries.begin(), entries.end(), [&](const auto& entry) { return entry.model == version; });
}

void PartitionSession::carryHand(const std::shared_ptr<const fx::GraphModule>& from) {
    if (!from || from == m_handVersion) return;
    if (!isOfHistory(from)) {
        m_handMemory.clear();
        m_hand.clear();
        return;
    }
    const std::size_t before = m_hand.size();
    m_hand = m_handMemory.carried(m_hand, from, m_handVersion);
    if (m_hand.size() < before) Q_EMIT movesDropped(before - m_hand.size());
}

void PartitionSession::carryMarks(const std::shared_ptr<const fx::GraphModule>& from) {
    if (!from || !m_markedVersion || from == m_markedVersion || m_choices.draft.markedNodes() == 0) return;
    if (!isOfHistory(from)) return;
    SupportDraft carried = withCarriedMarks(m_choices.draft, *from, *m_markedVersion);
    if (carried == m_choices.draft) return;
    m_choices.draft = std::move(carried);
    m_document.panelViews().set(kPanel, m_choices.toJson());
    Q_EMIT choicesRestored();
}

// ── timing ───────────────────────────────────────────────────────────────────────────────────────────────────────────

void PartitionSession::beginTiming(Measured what, std::shared_ptr<const fx::GraphModule> version,
                                   const QString& label) {
    dropTiming();
    m_measured = what;
    m_timedVersion = std::move(version);
    m_timing = m_document.operations().begin(Kind::Timing, label, [this] { stopTiming(); });
}

void PartitionSession::timePartitions(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                                      std::vector<fx::Partition> partitions) {
    beginTiming(Measured::Partitions, version, tr("Timing the partitions of %1").arg(m_document.file().title()));
    m_timed = partitions;
    m_note = tr("Timing each partition and the whole model…");
    m_stopTiming = timer.partitions(
        m_document, std::move(version), std::move(partitions),
        [this](const fx::remote::PartitionTimes& times) {
            m_times = times;
            endTiming({});
        },
        [this](const fx::Error& error) { failTiming(error); },
        [this](const QString& what, double done) { m_document.operations().report(m_timing, what, done); });
    Q_EMIT timesChanged();
}

void PartitionSession::timeNodes(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                                 std::function<void(const fx::NodeTimes&)> then) {
    beginTiming(Measured::Nodes, version, tr("Timing the nodes of %1").arg(m_document.file().title()));
    m_note = tr("Timing nodes to balance the stages…");
    m_stopTiming = timer.nodes(
        m_document, std::move(version),
        [this, then = std::move(then)](const fx::NodeTimes& times) {
            endTiming({});
            then(times);
        },
        [this](const fx::Error& error) { failTiming(error); },
        [this](const QString& what, double done) {
            m_document.operations().report(m_timing, what, done);
            m_note = tr("Balancing the stages: %1, %2\u00a0%")
                         .arg(what.isEmpty() ? tr("timing nodes") : what)
                         .arg(qRound(done * 100));
            Q_EMIT timesChanged();
        });
    Q_EMIT timesChanged();
}

void PartitionSession::endTiming(const QString& note) {
    m_stopTiming = {};
    m_measured = Measured::Nothing;
    m_note = note;
    m_document.operations().end(std::exchange(m_timing, 0));
    Q_EMIT timesChanged();
}

void PartitionSession::failTiming(const fx::Error& error) { endTiming(withHint(error)); }

void PartitionSession::stopTiming() { dropTiming(tr("Timing was stopped.")); }

void PartitionSession::inputsChanged() {
    if (m_measured != Measured::Nothing) dropTiming(tr("Timing was stopped: the inputs have changed."));
    else if (m_times) dropTiming(tr("The partitions were timed with other inputs."));
}

void PartitionSession::dropTiming(const QString& note) {
    if (m_stopTiming) m_stopTiming();
    m_times.reset();
    m_timed.clear();
    m_timedVersion.reset();
    endTiming(note);
}

const fx::remote::PartitionTimes* PartitionSession::timesOf(const std::vector<fx::Partition>& partitions) const {
    return m_times && m_timedVersion == m_document.module() && isSame(m_timed, partitions) ? &*m_times : nullptr;
}

// ── profile ──────────────────────────────────────────────────────────────────────────────────────────────────────────

void PartitionSession::findProfile(const PartitionTimer& timer) {
    if (m_profiling) return;
    m_found.reset();
    m_finding = tr("Probing oneDNN");
    m_profiling = m_document.operations().begin(Kind::Profile, m_finding, [this] { cancelProfile(); });
    m_stopProfile = timer.profile(
        m_document, "onednn", [this] { endProfile(QString()); },
        [this](const fx::Error& error) { endProfile(withHint(error)); },
        [this](const QString& what, double done) {
            m_finding = tr("Probing oneDNN: %1 (%2\u00a0%)").arg(what).arg(done * 100, 0, 'f', 0);
            m_document.operations().report(m_profiling, what, done);
            Q_EMIT profileChanged();
        });
    Q_EMIT profileChanged();
}

void PartitionSession::cancelProfile() {
    if (!m_profiling) return;
    m_stopProfile();
    endProfile({});
}

void PartitionSession::endProfile(std::optional<QString> found) {
    m_stopProfile = {};
    m_finding.clear();
    m_found = std::move(found);
    m_document.operations().end(std::exchange(m_profiling, 0));
    Q_EMIT profileChanged();
}

} // namespace ui
