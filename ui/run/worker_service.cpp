// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/worker_service.h"

#include "ui/widgets/core_text.h"

#include <QProcess>
#include <QTimer>

namespace ui {

namespace {
/// What is outdated may still end by itself for so long: a new worker costs more.
constexpr int kGraceMs = 400;
constexpr int kFirst = 1; // before every kind of request
int priorityOf(WorkerService::Kind kind) { return -static_cast<int>(kind); }
} // namespace

fx::remote::WorkerOptions WorkerSettings::options() const {
    fx::remote::WorkerOptions out;
    for (const QString& word : QProcess::splitCommand(command)) out.command.push_back(word.toStdString());
    out.local = sameFiles;
    out.spare = true;
    for (const QString& library : libraries.split(QLatin1Char(':'), Qt::SkipEmptyParts))
        out.libraries.push_back(library.trimmed().toStdString());
    out.memoryBytes = static_cast<std::uint64_t>(memoryGigabytes * (1 << 30));
    return out;
}

fx::remote::WorkerOptions WorkerSettings::localOptions() const {
    fx::remote::WorkerOptions out;
    if (sameFiles) out.libraries = options().libraries;
    return out;
}

WorkerService::WorkerService(WorkerSettings settings, QObject* parent, fx::remote::CompleteModel complete)
    : QObject(parent), m_settings(std::move(settings)), m_complete(std::move(complete)),
      m_client(std::make_unique<fx::remote::WorkerClient>(options())) {
    m_pool.setMaxThreadCount(1);
    m_pool.setExpiryTimeout(-1);
}

WorkerService::~WorkerService() {
    m_stop.request_stop();
    for (const Request& request : std::as_const(m_requests)) request.state->cancel();
    for (const auto& replaced : m_replaced)
        if (const auto state = replaced.lock()) state->cancel();
    m_pool.clear();
    waitForCalls(m_pool);
}

fx::remote::WorkerOptions WorkerService::options() const {
    fx::remote::WorkerOptions out = m_settings.options();
    out.complete = m_complete;
    return out;
}

/// A request that ended without a word would leave its listener waiting for ever.
void WorkerService::setSettings(const WorkerSettings& settings) {
    if (settings == m_settings) return;
    m_settings = settings;
    const QMap<Key, Request> ended = m_requests;
    for (const Request& each : ended) each.state->cancel();
    m_machine.clear();
    setState(State::Off);
    restart(options());
    Q_EMIT settingsChanged();
    const fx::Error error(fx::ErrorKind::Refused, fx::Message("window.worker_changed"));
    for (auto each = ended.begin(); each != ended.end(); ++each)
        if (finish(each.key(), each->number) && each->listener && each->onError) each->onError(error);
}

void WorkerService::allow() {
    *m_allowed = true;
    Q_EMIT stateChanged();
    Q_EMIT allowed();
}

/// A pass tells which one was refused, and the code in "cause".
bool WorkerService::isRefusal(const fx::Error& error) {
    constexpr const char* kCode = "window.no_sandbox";
    return error.message().is(kCode) || error.message().argument("cause") == kCode;
}

void WorkerService::warmUp() { restart(std::nullopt); }

/// One job for both: a thread that waits takes what comes first whatever its priority, so two could run in either
/// order.
void WorkerService::restart(std::optional<fx::remote::WorkerOptions> options) {
    callOn(
        m_pool,
        [this, options = std::move(options)] {
            try {
                if (options) m_client = std::make_unique<fx::remote::WorkerClient>(*options);
                startClient(fx::Progress(m_stop.get_token()));
            } catch (const std::exception&) { // told by startClient
            }
        },
        kFirst);
}

/// The callbacks of a request that was replaced find that it is no longer the newest.
std::shared_ptr<TaskState> WorkerService::stateFor(Key key, quint64 number, QObject* listener,
                                                   TaskState::OnError onError, TaskState::OnProgress onProgress) {
    return std::make_shared<TaskState>(
        "worker", listener,
        [this, key, number, onError = std::move(onError)](const fx::Error& error) {
            if (finish(key, number) && onError) onError(error);
        },
        [this, key, number, onProgress = std::move(onProgress)](const QString& what, double done) {
            if (isNewest(key, number) && onProgress) onProgress(what, done);
        });
}

void WorkerService::enqueue(Key key, Request asked, Job job) {
    if (const auto old = m_requests.constFind(key); old != m_requests.constEnd()) {
        *old->outdated = true;
        std::erase_if(m_replaced, [](const auto& each) { return each.expired(); });
        m_replaced.push_back(old->state);
        QTimer::singleShot(kGraceMs, this, [replaced = old->state] { replaced->cancel(); });
    }
    asked.outdated = std::make_shared<std::atomic<bool>>(false);
    m_requests.insert(key, asked);
    callOn(
        m_pool,
        [this, state = asked.state, outdated = asked.outdated, job = std::move(job),
         timeout = std::chrono::seconds(m_settings.timeoutSeconds)] {
            if (!*outdated && !state->cancelled()) perform(state, job, timeout);
        },
        priorityOf(key.kind));
    if (key.kind != Kind::Probe) Q_EMIT wantsWorker();
}

void WorkerService::cancel(Key key) {
    const Request request = m_requests.take(key);
    if (request.state) request.state->cancel();
}

bool WorkerService::isNewest(Key key, quint64 number) const {
    const auto request = m_requests.constFind(key);
    return request != m_requests.constEnd() && request->number == number;
}

bool WorkerService::finish(Key key, quint64 number) {
    if (!isNewest(key, number)) return false;
    m_requests.remove(key);
    return true;
}

void WorkerService::setState(State state, const QString& failure) {
    if (state == m_state && failure == m_failure) return;
    m_state = state;
    m_failure = failure;
    Q_EMIT stateChanged();
}

void WorkerService::tell(std::function<void()> onGuiThread) { callLater(this, std::move(onGuiThread)); }

void WorkerService::startClient(const fx::Progress& progress) {
    if (m_client->running()) return;
    tell([this] { setState(State::Starting); });
    try {
        m_client->start(progress);
    } catch (const std::exception& error) {
        tell([this, why = linesFromCore(error.what())] { setState(State::Failed, why); });
        throw;
    }
    tell([this, machine = QString::fromStdString(m_client->machine()), held = m_client->isSandboxed()] {
        m_machine = machine;
        m_isHeld = held;
        setState(State::Ready);
    });
}

void WorkerService::perform(const std::shared_ptr<TaskState>& state, const Job& job,
                            std::chrono::milliseconds timeout) {
    const fx::Progress progress = state->progress();
    bool started = false;
    const auto fail = [&](const fx::Error& error) {
        state->deliverError(error);
        if (!started || m_client->running()) return;
        if (error.kind() != fx::ErrorKind::Cancelled) tell([this, error] { Q_EMIT died(error); });
        tell([this] { warmUp(); }); // the next request is not to wait for it
    };
    try {
        startClient(progress);
        started = true;
        if (!m_client->isSandboxed() && !*m_allowed)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.no_sandbox"));
        tell([this] { setState(State::Busy); });
        job({*m_client, timeout, progress});
    } catch (const fx::Error& error) { fail(error); } catch (const std::exception& error) {
        fail(fx::Error(fx::ErrorKind::Run, fx::Message("app.internal", {{"detail", error.what()}})));
    }
    if (started) tell([this, running = m_client->running()] { setState(running ? State::Ready : State::Off); });
}

} // namespace ui
