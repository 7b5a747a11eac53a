// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_guess.h"
#include "core/remote/verify_report.h"
#include "ui/document/document.h"
#include "ui/run/worker_service.h"

namespace ui {

/// What is remembered of a file's runs between starts, by the file's path: JSON.
struct RunMemory {
    std::function<QByteArray(const QString& path)> read;
    std::function<void(const QString& path, const QByteArray& json)> write;
};

/// How one version of the model compares with the one that was opened.
struct Verification {
    std::shared_ptr<const fx::GraphModule> version;
    std::optional<fx::VerifyReport> report;
    std::optional<fx::Error> error;      ///< why it could not be found out
    std::optional<fx::Error> probeError; ///< why probing an inconclusive verdict ended without an answer
    /// The original cannot run on the inputs either: they are wrong, whatever the edits are.
    bool originalFails() const { return error && error->side == fx::Side::A; }
    /// The outputs agree, but that shows nothing, and nothing was tried yet to find out.
    bool isOpen() const {
        return report && report->verdict == fx::Verdict::Inconclusive && report->probes.empty() && !probeError;
    }
};

/// What is known of running a document: its inputs, and how each version compares with the original. Every change of
/// the document is verified in the background; what was found out for a version stays until inputs or tolerances
/// change. An inconclusive verdict is probed in the background, with inputs of other scales and re-scaled weights, when
/// the document is in front and as long as the version is current. GUI thread only.
class RunSession final : public QObject {
    Q_OBJECT
public:
    enum class State { NoModel, Unchanged, NeedsInputs, Running, Done, Failed };

    RunSession(Document& document, WorkerService& worker, RunMemory memory, QObject* parent);
    /// Nothing runs for a document that was closed.
    ~RunSession() override;

    Document& document() const { return m_document; }
    /// What the model is run with; guessed until somebody said otherwise.
    const fx::InputDescription& inputs() const { return m_inputs; }
    const std::vector<fx::InputGuess>& guesses() const { return m_guesses; }
    void setInputs(fx::InputDescription inputs);
    /// The inputs as a project keeps them: JSON; empty while they are only guessed.
    std::string inputsToKeep() const { return m_told ? fx::inputsJson(m_inputs) : std::string(); }
    /// The inputs that were assumed and nobody has confirmed: "x 1×3×224×224 float32"; empty: none.
    QString guessed() const;
    /// The inputs that versions are compared on: none, while they are only guessed, for then the worker guesses as it
    /// does for `lancet verify`, with batches of two where both models take them.
    fx::InputDescription inputsToVerify() const;
    /// Takes guesses whose sizes the layers behind the first ones fit; they stay guesses. Ignored once somebody has
    /// said what the inputs are.
    void refineGuess(std::vector<fx::InputGuess> guesses);
    /// Shapes went through the model with the guessed inputs: what cannot run now cannot run for another reason.
    void confirmGuess();
    /// No version has ever fitted these inputs, which were only guessed: an error need not be the model's.
    bool guessDoesNotFit() const;
    /// What has to be told about the inputs before the model can run; empty: nothing.
    QString missing() const { return m_missing; }

    const fx::Tolerances& tolerances() const { return m_tolerances; }
    void setTolerances(fx::Tolerances tolerances);

    /// Of the version that is current.
    State state() const;
    const Verification* current() const;
    /// Of any version, or null.
    const Verification* of(const fx::GraphModule* version) const;
    /// Whether every change is verified by itself.
    bool automatic() const { return m_automatic; }
    void setAutomatic(bool automatic);

    /// The document is the one that is looked at: only then does a probe start by itself.
    void setInFront(bool inFront);
    /// Something tries to decide the inconclusive verdict on the current version.
    bool isProbing() const { return m_probed != nullptr; }
    /// What is being tried; while probing.
    const QString& probeStep() const { return m_probeStep; }
    double probeDone() const { return m_probeDone; } ///< 0..1

public Q_SLOTS:
    /// Verifies the current version, also when it is known already or is the original.
    void verify();
    void cancel();
    /// Tries to decide the inconclusive verdict on the current version, also when that was cancelled before.
    void probe();
    /// It is not tried again by itself for this version.
    void cancelProbe();

Q_SIGNALS:
    void inputsChanged();
    /// Inputs or tolerances have changed: what was found out with others says nothing any more.
    void verificationsDropped();
    void verifyChanged();
    void probeProgressed();

private:
    void versionChanged();
    void guess();
    void recall();
    bool adoptInputs(const std::string& json);
    void remember();
    void findMissing();
    void forget();
    void take(Verification verification);
    void stop();
    void endVerifying();
    void probeByItself();
    void startProbe(std::shared_ptr<const fx::GraphModule> version);
    void dropProbe();
    void endProbe(const std::shared_ptr<const fx::GraphModule>& version,
                  const std::function<void(Verification&)>& note);
    WorkerService::Key key() const { return {WorkerService::Kind::Verify, this}; }
    WorkerService::Key probeKey() const { return {WorkerService::Kind::Probe, this}; }

    Document& m_document;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    RunMemory m_memory;
    std::shared_ptr<const fx::GraphModule> m_original, m_running; ///< running: the version that is verified, or null
    std::shared_ptr<const fx::GraphModule> m_probed;              ///< that is probed, or null
    DocumentOperations::Id m_verifying = 0, m_probing = 0;        ///< while that runs
    QString m_probeStep;
    double m_probeDone = 0;
    fx::InputDescription m_inputs;
    std::vector<fx::InputGuess> m_guesses;
    QString m_missing;
    fx::Tolerances m_tolerances;
    QString m_remembered; ///< the file with which inputs and tolerances are remembered
    std::vector<Verification> m_verified;
    bool m_automatic = true, m_told = false; ///< told: the inputs were said by the user
    bool m_guessFits = false, m_inFront = false;
    TaskSlot<std::vector<fx::InputGuess>> m_guessing{"run.guess"};
};

} // namespace ui
