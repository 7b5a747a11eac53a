// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/quant/measure/scan_pace.h"
#include "ui/quant/quant_job.h"
#include "ui/quant/quant_plan.h"
#include "ui/run/run_session.h"

namespace ui {

/// The quantisation of a document: its settings, and a run, which is an operation of the document that ends with one
/// change that can be undone. GUI thread only.
class QuantSession final : public QObject {
    Q_OBJECT
public:
    QuantSession(RunSession& run, WorkerService& worker, QObject* parent);
    ~QuantSession() override;
    /// The session that belongs to `run`; created on first use and destroyed with it.
    static QuantSession* of(RunSession& run, WorkerService& worker);

    RunSession& run() const { return m_run; }
    Document& document() const { return m_run.document(); }
    const QuantChoices& choices() const { return m_choices; }
    void setChoices(const QuantChoices& choices);
    /// Changes of the user's rules are no versions of the model; they have steps back and forth of their own.
    bool canStepRules(bool redo) const { return canChangeRules() && !(redo ? m_laterRules : m_earlierRules).empty(); }
    void stepRules(bool redo);

    /// Why the document cannot be quantised now, or empty.
    QString whyNot() const;
    /// Which data the current version was quantised with, as its history tells, also after a recovery; empty for a
    /// version that no step quantised.
    QString madeWith() const;
    /// It only lacks what is to be said of the inputs.
    bool needsInputs() const;
    void quantise();
    void cancel();

    /// Whether somebody looks at the plan: it is found only then.
    void setWatched(bool watched);
    /// What quantising the current version with these choices does; of an earlier version or other choices until the
    /// new one is known; null without a plan.
    const QuantPlan* plan() const { return m_plan.version ? &m_plan : nullptr; }
    /// That, or else what was done when the measured version was made: its nodes are those of the version before.
    const QuantPlan* shownPlan() const;
    /// The names of the QConfigs that would quantise a node of the plan; null until they are known.
    const std::vector<std::string_view>* fitting(fx::NodeId node) const;
    /// Of that plan; without one, the user's rules, so that one that is refused can be removed.
    const std::vector<QuantPlan::Rule>& rules() const { return shownPlan() ? shownPlan()->rules : m_plan.rules; }
    /// Whether rules can be changed now.
    bool canChangeRules() const;
    /// The current version cannot be quantised, as it is already.
    bool isQuantised() const { return m_isQuantised; }
    bool isScanning() const { return m_scanning != nullptr; }
    /// Why there is no plan, as a sentence without its stop; or empty.
    const QString& noPlan() const { return m_noPlan; }
    /// Of the current version; null if it was not quantised here, or with other settings, data or inputs than now.
    const QuantMeasured* measured() const;
    /// Something was measured, of another version or other settings.
    bool isMeasuredOther() const { return m_measured && !measured(); }
    /// Whether it is of what became of the current version, with the current settings.
    bool isMeasuredAfter() const {
        return m_measured && m_measured->before == document().module() &&
               measuring(m_measured->choices) == measuring(m_choices);
    }

    /// Measures what each layer alone costs and proposes which to quantise; goes on where the last scan of the same
    /// model and choices stopped.
    void scan();
    /// Why that is not possible now, or empty.
    QString whyNoScan() const;
    /// What is known of the layers' sensitivity for the current choices, also of layers that rules leave out by now.
    const fx::quant::SensitivityScan& sensitivity() const { return m_scan; }
    /// How many of the layers that would be quantised were not scanned.
    std::size_t unscanned() const;
    const std::optional<fx::remote::LayerScan>& proposal() const { return m_proposal; }
    /// Takes the proposal over: a rule for each layer that stays in floating point.
    void useProposal();
    bool isBusy() const { return m_operation != 0; }
    const QString& doing() const { return m_doing; } ///< while busy
    double done() const { return m_done; }           ///< 0..1

    /// What the last run has to say of the current version; `isBad`: it failed.
    QString told() const { return m_toldBad || m_toldOf == document().module() ? m_told : QString(); }
    bool toldBad() const { return m_toldBad; }

Q_SIGNALS:
    void changed();
    void progressed();
    /// The plan, what was measured or the scan is another one.
    void planChanged();
    /// A scan has measured another layer.
    void scanned();

private:
    void applyChoices(const QuantChoices& choices);
    void findPlan();
    void findFits();
    /// Tells which choices and inputs measurements belong to: not the error budget.
    static QuantChoices measuring(QuantChoices choices);
    /// Tells which model and choices a scan belongs to.
    QString scanKey() const;
    fx::quant::SensitivityScan scannedOfPlan() const;
    /// What the document keeps of the scan with that key.
    fx::quant::SensitivityScan keptScan(const QString& key) const;
    /// Puts a scan before those that the document keeps of other settings and versions.
    void keepScan(const QString& key, const fx::quant::SensitivityScan& scan);
    void restoreScan();
    /// Keeps what was measured of the current version with the document: it may be closed and opened again.
    void keepMeasured();
    /// What the document keeps of measurements, if they are of the current version, and the plan that led to it.
    void restoreMeasured();
    /// Keeps with the document what the running scan has measured by now: its tab may be closed, and the program ended.
    void keepScan();
    void endScan();
    void takeScan(const std::shared_ptr<const fx::GraphModule>& version, fx::remote::LayerScan scan);
    /// Starts an operation of the document on the worker.
    template<class Result>
    void begin(const QString& what, std::function<Result(const WorkerCall&)> work, std::function<void(Result)> done) {
        m_told.clear();
        m_doing = tr("waiting for the worker"), m_done = 0;
        m_operation = document().operations().begin(DocumentOperations::Kind::Edit, what, [this] { cancel(); });
        m_worker.request<Result>(
            key(), std::move(work), this, std::move(done), [this](const fx::Error& error) { fail(error); },
            [this](const QString& doing, double part) { progress(doing, part); });
        Q_EMIT changed();
    }
    void fail(const fx::Error& error);
    void progress(const QString& doing, double part);
    std::optional<fx::InputDescription> inputs() const;
    void take(const QString& name, const std::shared_ptr<const fx::GraphModule>& before, Quantised made);
    QString madeText(const Quantised& made) const;
    /// A line for each, with what to do.
    static QString warningsText(const fx::Warnings& warnings);
    void tell(const QString& what, bool isBad);
    void end();
    WorkerService::Key key() const { return {WorkerService::Kind::Values, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    QuantChoices m_choices;
    std::vector<std::vector<QuantRule>> m_earlierRules, m_laterRules; ///< the last one is the next step
    DocumentOperations::Id m_operation = 0;                           ///< while it runs
    QString m_doing, m_told;
    double m_done = 0;
    bool m_toldBad = false;
    std::shared_ptr<const fx::GraphModule> m_toldOf;            ///< the version that was current then
    std::vector<std::shared_ptr<const fx::PastedFile>> m_files; ///< that the history needs
    TaskSlot<QuantPlan> m_planning{"quant.plan"};
    TaskSlot<QuantFits> m_fittingTask{"quant.fits"};
    TaskSlot<QuantPlan> m_restoring{"quant.restored_plan"};
    QuantFits m_fits; ///< of the plan; empty until they are known
    bool m_watched = false, m_isQuantised = false;
    QuantPlan m_plan, m_measuredPlan;
    QString m_noPlan;
    std::optional<QuantMeasured> m_measured;
    std::shared_ptr<QuantScanProgress> m_scanning; ///< while a scan runs
    QString m_scanningKey;                         ///< of that scan: settings may change meanwhile
    std::size_t m_scanned = 0;                     ///< layers of it that are kept
    mutable std::weak_ptr<const fx::GraphModule> m_madeOf;
    mutable QString m_made;     ///< `madeWith` of that version: the step holds its whole graph
    fx::quant::ScanPace m_pace; ///< of that scan
    fx::quant::SensitivityScan m_scan;
    std::optional<fx::remote::LayerScan> m_proposal;
};

} // namespace ui
