// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/session.h"
#include "app/cli/verbs.h"
#include "core/base/child_processes.h"
#include "core/diag/error.h"
#include "core/remote/worker_client.h"

#include <cerrno>
#include <cstring>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace app {
namespace {

[[noreturn]] void becomeWorker() {
    const std::string program = fx::remote::defaultWorkerCommand().front();
    char* const argv[] = {const_cast<char*>(program.c_str()), nullptr};
    unblockInterrupts();
    ::execvp(program.c_str(), argv);
    throw fx::Error(fx::ErrorKind::Refused,
                    fx::Message("remote.cannot_start", {{"program", program}, {"detail", std::strerror(errno)}}));
}

/// The worker tries its sandbox and prints what it found. Throws Error{Run} when it cannot run.
int checkWorker(const fx::Progress& progress) {
    constexpr std::chrono::milliseconds kSlice{50};
    const std::string program = fx::remote::defaultWorkerCommand().front();
    pid_t child = -1;
    try {
        child = fx::startChild({program, "--check"}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
    } catch (const std::system_error& error) {
        throw fx::Error(fx::ErrorKind::Run,
                        fx::Message("remote.cannot_start",
                                    {{"program", program}, {"detail", std::strerror(error.code().value())}}));
    }
    std::optional<int> status;
    while (!status) {
        status = fx::reapChild(child, kSlice);
        if (!status && progress.stopRequested()) fx::killChild(child), progress.check();
    }
    if (WIFEXITED(*status) && (WEXITSTATUS(*status) == kDone || WEXITSTATUS(*status) == kAnswerIsNo))
        return WEXITSTATUS(*status);
    const std::string how = WIFSIGNALED(*status) ? "was ended by signal " + std::to_string(WTERMSIG(*status))
                                                 : "ended with code " + std::to_string(WEXITSTATUS(*status));
    throw fx::Error(fx::ErrorKind::Run, fx::Message("remote.did_not_start", {{"how", how}}));
}

Action declareWorker(CLI::App& cli) {
    auto check = std::make_shared<bool>(false);
    cli.add_flag("--check", *check, "print whether models are held in a sandbox here, as JSON; try it");
    return [check](Session& session) -> int {
        if (*check) return checkWorker(session.progress());
        becomeWorker();
    };
}

} // namespace

const Verb kWorkerVerb = {"worker", "become lancet-worker, the process that runs models",
                          "lancet worker < requests > answers", declareWorker};

} // namespace app
