// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"
#include "core/quant/measure/scan_pace.h"
#include "ui/quant/quant_job.h"
#include "ui/quant/quant_plan.h"
#include "ui/run/run_session.h"

namespace ui {

/// The quantisation of a document: its settings, and a run, which is an operation of the document and results in one
/// change that can be undone. GUI thread only.
class QuantSession final : public QObject {
    Q_OBJECT
public:
    /// Use `of` instead. `run` must outlive the session.
    QuantSession(RunSession& run, WorkerService& worker, QObject* parent);
    ~QuantSession() override;
    /// Returns the session that belongs to `run`. Creates it on first use; `run` owns it.
    static QuantSession* of(RunSession& run, WorkerService& worker);

    RunSession& run() const { return m_run; }                 ///< The run session of the document.
    Document& document() const { return m_run.document(); }   ///< The document of the session.
    const QuantChoices& choices() const { return m_choices; } ///< The user's settings.
    /// Replaces the settings. A change of the rules can be undone by `stepRules`.
    void setChoices(const QuantChoices& choices);
    /// True if a change of the user's rules can be undone or redone. These changes are not versions of the model.
    bool canStepRules(bool redo) const { return canChangeRules() && !(redo ? m_laterRules : m_earlierRules).empty(); }
    void stepRules(bool redo); ///< Undoes or redoes a change of the user's rules.

    /// Returns the reason why the document cannot be quantised now, or empty.
    QString whyNot() const;
    /// Names the data with which the current version was quantised, according to its history, also after a recovery.
    /// Empty if no step quantised it.
    QString madeWith() const;
    /// True if only the inputs have to be specified before quantising.
    bool needsInputs() const;
    void quantise(); ///< Quantises the current version.
    void cancel();   ///< Cancels quantisation or the scan; the scan keeps its results.

    /// Sets whether the plan is visible. It is computed only then.
    void setWatched(bool watched);
    /// The plan for the current version and settings; the previous one until the new plan is known. Null without a
    /// plan.
    const QuantPlan* plan() const { return m_plan.version ? &m_plan : nullptr; }
    /// Returns `plan`, or else the plan that led to the measured version: its nodes are those of the version before.
    const QuantPlan* shownPlan() const;
    /// Returns the names of the QConfigs that would quantise a node of the plan; null until they are known.
    const std::vector<std::string_view>* fitting(fx::NodeId node) const;
    /// The rules of `shownPlan`; without one, the user's rules, so that a refused rule can be removed.
    const std::vector<QuantPlan::Rule>& rules() const { return shownPlan() ? shownPlan()->rules : m_plan.rules; }
    /// True if rules can be changed now.
    bool canChangeRules() const;
    /// True if the current version cannot be quantised because it already is.
    bool isQuantised() const { return m_isQuantised; }
    bool isScanning() const { return m_scanning != nullptr; } ///< True while a scan runs.
    /// The reason why there is no plan, as a sentence without a full stop; or empty.
    const QString& noPlan() const { return m_noPlan; }
    /// The measurements of the current version; null if it was not quantised here, or with other settings, data or
    /// inputs.
    const QuantMeasured* measured() const;
    /// True if there are only measurements of another version or other settings.
    bool isMeasuredOther() const { return m_measured && !measured(); }
    /// True if the measurements are of the result of quantising the current version with the current settings.
    bool isMeasuredAfter() const {
        return m_measured && m_measured->before == document().module() &&
               measuring(m_measured->choices) == measuring(m_choices);
    }

    /// Measures the error that each layer alone causes and proposes which layers to quantise. Continues the last scan
    /// of the same model and settings.
    void scan();
    /// Returns the reason why a scan is not possible now, or empty.
    QString whyNoScan() const;
    /// The known sensitivities of layers for the current settings, including layers that rules exclude now.
    const fx::quant::SensitivityScan& sensitivity() const { return m_scan; }
    /// Returns the number of layers in the plan that were not scanned.
    std::size_t unscanned() const;
    /// The result of the last scan.
    const std::optional<fx::remote::LayerScan>& proposal() const { return m_proposal; }
    /// Applies the proposal: adds a rule for each layer that stays in floating point.
    void useProposal();
    bool isBusy() const { return m_operation != 0; } ///< True while quantisation or a scan runs.
    const QString& doing() const { return m_doing; } ///< The current step; only while busy.
    double done() const { return m_done; }           ///< The fraction done, 0 to 1.

    /// The message of the last run about the current version; an error if `toldBad`.
    QString told() const { return m_toldBad || m_toldOf == document().module() ? m_told : QString(); }
    bool toldBad() const { return m_toldBad; } ///< True if `told` is an error.

Q_SIGNALS:
    void changed();    ///< Emitted when settings, state or message change.
    void progressed(); ///< Emitted when `doing` or `done` change.
    /// Emitted when the plan, the measurements or the scan change.
    void planChanged();
    /// Emitted when a scan has measured another layer.
    void scanned();

private:
    void applyChoices(const QuantChoices& choices);
    void findPlan();
    void findFits();
    /// Returns the settings that measurements depend on: all except the error budget.
    static QuantChoices measuring(QuantChoices choices);
    /// Returns the key of model and settings that a scan depends on.
    QString scanKey() const;
    fx::quant::SensitivityScan scannedOfPlan() const;
    /// Returns the stored scan with that key.
    fx::quant::SensitivityScan keptScan(const QString& key) const;
    /// Stores a scan in front of those of other settings and versions.
    void keepScan(const QString& key, const fx::quant::SensitivityScan& scan);
    void restoreScan();
    /// Stores the measurements of the current version in the document, which may be closed and opened again.
    void keepMeasured();
    /// Restores stored measurements of the current version, and the plan that led to it.
    void restoreMeasured();
    /// Stores the results of the running scan in the document, because its tab may be closed and the program ended.
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
    /// Returns one line for each warning, with its remedy.
    static QString warningsText(const fx::Warnings& warnings);
    void tell(const QString& what, bool isBad);
    void end();
    WorkerService::Key key() const { return {WorkerService::Kind::Values, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    QuantChoices m_choices;
    std::vector<std::vector<QuantRule>> m_earlierRules, m_laterRules; ///< the last is the next step
    DocumentOperations::Id m_operation = 0;                           ///< while an operation runs
    QString m_doing, m_told;
    double m_done = 0;
    bool m_toldBad = false;
    std::shared_ptr<const fx::GraphModule> m_toldOf;            ///< the version that was current then
    std::vector<std::shared_ptr<const fx::PastedFile>> m_files; ///< files that the history needs
    TaskSlot<QuantPlan> m_planning{"quant.plan"};
    TaskSlot<QuantFits> m_fittingTask{"quant.fits"};
    TaskSlot<QuantPlan> m_restoring{"quant.restored_plan"};
    QuantFits m_fits; ///< for the plan; empty until they are known
    bool m_watched = false, m_isQuantised = false;
    QuantPlan m_plan, m_measuredPlan;
    QString m_noPlan;
    std::optional<QuantMeasured> m_measured;
    std::shared_ptr<QuantScanProgress> m_scanning; ///< set while a scan runs
    QString m_scanningKey;                         ///< key of that scan: settings may change meanwhile
    std::size_t m_scanned = 0;                     ///< number of its layers that are stored
    fx::quant::ScanPace m_pace;                    ///< of that scan
    fx::quant::SensitivityScan m_scan;
    std::optional<fx::remote::LayerScan> m_proposal;
};

} // namespace ui
