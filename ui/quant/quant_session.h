// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/quant/quant_job.h"
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

    /// Why the document cannot be quantised now, or empty.
    QString whyNot() const;
    /// It only lacks what is to be said of the inputs.
    bool needsInputs() const;
    void quantise();
    void cancel();
    bool isBusy() const { return m_operation != 0; }
    const QString& doing() const { return m_doing; } ///< while busy
    double done() const { return m_done; }           ///< 0..1

    /// What the last run has to say; `isBad`: it failed.
    const QString& told() const { return m_told; }
    bool toldBad() const { return m_toldBad; }

Q_SIGNALS:
    void changed();
    void progressed();
    /// To be said in the status bar.
    void notified(const QString& what);

private:
    void take(const QString& name, const std::shared_ptr<const fx::GraphModule>& before, Quantised made);
    void tell(const QString& what, bool isBad);
    void end();
    WorkerService::Key key() const { return {WorkerService::Kind::Values, this}; }

    RunSession& m_run;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    QuantChoices m_choices;
    DocumentOperations::Id m_operation = 0; ///< while it runs
    QString m_doing, m_told;
    double m_done = 0;
    bool m_toldBad = false;
    std::vector<std::shared_ptr<const fx::PastedFile>> m_files; ///< that the history needs
};

} // namespace ui
