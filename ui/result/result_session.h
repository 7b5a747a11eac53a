// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/machine_load.h"
#include "ui/result/change_facts.h"
#include "ui/timing/timing_session.h"

#include <QPointer>
#include <QTimer>

namespace ui {

/// Facts about the versions of a document besides verification and times: how each differs from the original. With
/// `setTimesEdits` it also times each edit briefly, once it is verified and the machine is idle. GUI thread only.
class ResultSession final : public QObject {
    Q_OBJECT
public:
    /// Use `of` instead; `timing` becomes the parent.
    explicit ResultSession(TimingSession& timing, WorkerService& worker);
    /// Stops all requests, so that nothing runs for a closed document.
    ~ResultSession() override;
    /// Returns the session that belongs to `timing`. Creates it on first use; `timing` owns it.
    static ResultSession* of(TimingSession& timing, WorkerService& worker);

    TimingSession& timing() const { return m_timing; }         ///< The timings of the document.
    RunSession& run() const { return m_timing.run(); }         ///< The runs of the document.
    Document& document() const { return m_timing.document(); } ///< The document of the session.
    /// Returns how the current version differs from the original; null if it is the original, or while unknown.
    const ChangeFacts* changes() const;
    /// Returns the growth in bytes of the values that nodes compute compared with the original; nullopt: unknown.
    std::optional<std::int64_t> activationDifference() const;

    /// Sets whether the document is in front.
    void setInFront(bool inFront);
    /// Sets whether each edit is timed automatically.
    void setTimesEdits(bool times);

Q_SIGNALS:
    void changed(); ///< Emitted when more is known.

private:
    /// Facts about a version; kept as long as the history contains it.
    struct Known {
        std::shared_ptr<const fx::GraphModule> version;
        std::optional<ChangeFacts> changes;
        std::optional<std::int64_t> activations;
        bool isAsked = false; ///< its shapes were requested, because it was never current
    };
    Known& knownOf(const std::shared_ptr<const fx::GraphModule>& version);
    const Known* find(const fx::GraphModule* version) const;
    void versionChanged();
    void noteShapes();
    void considerOriginal();
    WorkerService::Key key() const { return {WorkerService::Kind::Shapes, this}; }
    void considerTiming();
    void look();
    bool wantsTiming() const;

    TimingSession& m_timing;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    std::vector<Known> m_known;
    TaskSlot<ChangeFacts> m_comparing{"result.changes"};
    TaskSlot<std::optional<std::int64_t>> m_summing{"result.activations"};
    QTimer m_look{this}; ///< delay until the load of the machine is checked again
    fx::timing::ProcessorTime m_before;
    bool m_inFront = false, m_timesEdits = false;
};

} // namespace ui
