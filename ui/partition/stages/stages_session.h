// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_session.h"
#include "ui/partition/stages/stage_plan.h"

namespace ui {

/// The stages of one document: their number, their measure, and their cuts. Planning and exporting are operations of
/// the document. Moving a cut is immediate and has its own undo, without changing the model. Stored in the document's
/// view. GUI thread only.
class StagesSession final : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostStages = 256; ///< one process each

    explicit StagesSession(Document& document); ///< Use `of` instead; `document` becomes the parent.
    /// Returns the session of a document. Creates it on first use; the document owns it.
    static StagesSession* of(Document& document);

    /// True if the document shows stages instead of partitions by rules.
    bool isOn() const { return m_isOn; }
    void setOn(bool on);                               ///< Switches between stages and partitions by rules.
    int count() const { return m_count; }              ///< The number of stages.
    StageMeasure measure() const { return m_measure; } ///< The weight that stages balance.
    /// Plans new cuts. With StageMeasure::Measured, `timer` times the nodes first unless their times are known.
    void propose(int count, StageMeasure measure, const PartitionTimer& timer);

    /// Replaces times that were measured with other inputs by estimates.
    void inputsChanged();

    /// The plan for the current version; null until it is computed.
    const StagePlan* plan() const { return m_plan ? &*m_plan : nullptr; }
    /// The reason why planning failed, or empty.
    const QString& problem() const { return m_problem; }
    bool isBusy() const { return m_planning != 0; } ///< True while planning.
    /// The current cuts, including moves since the plan.
    const fx::StageLine::Cuts& cuts() const { return m_cuts; }
    /// The cut that the keyboard moves, or -1.
    int current() const { return m_current; }
    void choose(int cut); ///< Makes a cut the current one; -1: none.
    /// Moves a cut as far as its neighbours allow. Moves until `endMove` are undone together.
    void moveCut(int cut, std::size_t place);
    /// Moves a cut so that this fraction of the total weight is before it, 0 to 1.
    void dragCut(int cut, double share);
    void stepCut(int cut, int by); ///< Moves a cut by a number of calls, as one undo step.
    void endMove();                ///< Ends the moves that are undone together.
    /// The reason why these stages cannot be exported; empty if they can, or while unknown.
    const QString& refusal() const { return m_refusal; }
    bool canUndo() const { return !m_undone.empty(); } ///< True if there is a change to undo.
    bool canRedo() const { return !m_redone.empty(); } ///< True if there is a change to redo.
    void undo();                                       ///< Undoes the last change of the cuts.
    void redo();                                       ///< Redoes the last undone change.

    /// Writes the stages as a pipeline of processes, then calls `exported`.
    void exportTo(const QString& folder, std::function<void()> exported);
    /// The folder of the last export, or empty.
    const QString& folder() const { return m_folder; }

Q_SIGNALS:
    /// Emitted when the plan changes: the line, weights or number of stages.
    void changed();
    /// Emitted when cuts have moved, another cut is current, or `refusal` changes.
    void cutsChanged();

private:
    /// Stages before a change.
    struct Before {
        fx::StageLine::Cuts cuts;
        StageMeasure measure;
    };
    /// The stages of a version when another became current. Going back to the version restores them.
    struct Known {
        std::weak_ptr<const fx::GraphModule> version;
        std::vector<std::string> cuts;
        std::vector<Before> undone, redone;
        int serial;
    };
    void recall();
    void keep();
    void versionChanged();
    void leaveVersion();
    void enterVersion(const std::shared_ptr<const fx::GraphModule>& version);
    void replan(std::vector<std::string> kept);
    void take(StagePlan plan);
    void remember();
    void carryRemembered();
    void check();
    void restore(std::vector<Before>& from, std::vector<Before>& to);
    std::vector<std::string> names() const;

    Document& m_document;
    bool m_replans = false; ///< plan again after the move, because it cancelled planning
    bool m_isOn = false, m_isMoving = false;
    bool m_isMoved = false; ///< the user chose these cuts: they stay when shapes or times arrive
    int m_count = 2, m_current = -1;
    StageMeasure m_measure = StageMeasure::Estimated;
    std::optional<StagePlan> m_plan;
    std::shared_ptr<const fx::GraphModule> m_version; ///< the version of `m_plan`, or of the plan in progress
    QString m_problem, m_refusal, m_folder;
    fx::StageLine::Cuts m_cuts;
    std::vector<std::string> m_kept;           ///< the cuts by name, until there is a plan
    std::shared_ptr<const StagePlan> m_before; ///< the plan of an earlier version, until its stages are carried over
    std::shared_ptr<const fx::GraphModule> m_beforeVersion; ///< the version of `m_before`
    std::unordered_map<const fx::GraphModule*, Known> m_known;
    int m_serial = 0; ///< counts the user's changes of the cuts
    std::vector<Before> m_undone, m_redone;
    std::shared_ptr<const fx::GraphModule> m_timedVersion;
    fx::NodeTimes m_times; ///< of `m_timedVersion`
    DocumentOperations::Id m_planning = 0, m_checking = 0;
};

} // namespace ui
