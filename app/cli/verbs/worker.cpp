// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/interrupt.h"
#include "app/cli/verbs.h"
#include "core/diag/error.h"
#include "core/remote/worker_client.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace app {
namespace {

[[noreturn]] void becomeWorker() {
    const std::string program = fx::remote::defaultWorkerCommand().front();
    char* const argv[] = {const_cast<char*>(program.c_str()), nullptr};
    unblockInterrupts();
    ::execvp(program.c_str(), argv);
    throw fx::Error(fx::ErrorKind::Refused, "cannot start " + program + ": " + std::strerror(errno))
        .hinting("the worker is a program of its own, lancet-worker, and is looked for beside lancet and on PATH");
}

Action declare(CLI::App&) {
    return [](Session&) -> int { becomeWorker(); };
}

} // namespace

const Verb kWorkerVerb = {"worker", "become lancet-worker, the process that runs models",
                          "lancet worker < requests > answers", declare};

} // namespace app
