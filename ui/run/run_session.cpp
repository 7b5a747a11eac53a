// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_session.h"

#include "core/files/file_identity.h"
#include "ui/run/input_text.h"
#include "ui/run/verify_version.h"
#include "ui/widgets/core_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <filesystem>

namespace ui {

namespace {

/// Inputs of a project, which comes from anywhere: they name only files in its folder or below, and those that the user
/// chose for the project at this path, `chosen`. The others are to be chosen again.
void limitFiles(fx::InputDescription& inputs, const std::string& project, const fx::InputDescription& chosen) {
    const std::filesystem::path folder = std::filesystem::path(project).parent_path();
    for (fx::InputSpec& input : inputs.inputs) {
        const bool isChosen = std::any_of(chosen.inputs.begin(), chosen.inputs.end(), [&](const auto& each) {
            return each.generator == fx::Generator::File && each.file == input.file;
        });
        if (input.file.empty() || isChosen) continue;
        const bool isInside = !fx::resolvedInside(folder.string(), input.file).empty();
        input.file = isInside ? (folder / input.file).string() : std::string();
    }
}

} // namespace

RunSession::RunSession(Document& document, WorkerService& worker, RunMemory memory, QObject* parent)
    : QObject(parent), m_document(document), m_worker(worker), m_workerLives(&worker), m_memory(std::move(memory)) {
    connect(&document, &Document::versionChanged, this, &RunSession::versionChanged);
    connect(&worker, &WorkerService::wantsWorker, this, [this] {
        if (m_probed) startProbe(m_probed); // behind what is wanted now
    });
    connect(&worker, &WorkerService::settingsChanged, this, [this] { // what ran has ended with the worker
        if (m_running) verify();
        else if (m_probed) startProbe(m_probed);
    });
    connect(&worker, &WorkerService::allowed, this, &RunSession::verifyRefused);
    versionChanged();
}

RunSession::~RunSession() {
    if (!m_workerLives) return;
    m_worker.cancel(key());
    m_worker.cancel(probeKey());
}

/// Also when the same version was saved: what runs for it goes on.
void RunSession::versionChanged() {
    const fx::History* history = m_document.versions().history();
    const auto original = history ? history->entries().front().model : nullptr;
    if (original != m_original) {
        m_original = original;
        m_opened = history ? history->model() : nullptr;
        m_verified.clear();
        m_guesses.clear();
        m_guessFits = false;
        if (original) guess();
    }
    // Versions that were undone and overwritten are no longer in the history.
    if (history)
        std::erase_if(m_verified, [&](const Verification& known) {
            return std::none_of(history->entries().begin(), history->entries().end(),
                                [&](const auto& entry) { return entry.model == known.version; });
        });
    // Saved elsewhere: the new file has been run with what was told here.
    if (m_document.file().path() != m_remembered && (m_told || !m_tolerances.types.empty())) remember();
    const auto version = history ? history->model() : nullptr;
    if (m_running && m_running != version) stop();
    if (m_probed && m_probed != version) dropProbe();
    if (m_running) return Q_EMIT verifyChanged();
    if (m_automatic && version && version != m_original && version != m_opened && !current() && !m_guesses.empty())
        return verify();
    probeByItself();
    Q_EMIT verifyChanged();
}

void RunSession::guess() {
    m_guessing.start([model = m_original](const fx::Progress&) { return fx::guessInputs(*model); }, this,
                     [this](std::vector<fx::InputGuess> guesses) {
                         m_guesses = std::move(guesses);
                         m_inputs = fx::guessedInputs(m_guesses);
                         m_told = false;
                         recall();
                         findMissing();
                         Q_EMIT inputsChanged();
                         versionChanged();
                     });
}

void RunSession::setInputs(fx::InputDescription inputs) {
    m_inputs = std::move(inputs);
    m_told = true;
    findMissing();
    remember();
    Q_EMIT inputsChanged();
    forget();
}

void RunSession::setTolerances(fx::Tolerances tolerances) {
    m_tolerances = std::move(tolerances);
    remember();
    forget();
}

void RunSession::setAutomatic(bool automatic) {
    m_automatic = automatic;
    if (automatic) versionChanged();
}

/// What was found out with other inputs or tolerances says nothing any more.
void RunSession::forget() {
    stop();
    dropProbe();
    m_verified.clear();
    Q_EMIT verificationsDropped();
    versionChanged();
}

void RunSession::findMissing() {
    m_missing = m_document.isPartial() ? tr("the graph is partial: tracing stopped before its output") : QString();
    for (const fx::InputSpec& input : m_inputs.inputs) {
        if (!m_missing.isEmpty()) return;
        const QString name = fromCore(input.name);
        const fx::InputGuess* guess = fx::guessFor(m_guesses, input.name);
        if (!m_told && guess && guess->sureness == fx::InputGuess::Sureness::Unknown)
            m_missing = tr("the shape and type of input %1 are unknown").arg(name);
        else if (const QString wrong = complaintAbout(input); !wrong.isEmpty())
            m_missing = QStringLiteral("%1: %2").arg(name, wrong);
    }
}

fx::InputDescription RunSession::inputsToVerify() const {
    return m_told ? m_inputs : fx::InputDescription{{}, m_inputs.seed};
}

fx::InputDescription RunSession::inputsTriedFirst() const {
    const auto ofTwo = m_told ? std::vector<fx::InputGuess>() : fx::withBatchesOfTwo(m_guesses);
    return ofTwo.empty() ? m_inputs : fx::InputDescription{fx::guessedInputs(ofTwo).inputs, m_inputs.seed};
}

namespace {
QString guessText(const fx::InputGuess& guess) {
    return fromCore(guess.input.name) + u' ' + shapeToText(guess.input.sizes) + u' ' +
           fromCore(guess.input.dtype).remove(QLatin1String("torch."));
}
} // namespace

QString RunSession::guessed() const {
    QStringList texts;
    for (const fx::InputGuess& guess : m_told ? std::vector<fx::InputGuess>() : m_guesses)
        if (!guess.isSafe()) texts << guessText(guess);
    return texts.join(QStringLiteral(", "));
}

QString RunSession::assumedBatch() const {
    QStringList texts;
    for (const fx::InputGuess& guess : m_told ? std::vector<fx::InputGuess>() : m_guesses)
        if (guess.sureness == fx::InputGuess::Sureness::Follows && guess.input.batchDim >= 0) texts << guessText(guess);
    return texts.join(QStringLiteral(", "));
}

void RunSession::refineGuess(std::vector<fx::InputGuess> guesses) {
    if (m_told || m_guesses.empty()) return;
    m_guesses = std::move(guesses);
    const std::uint64_t seed = m_inputs.seed;
    m_inputs = fx::guessedInputs(m_guesses);
    m_inputs.seed = seed;
    findMissing();
    Q_EMIT inputsChanged();
    forget();
}

void RunSession::confirmGuess() {
    if (std::exchange(m_guessFits, true)) return;
    Q_EMIT verifyChanged();
}

std::vector<fx::InputGuess> RunSession::unconfirmedGuesses() const {
    return m_guessFits || m_told ? std::vector<fx::InputGuess>() : m_guesses;
}

bool RunSession::guessDoesNotFit() const { return !m_guessFits && !guessed().isEmpty(); }

RunSession::State RunSession::state() const {
    const fx::History* history = m_document.versions().history();
    if (!history || m_document.state() != Document::State::Ready) return State::NoModel;
    if (m_running) return State::Running;
    if (const Verification* known = current()) return known->report ? State::Done : State::Failed;
    if (!m_missing.isEmpty()) return State::NeedsInputs;
    return State::Unchanged;
}

const Verification* RunSession::of(const fx::GraphModule* version) const {
    const auto known = std::find_if(m_verified.begin(), m_verified.end(),
                                    [&](const Verification& each) { return each.version.get() == version; });
    return known == m_verified.end() ? nullptr : &*known;
}

const Verification* RunSession::current() const {
    return m_document.versions().history() ? of(m_document.versions().history()->model().get()) : nullptr;
}

void RunSession::verify() {
    const fx::History* history = m_document.versions().history();
    if (!history) return;
    if (!m_missing.isEmpty()) return Q_EMIT verifyChanged();
    endVerifying(); // a request that is replaced has a moment to end
    dropProbe();
    m_running = history->model();
    m_verifying = m_document.operations().begin(
        DocumentOperations::Kind::Verify, tr("Verifying %1").arg(m_document.file().title()), [this] { cancel(); });
    m_document.operations().setWaiting(m_verifying);
    const auto version = m_running;
    m_worker.request<fx::VerifyReport>(
        key(),
        [original = m_original, version, inputs = inputsToVerify(), tolerances = m_tolerances](const WorkerCall& call) {
            return verifyVersion(call, original, version, inputs, tolerances);
        },
        this,
        [this, version](fx::VerifyReport report) {
            take({version, std::move(report), std::nullopt, std::nullopt});
        },
        [this, version](const fx::Error& error) {
            take({version, std::nullopt, error, std::nullopt});
        },
        [this](const QString& what, double done) { m_document.operations().report(m_verifying, what, done); });
    Q_EMIT verifyChanged();
}

void RunSession::stop() {
    if (!m_running) return;
    m_worker.cancel(key());
    endVerifying();
}

void RunSession::endVerifying() {
    m_running.reset();
    m_document.operations().end(std::exchange(m_verifying, 0));
}

/// Drops the refusals for want of a sandbox, now that the user has allowed running models.
void RunSession::verifyRefused() {
    const auto isRefused = [](const Verification& known) {
        return known.error && WorkerService::isRefusal(*known.error);
    };
    const bool wasRefused = current() && isRefused(*current());
    if (std::erase_if(m_verified, isRefused) == 0) return;
    if (wasRefused) verify();
    else Q_EMIT verifyChanged();
}

void RunSession::cancel() {
    stop();
    Q_EMIT verifyChanged();
}

void RunSession::take(Verification verification) {
    endVerifying();
    std::erase_if(m_verified, [&](const Verification& known) { return known.version == verification.version; });
    m_verified.push_back(std::move(verification));
    probeByItself();
    Q_EMIT verifyChanged();
}

/// Inputs of other names are those of another model under the same path.
bool RunSession::adoptInputs(const std::string& json, const std::string& chosen) {
    if (json.empty()) return false;
    try {
        fx::InputDescription inputs = fx::inputsFromJson(json);
        if (!fx::isForGuesses(inputs, m_guesses)) return false;
        if (json != chosen)
            limitFiles(inputs, m_document.file().path().toStdString(),
                       chosen.empty() ? fx::InputDescription() : fx::inputsFromJson(chosen));
        m_inputs = std::move(inputs);
        return m_told = true;
    } catch (const fx::Error&) { // as if nothing were remembered
        return false;
    }
}

/// The project itself says it best; of other files it is remembered by their path.
void RunSession::recall() {
    const QByteArray json =
        m_document.file().path().isEmpty() || !m_memory.read ? QByteArray() : m_memory.read(m_document.file().path());
    m_remembered = m_document.file().path();
    const QJsonObject all = QJsonDocument::fromJson(json).object();
    const QJsonValue inputs = all.value(QLatin1String("inputs"));
    const std::string chosen =
        inputs.isObject() ? QJsonDocument(inputs.toObject()).toJson().toStdString() : std::string();
    if (!adoptInputs(m_document.projectInputs(), chosen)) adoptInputs(chosen, chosen);
    if (json.isEmpty()) return;
    const QJsonArray types = all.value(QLatin1String("tolerances")).toArray();
    m_tolerances = {};
    for (const QJsonValue& type : types)
        m_tolerances.types.push_back(
            {type[QLatin1String("dtype")].toString().toStdString(),
             {type[QLatin1String("rtol")].toDouble(), type[QLatin1String("atol")].toDouble()}});
}

void RunSession::remember() {
    if (m_document.file().path().isEmpty() || !m_memory.write) return;
    QJsonObject all;
    if (m_told)
        all.insert(QLatin1String("inputs"),
                   QJsonDocument::fromJson(QByteArray::fromStdString(fx::inputsJson(m_inputs))).object());
    QJsonArray types;
    for (const auto& [dtype, tolerance] : m_tolerances.types)
        types.append(QJsonObject{{QLatin1String("dtype"), QString::fromStdString(dtype)},
                                 {QLatin1String("rtol"), tolerance.rtol},
                                 {QLatin1String("atol"), tolerance.atol}});
    all.insert(QLatin1String("tolerances"), types);
    m_remembered = m_document.file().path();
    m_memory.write(m_remembered, QJsonDocument(all).toJson(QJsonDocument::Compact));
}

} // namespace ui
