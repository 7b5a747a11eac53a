// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/child_process.h"

#include "core/base/child_processes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace fx {
namespace {
constexpr std::size_t kMaxOutput = 16u << 20;

/// A file descriptor that is closed with its owner.
struct Descriptor {
    int value = -1;
    ~Descriptor() { close(); }
    void close() {
        if (value >= 0) ::close(value);
        value = -1;
    }
};

/// A running child; killed and reaped when it goes out of scope.
class Child {
public:
    Child(const std::vector<std::string>& command, int stream) {
        Descriptor nothing{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
        try {
            m_pid = startChild(command, {stream, stream, nothing.value});
        } catch (const std::system_error&) {} // without the program there is another layout
    }
    ~Child() {
        if (m_pid > 0) killChild(m_pid);
    }
    bool running() const { return m_pid > 0; }
    /// Whether it ends by itself before the deadline, with exit status 0.
    bool succeeds(std::chrono::steady_clock::time_point deadline, const Progress& progress) {
        constexpr std::chrono::milliseconds kSlice{20}; // between looks at the stop token
        while (!progress.stopRequested()) {
            if (const auto status = reapChild(m_pid, kSlice)) {
                m_pid = -1;
                return WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
            }
            if (std::chrono::steady_clock::now() >= deadline) break;
        }
        return false;
    }

private:
    pid_t m_pid = -1;
};

/// Moves bytes both ways until the child closes its output. False at the limit, a stop or too much output.
bool converse(Descriptor& ours, const std::string& input, std::string& output,
              std::chrono::steady_clock::time_point deadline, const Progress& progress) {
    std::size_t written = 0;
    std::array<char, 65536> buffer;
    if (input.empty()) ::shutdown(ours.value, SHUT_WR);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        if (left <= 0 || progress.stopRequested() || output.size() > kMaxOutput) return false;
        pollfd poll{ours.value, static_cast<short>(POLLIN | (written < input.size() ? POLLOUT : 0)), 0};
        const int ready =
            ::poll(&poll, 1, static_cast<int>(std::min<long>(left, 20))); // wakes to look at the stop token
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        if (poll.revents & POLLOUT) {
            const auto sent =
                ::send(ours.value, input.data() + written, input.size() - written, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
            if (sent > 0) written += static_cast<std::size_t>(sent);
            if (written == input.size()) ::shutdown(ours.value, SHUT_WR);
        }
        if (poll.revents & (POLLIN | POLLHUP | POLLERR)) {
            const auto got = ::recv(ours.value, buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (got == 0) return true;
            if (got < 0 && errno != EAGAIN && errno != EINTR) return false;
            if (got > 0) output.append(buffer.data(), static_cast<std::size_t>(got));
        }
    }
}
} // namespace

std::optional<std::string> runFilter(const std::vector<std::string>& command, const std::string& input,
                                     std::chrono::milliseconds limit, const Progress& progress) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return std::nullopt;
    Descriptor ours{pair[0]}, theirs{pair[1]};
    Child child(command, theirs.value);
    theirs.close();
    std::string output;
    if (!child.running() || !converse(ours, input, output, deadline, progress)) return std::nullopt;
    // One that closes its output and goes on is not waited for longer than the limit either.
    return child.succeeds(deadline, progress) ? std::optional(std::move(output)) : std::nullopt;
}

} // namespace fx
