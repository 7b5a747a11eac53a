// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_guess.h"
#include "core/remote/verify_report.h"
#include "ui/document/document.h"
#include "ui/run/worker_service.h"

namespace ui {

/// Storage for the settings of a file's runs between starts, as JSON by the file's path.
struct RunMemory {
    std::function<QByteArray(const QString& path)> read;                    ///< returns empty if nothing is stored
    std::function<void(const QString& path, const QByteArray& json)> write; ///< may be empty
};

/// The comparison of one version of the model with the opened one.
struct Verification {
    std::shared_ptr<const fx::GraphModule> version; ///< the compared version
    std::optional<fx::VerifyReport> report;         ///< nullopt: the comparison failed
    std::optional<fx::Error> error;                 ///< why the comparison failed
    std::optional<fx::Error> probeError;            ///< why probing or a longer search ended without a result
    /// True if the original cannot run on the inputs either: they are wrong, independent of the edits.
    bool originalFails() const { return error && error->side == fx::Side::A; }
    /// True if the outputs agree without being evidence, and no probes have been tried.
    bool isOpen() const {
        return report && report->verdict == fx::Verdict::Inconclusive && report->probes.empty() && !probeError;
    }
};

/// The runs of a document: its inputs, and the verdict on each version compared with the original. Every change of the
/// document is verified in the background, but not the version in which a project was opened. Verdicts are kept until
/// inputs or tolerances change. An inconclusive verdict is probed in the background, with inputs of other scales and
/// re-scaled weights, while the document is in front and the version is current. GUI thread only.
class RunSession final : public QObject {
    Q_OBJECT
public:
    /// The state of the current version. Unchanged: it is the original, or has not been verified.
    enum class State { NoModel, Unchanged, NeedsInputs, Running, Done, Failed };

    /// `document` must outlive the session.
    RunSession(Document& document, WorkerService& worker, RunMemory memory, QObject* parent);
    /// Stops all requests, so that nothing runs for a closed document.
    ~RunSession() override;

    Document& document() const { return m_document; } ///< The document of the session.
    /// The inputs of the model; guessed until the user or the project specifies them.
    const fx::InputDescription& inputs() const { return m_inputs; }
    /// One guess per input; empty until they are known.
    const std::vector<fx::InputGuess>& guesses() const { return m_guesses; }
    void setInputs(fx::InputDescription inputs); ///< Sets the inputs and drops all verdicts.
    /// The inputs as a project stores them (JSON); empty while they are only guessed.
    std::string inputsToKeep() const { return m_told ? fx::inputsJson(m_inputs) : std::string(); }
    /// Returns the guessed inputs that the user has not confirmed: "x 1×3×224×224 float32"; empty: none.
    QString guessed() const;
    /// Returns the inputs of which only the batch size is guessed and not confirmed, like `guessed`.
    QString assumedBatch() const;
    /// Returns the inputs for comparing versions. Empty while they are only guessed: then the worker guesses as for
    /// `lancet verify`, with batches of two if both models accept them.
    fx::InputDescription inputsToVerify() const;
    /// Returns the inputs that a comparison tries first: `inputs`, or their guess with batches of two.
    fx::InputDescription inputsTriedFirst() const;
    /// Replaces the guesses by sizes that fit all layers; they remain guesses. Ignored once the inputs are specified.
    void refineGuess(std::vector<fx::InputGuess> guesses);
    /// Records that shapes could be inferred with the guessed inputs: later failures have another cause.
    void confirmGuess();
    /// True if no version has accepted the guessed inputs so far: an error may be due to them.
    bool guessDoesNotFit() const;
    /// Returns the guesses if no version has accepted them so far; empty for inputs of the user.
    std::vector<fx::InputGuess> unconfirmedGuesses() const;
    /// The reason why the inputs do not suffice to run the model; empty if they do.
    QString missing() const { return m_missing; }

    const fx::Tolerances& tolerances() const { return m_tolerances; } ///< The tolerances of comparisons.
    void setTolerances(fx::Tolerances tolerances);                    ///< Sets the tolerances and drops all verdicts.

    /// Returns the state of the current version.
    State state() const;
    const Verification* current() const; ///< Returns the verification of the current version, or null.
    /// True if the current version is not the original. A project may be opened like this, and is then verified on
    /// request.
    bool isEdited() const {
        return m_document.versions().history() && m_document.versions().history()->model() != m_original;
    }
    /// Returns the verification of any version, or null.
    const Verification* of(const fx::GraphModule* version) const;
    /// True if every change is verified automatically.
    bool automatic() const { return m_automatic; }
    void setAutomatic(bool automatic); ///< Sets whether every change is verified automatically.

    /// Sets whether the document is in front: only then do probes start automatically.
    void setInFront(bool inFront);
    /// True while probes or a longer search run for the current version.
    bool isProbing() const { return m_probed != nullptr; }
    /// The current trial; while probing.
    const QString& probeStep() const { return m_probeStep; }
    double probeDone() const { return m_probeDone; } ///< The fraction done, 0 to 1.

public Q_SLOTS:
    /// Verifies the current version, even if it is known or is the original.
    void verify();
    void cancel(); ///< Stops the verification.
    /// Tries to decide the inconclusive verdict on the current version, even if that was cancelled before.
    void probe();
    /// Runs both models on further inputs for half a minute if they agree; `isProbing` meanwhile.
    void searchLonger();
    /// Stops probing. It does not restart automatically for this version.
    void cancelProbe();

Q_SIGNALS:
    void inputsChanged(); ///< Emitted when `inputs` or `guesses` change.
    /// Emitted when all verdicts were dropped because inputs or tolerances have changed.
    void verificationsDropped();
    void verifyChanged();   ///< Emitted when the state or a verdict changes.
    void probeProgressed(); ///< Emitted when `probeStep` or `probeDone` change.

private:
    void versionChanged();
    void guess();
    void recall();
    /// `chosen` are the inputs that the user chose for the file at this path, or empty.
    bool adoptInputs(const std::string& json, const std::string& chosen);
    void remember();
    void findMissing();
    void forget();
    void take(Verification verification);
    void stop();
    void endVerifying();
    void verifyRefused();
    void probeByItself();
    void startProbe(std::shared_ptr<const fx::GraphModule> version);
    void beginProbe(std::shared_ptr<const fx::GraphModule> version);
    WorkerService::Key probeKey() const { return {WorkerService::Kind::Probe, this}; }
    void noteProbe(const QString& what, double done);
    void dropProbe();
    void endProbe(const std::shared_ptr<const fx::GraphModule>& version,
                  const std::function<void(Verification&)>& note);
    WorkerService::Key key() const { return {WorkerService::Kind::Verify, this}; }

    Document& m_document;
    WorkerService& m_worker;
    QPointer<WorkerService> m_workerLives;
    RunMemory m_memory;
    /// `m_running` is the version that is being verified, or null.
    std::shared_ptr<const fx::GraphModule> m_original, m_running;
    std::shared_ptr<const fx::GraphModule> m_opened;       ///< the version in the file: a project may contain edits
    std::shared_ptr<const fx::GraphModule> m_probed;       ///< the version that is probed, or null
    DocumentOperations::Id m_verifying = 0, m_probing = 0; ///< while these run
    QString m_probeStep;
    double m_probeDone = 0;
    fx::InputDescription m_inputs;
    std::vector<fx::InputGuess> m_guesses;
    QString m_missing;
    fx::Tolerances m_tolerances;
    QString m_remembered; ///< the file for which inputs and tolerances are stored
    std::vector<Verification> m_verified;
    bool m_automatic = true, m_told = false; ///< `m_told`: the inputs are specified
    bool m_guessFits = false, m_inFront = false;
    TaskSlot<std::vector<fx::InputGuess>> m_guessing{"run.guess"};
};

} // namespace ui
