// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"
#include "ui/partition/carried_hand.h"
#include "ui/partition/partition_run.h"
#include "ui/partition/partition_timer.h"

namespace ui {

/// A partitioning of one version.
struct PartitionProposal {
    PartitionOutcome outcome; ///< partitions and unassigned calls
    std::unordered_map<std::string, std::vector<std::pair<int, std::uint32_t>>> shares; ///< by path of a group
};

/// The user's choices for one document. Stored in its view.
struct PartitionChoices {
    SupportDraft draft;                  ///< support settings
    std::vector<std::string> nonCompute; ///< torch.fx `non_compute_ops`: trimmed from the ends of partitions
    int flags = 0;                       ///< as PartitionPanel::flags

    QJsonObject toJson() const; ///< Returns the choices as JSON.
    /// The counterpart of `toJson`. Omits rules that are no longer valid.
    static PartitionChoices fromJson(const QJsonObject& json);
    bool operator==(const PartitionChoices&) const = default;
};

/// The state of the Partition panel for one document: the choices, and the work that it started: the proposal, timing,
/// the oneDNN profile. This work consists of operations of the document and continues while another document is in
/// front. GUI thread only.
class PartitionSession final : public QObject {
    Q_OBJECT
public:
    /// The subject of the running timing.
    enum class Measured { Nothing, Partitions, Nodes };

    explicit PartitionSession(Document& document); ///< Use `of` instead; `document` becomes the parent.
    ~PartitionSession() override;
    /// Returns the session of a document. Creates it on first use; the document owns it.
    static PartitionSession* of(Document& document);

    const PartitionChoices& choices() const { return m_choices; } ///< The user's choices.
    /// The manual partitions of the current version, the newest last.
    const std::vector<fx::NamedPartitions>& hand() const { return m_hand; }
    /// Sets choices and manual partitions of the current version.
    void setChoices(PartitionChoices choices, std::vector<fx::NamedPartitions> hand);

    /// Partitions a version unless the last query was the same. `groups` may be null.
    void propose(std::shared_ptr<const fx::GraphModule> version, std::shared_ptr<const DrawnGroups> groups,
                 const PartitionQuery& query);
    void dropProposal(); ///< Cancels partitioning and drops the proposal.
    /// The answer to the last query; null while it runs.
    const PartitionProposal* proposal() const { return m_proposal ? &*m_proposal : nullptr; }
    bool isCancelled() const { return m_cancelled; } ///< True if the user cancelled the last query.

    /// Times partitions; `timesChanged` follows.
    void timePartitions(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                        std::vector<fx::Partition> partitions);
    /// Times the nodes of the version, then calls `then`.
    void timeNodes(const PartitionTimer& timer, std::shared_ptr<const fx::GraphModule> version,
                   std::function<void(const fx::NodeTimes&)> then);
    /// Stops timing because the user asked; `note` says so.
    void stopTiming();
    /// Drops times that were measured with other inputs.
    void inputsChanged();
    Measured measured() const { return m_measured; } ///< The subject of the running timing.
    /// The progress or the failure of timing; may be empty.
    const QString& note() const { return m_note; }
    /// Returns the times of these partitions; null if they were not timed.
    const fx::remote::PartitionTimes* timesOf(const std::vector<fx::Partition>& partitions) const;

    void findProfile(const PartitionTimer& timer); ///< Creates the oneDNN profile of this machine.
    void cancelProfile();                          ///< Cancels `findProfile`.
    /// The progress of creating a profile, or empty.
    const QString& finding() const { return m_finding; }
    /// Returns the result of `findProfile`, once: empty, or the error. Nullopt if there is no new result.
    std::optional<QString> takeProfile() { return std::exchange(m_found, {}); }

Q_SIGNALS:
    /// Emitted when choices were read from the view of the document, or their marks have moved with an edit.
    void choicesRestored();
    /// Emitted when an edit left no nodes of `count` manual moves, or made them impossible. Undo restores them.
    void movesDropped(std::size_t count);
    /// Emitted when a proposal arrived or was cancelled.
    void proposed();
    void timesChanged();   ///< Emitted when times, `measured` or `note` change.
    void profileChanged(); ///< Emitted when `finding` changes or a result is available.

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
    std::shared_ptr<const fx::GraphModule> m_markedVersion; ///< the version of the marks of single nodes
    std::vector<fx::NamedPartitions> m_hand;
    HandMemory m_handMemory;
    std::shared_ptr<const fx::GraphModule> m_handVersion;             ///< the version of `m_hand`
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
