// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/machine_load.h"
#include "ui/result/change_facts.h"
#include "ui/timing/timing_session.h"

#include <QTimer>

namespace ui {

/// What is known of one version of a document beyond its verification and its times: how it differs from the original,
/// as these compare it too. With `setTimesEdits` it also times each edit shortly, when it is verified and the machine
/// has nothing else to do. GUI thread only.
class ResultSession final : public QObject {
    Q_OBJECT
public:
    explicit ResultSession(TimingSession& timing, WorkerService& worker);
    /// The one that belongs to `timing`; made when there is none, and ends with it.
    static ResultSession* of(TimingSession& timing, WorkerService& worker);

    TimingSession& timing() const { return m_timing; }
    RunSession& run() const { return m_timing.run(); }
    Document& document() const { return m_timing.document(); }
    /// How the current version differs from the original; null: it is the original, or that is not known yet.
    const ChangeFacts* changes() const;
    /// By how many bytes the values that its nodes compute are more than in the original; nullopt: not known.
    std::optional<std::int64_t> activationDifference() const;

    /// The document is the one that is looked at.
    void setInFront(bool inFront);
    /// Whether each edit is timed by itself.
    void setTimesEdits(bool times);

Q_SIGNALS:
    void changed();

private:
    /// What is known of a version; kept as long as the history has it.
    struct Known {
        std::shared_ptr<const fx::GraphModule> version;
        std::optional<ChangeFacts> changes;
        std::optional<std::int64_t> activations;
    };
    Known& knownOf(const std::shared_ptr<const fx::GraphModule>& version);
    const Known* find(const fx::GraphModule* version) const;
    void versionChanged();
    void noteShapes();
    void considerTiming();
    void look();
    bool wantsTiming() const;

    TimingSession& m_timing;
    WorkerService& m_worker;
    std::vector<Known> m_known;
    TaskSlot<ChangeFacts> m_comparing{"result.changes"};
    TaskSlot<std::optional<std::int64_t>> m_summing{"result.activations"};
    QTimer m_look; ///< when the machine is looked at again
    fx::timing::ProcessorTime m_before;
    bool m_inFront = false, m_timesEdits = false;
};

} // namespace ui
