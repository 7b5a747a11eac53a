// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/partition/carried_hand.h"
#include "ui/partition/partition_run.h"
#include "ui/partition/partition_timer.h"

namespace ui {

/// A partitioning of one version.
struct PartitionProposal {
    PartitionOutcome outcome;
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> shares; ///< by path of a group
};

/// What the user chose for one document. Kept with its view.
struct PartitionChoices {
    SupportDraft draft;
    std::vector<std::string> nonCompute;
    int flags = 0; ///< as PartitionPanel::flags

    QJsonObject toJson() const;
    /// Rules that are no longer valid are left out.
    static PartitionChoices fromJson(const QJsonObject& json);
    bool operator==(const PartitionChoices&) const = default;
};

/// What the Partition panel keeps for one document: the choices, and the work it started: the proposal, timing, the
/// oneDNN profile. This work consists of operations of the document; it continues while another document is in front.
/// GUI thread only.
class PartitionSession final : public QObject {
    Q_OBJECT
public:
    enum class Measured { Nothing, Partitions, Nodes };

    explicit PartitionSession(Document& document);
    ~PartitionSession() override;
    /// The session of a document; created on first use and destroyed with it.
    static PartitionSession* of(Document& document);

    const PartitionChoices& choices() const { return m_choices; }
    /// Manual partitions of the current version, the newest last.
    const std::vector<fx::NamedPartitions>& hand() const { return m_hand; }
    void setChoices(PartitionChoices choices, std::vector<fx::NamedPartitions> hand);

    /// Partitions a version, unless the last query was the same. `groups` may be null.
    void propose(std::shared_ptr<const fx::GraphModule> version, std::shared_ptr<const DrawnGroups> groups,
                 const PartitionQuery& query);
    void dropProposal();
    /// The answer to the last query; null while it runs.
    const PartitionProposal* proposal() const { return m_proposal ? &*m_proposal : nullptr; }
    bool isCancelled() const { return m_cancelled; }

    void timePartitions(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                        std::vector<fx::Partition> partitions);
    /// Times the nodes of the version, then calls `then`.
    void timeNodes(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                   std::function<void(const fx::NodeTimes&)> then);
    /// Stops timing for the user, which `note` says.
    void stopTiming();
    /// The model runs with other inputs from now on: times that were measured with those before go.
    void inputsChanged();
    Measured measured() const { return m_measured; }
    /// The progress or the failure of timing; may be empty.
    const QString& note() const { return m_note; }
    /// The times of these partitions; null if they were not timed.
    const fx::remote::PartitionTimes* timesOf(const std::vector<fx::Partition>& partitions) const;

    void findProfile(const PartitionTimer& timer);
    void cancelProfile();
    /// Progress of creating a profile, or empty.
    const QString& finding() const { return m_finding; }
    /// The result of `findProfile`, once: empty, or why it failed; nullopt if there is no new one.
    std::optional<QString> takeProfile() { return std::exchange(m_found, {}); }

Q_SIGNALS:
    /// Choices were read with the view of the document, or their marks have moved with an edit.
    void choicesRestored();
    /// An edit left nothing of so many manual moves, or made them impossible; its undo brings them back.
    void movesDropped(std::size_t count);
    /// A proposal arrived, or was cancelled.
    void proposed();
    void timesChanged();
    void profileChanged();

private:
    void takeProposal(PartitionProposal proposal);
    void versionChanged();
    bool isOfHistory(const std::shared_ptr<const fx::GraphModule>& version) const;
    void carryHand(const std::shared_ptr<const fx::GraphModule>& from);
    void carryMarks(const std::shared_ptr<const fx::GraphModule>& from);
    void beginTiming(Measured what, std::shared_ptr<const fx::GraphModule> version, const QString& label);
    void endTiming(const QString& note);
    void dropTiming(const QString& note = {});
    void failTiming(const fx::Error& error);
    void endProfile(std::optional<QString> found);

    Document& m_document;
    PartitionChoices m_choices;
    std::shared_ptr<const fx::GraphModule> m_markedVersion; ///< that the marks of single nodes name
    std::vector<fx::NamedPartitions> m_hand;
    HandMemory m_handMemory;
    std::shared_ptr<const fx::GraphModule> m_handVersion;             ///< of m_hand
    std::shared_ptr<const fx::GraphModule> m_version, m_timedVersion; ///< of the proposal; of the times
    PartitionQuery m_query;
    std::optional<PartitionProposal> m_proposal;
    bool m_cancelled = false;
    DocumentOperations::Id m_proposing = 0, m_timing = 0, m_profiling = 0;
    Measured m_measured = Measured::Nothing;
    std::vector<fx::Partition> m_timed;
    std::optional<fx::remote::PartitionTimes> m_times;
    QString m_note, m_finding;
    std::optional<QString> m_found;
    PartitionTimer::Cancel m_stopTiming, m_stopProfile;
};

} // namespace ui
