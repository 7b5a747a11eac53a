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
    throw fx::Error(fx::ErrorKind::Refused,
                    fx::Message("remote.cannot_start", {{"program", program}, {"detail", std::strerror(errno)}}));
}

Action declareWorker(CLI::App&) {
    return [](Session&) -> int { becomeWorker(); };
}

} // namespace

const Verb kWorkerVerb = {"worker", "become lancet-worker, the process that runs models",
                          "lancet worker < requests > answers", declareWorker};

} // namespace app
