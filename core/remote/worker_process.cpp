// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/worker_process.h"

#include "core/base/child_processes.h"
#include "core/diag/error.h"
#include "core/remote/descriptor_channel.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fx::remote {
namespace {

struct Pipe {
    std::array<int, 2> ends{-1, -1};
    enum class Kind : std::uint8_t { Bytes, Descriptors };
    explicit Pipe(Kind kind) {
        const int made = kind == Kind::Bytes ? ::pipe2(ends.data(), O_CLOEXEC)
                                             : ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
        if (made != 0) throw Error(ErrorKind::Run, Message("remote.no_pipe", {{"detail", std::strerror(errno)}}));
    }
    ~Pipe() { close(0), close(1); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    void close(std::size_t end) {
        if (ends[end] >= 0) ::close(ends[end]);
        ends[end] = -1;
    }
    int release(std::size_t end) { return std::exchange(ends[end], -1); }
};

} // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command, bool local) {
    Pipe toChild(Pipe::Kind::Bytes), fromChild(Pipe::Kind::Bytes), descriptors(Pipe::Kind::Descriptors);
    try {
        static_assert(kDescriptorChannel == STDERR_FILENO + 1);
        m_id = local ? startChild(command, {toChild.ends[0], fromChild.ends[1], STDERR_FILENO, descriptors.ends[0]})
                     : startChild(command, {toChild.ends[0], fromChild.ends[1], STDERR_FILENO});
    } catch (const std::system_error& error) {
        throw Error(ErrorKind::Run, Message("remote.cannot_start", {{"program", command.front()},
                                                                    {"detail", std::strerror(error.code().value())}}));
    }
    m_input = toChild.release(1);
    ::fcntl(m_input, F_SETFL, O_NONBLOCK); // a worker that reads nothing must not hold up who writes
    m_output = fromChild.release(0);
    if (!local) return;
    m_channel = descriptors.release(1);
    ::shutdown(m_channel, SHUT_RD); // nothing is expected of it
}

WorkerProcess::~WorkerProcess() {
    finish(std::chrono::milliseconds(0));
    ::close(m_input);
    ::close(m_output);
    if (m_channel >= 0) ::close(m_channel);
}

void WorkerProcess::signal(int number) const {
    if (m_id > 0) ::kill(m_id, number);
}

bool WorkerProcess::alive() const {
    siginfo_t ended{};
    return m_id > 0 && ::waitid(P_PID, static_cast<id_t>(m_id), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

std::string WorkerProcess::finish(std::chrono::milliseconds patience) {
    if (m_id <= 0) return "has ended";
    const pid_t id = std::exchange(m_id, -1);
    std::optional<int> status = reapChild(id, patience);
    if (status) ::kill(-id, SIGKILL); // what it has started
    else status = killChild(id);
    if (!status) return "does not end";
    if (WIFSIGNALED(*status)) {
        m_signal = WTERMSIG(*status);
        return std::string("was ended by signal ") + std::to_string(m_signal) + " (" + strsignal(m_signal) + ")";
    }
    return "ended with code " + std::to_string(WEXITSTATUS(*status));
}

} // namespace fx::remote
