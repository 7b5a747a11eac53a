// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_session.h"
#include "ui/partition/stages/stage_plan.h"

namespace ui {

/// The stages of one document: their number, what they are balanced by, where they are cut. Planning and exporting are
/// operations of the document; moving a cut is immediate and can be undone here, without touching the model. Saved with
/// the document's view. GUI thread only.
class StagesSession final : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostStages = 256; ///< one process each

    explicit StagesSession(Document& document);
    /// The session of a document; created on first use and destroyed with it.
    static StagesSession* of(Document& document);

    /// Whether the document shows stages instead of partitions by rules.
    bool isOn() const { return m_isOn; }
    void setOn(bool on);
    int count() const { return m_count; }
    StageMeasure measure() const { return m_measure; }
    /// Cuts again. With StageMeasure::Measured, `timer` times the nodes first unless their times are known.
    void propose(int count, StageMeasure measure, const PartitionTimer& timer);

    /// The model runs with other inputs from now on: what was measured with those before is estimated again.
    void inputsChanged();

    /// The stages of the current version; null until they are planned.
    const StagePlan* plan() const { return m_plan ? &*m_plan : nullptr; }
    /// Why planning failed, or empty.
    const QString& problem() const { return m_problem; }
    bool isBusy() const { return m_planning != 0; }
    const fx::StageLine::Cuts& cuts() const { return m_cuts; }
    /// The cut that the keyboard moves, or -1.
    int current() const { return m_current; }
    void choose(int cut);
    /// Moves a cut as far as its neighbours allow. The moves until `endMove` are undone together.
    void moveCut(int cut, std::size_t place);
    /// Moves a cut to where this part of all the weight is before it, from 0 to 1.
    void dragCut(int cut, double share);
    void stepCut(int cut, int by);
    void endMove();
    /// Why these stages cannot be exported; empty if they can, or until this is known.
    const QString& refusal() const { return m_refusal; }
    bool canUndo() const { return !m_undone.empty(); }
    bool canRedo() const { return !m_redone.empty(); }
    void undo();
    void redo();

    /// Writes the stages as a pipeline of processes, then calls `exported`.
    void exportTo(const QString& folder, std::function<void()> exported);
    /// The folder of the last export, or empty.
    const QString& folder() const { return m_folder; }

Q_SIGNALS:
    /// Another plan, or none: the line, weights or number of stages.
    void changed();
    /// Cuts have moved, or another one is current.
    void cutsChanged();

private:
    /// Stages as they were before a change.
    struct Before {
        fx::StageLine::Cuts cuts;
        StageMeasure measure;
    };
    /// The stages of a version when another one became current: going back to it brings them back.
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
    bool m_replans = false; ///< after the cut is moved: a plan was dropped for it
    bool m_isOn = false, m_isMoving = false;
    bool m_isMoved = false; ///< the user chose these cuts: they stay when shapes or times arrive
    int m_count = 2, m_current = -1;
    StageMeasure m_measure = StageMeasure::Estimated;
    std::optional<StagePlan> m_plan;
    std::shared_ptr<const fx::GraphModule> m_version; ///< of m_plan, or of the plan in progress
    QString m_problem, m_refusal, m_folder;
    fx::StageLine::Cuts m_cuts;
    std::vector<std::string> m_kept;           ///< the cuts by name, until there is a plan
    std::shared_ptr<const StagePlan> m_before; ///< of an earlier version, until its stages are carried over
    std::shared_ptr<const fx::GraphModule> m_beforeVersion; ///< of m_before
    std::unordered_map<const fx::GraphModule*, Known> m_known;
    int m_serial = 0; ///< counts what the user did to the cuts
    std::vector<Before> m_undone, m_redone;
    std::shared_ptr<const fx::GraphModule> m_timedVersion;
    fx::NodeTimes m_times; ///< of m_timedVersion
    DocumentOperations::Id m_planning = 0, m_checking = 0;
};

} // namespace ui
