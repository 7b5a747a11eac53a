// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/gui_program.h"

#include "app/cli/interrupt.h"
#include "core/base/child_processes.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace app {
namespace {

[[noreturn]] void exec(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<char*> argv = {const_cast<char*>(program.c_str())};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execvp(program.c_str(), argv.data());
    throw fx::Error(fx::ErrorKind::Refused,
                    fx::Message("cli.cannot_start_window", {{"program", program}, {"detail", std::strerror(errno)}}));
}

/// The child's side after fork: never returns.
[[noreturn]] void execOffscreen(const std::vector<std::string>& arguments, int messages) {
    ::dup2(messages, STDERR_FILENO);
    ::dup2(messages, STDOUT_FILENO);
    ::setenv("QT_QPA_PLATFORM", "offscreen", 1);
    unblockInterrupts();
    try {
        exec(fx::programBeside("lancet-gui"), arguments);
    } catch (const fx::Error& error) {
        const std::string message = error.what();
        [[maybe_unused]] const auto written = ::write(messages, message.data(), message.size());
        ::_exit(4);
    }
}

/// What the child says until it closes its end.
std::string readMessages(int descriptor, pid_t child, const fx::Progress& progress) {
    std::string text;
    std::array<char, 4096> buffer;
    for (pollfd waiting = {descriptor, POLLIN, 0};;) {
        if (progress.stopRequested()) ::kill(child, SIGKILL);
        if (::poll(&waiting, 1, 50) <= 0) continue;
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count == 0 || (count < 0 && errno != EINTR)) return text;
        if (count > 0 && text.size() < 65536) text.append(buffer.data(), static_cast<std::size_t>(count));
    }
}

fx::ErrorKind kindOf(int status) {
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 5;
    return code >= 2 && code <= 6 ? static_cast<fx::ErrorKind>(code - 2) : fx::ErrorKind::Refused;
}

} // namespace

void becomeGui(const std::vector<std::string>& arguments) {
    unblockInterrupts();
    exec(fx::programBeside("lancet-gui"), arguments);
}

void runGuiOffscreen(const std::vector<std::string>& arguments, const fx::Progress& progress) {
    std::array<int, 2> pipe;
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.no_pipe", {{"detail", std::strerror(errno)}}));
    const pid_t child = ::fork();
    if (child == 0) execOffscreen(arguments, pipe[1]);
    ::close(pipe[1]);
    if (child < 0)
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.no_process", {{"detail", std::strerror(errno)}}));
    std::string said = readMessages(pipe[0], child, progress);
    ::close(pipe[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    progress.check();
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    while (!said.empty() && said.back() == '\n') said.pop_back();
    throw fx::Error(kindOf(status), !said.empty() ? fx::Message("cli.window_said", {{"text", said}})
                                    : WIFSIGNALED(status)
                                        ? fx::Message("cli.window_died", {{"signal", strsignal(WTERMSIG(status))}})
                                        : fx::Message("cli.window_failed"));
}

} // namespace app
