// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/own_child.h"

#include "core/base/child_processes.h"
#include "core/diag/error.h"
#include "core/json/json_writer.h"
#include "core/reader/reader_client.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

#include "core/own/programs.inc" // the .py files of this folder: tools/library packs them

/// Files of the machine that Python, NumPy and LibTorch read when they start.
constexpr std::array kMachineFiles = {"/usr",
                                      "/lib",
                                      "/lib64",
                                      "/etc/ld.so.cache",
                                      "/etc/localtime",
                                      "/etc/passwd",
                                      "/etc/nsswitch.conf",
                                      "/dev/null",
                                      "/dev/urandom",
                                      "/proc/self",
                                      "/proc/cpuinfo",
                                      "/proc/meminfo",
                                      "/proc/stat",
                                      "/proc/sys/vm",
                                      "/sys/devices/system"};
/// Start programs that are linked dynamically.
constexpr std::array kLoaders = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"};

/// What lancet-reader reads before it becomes the program.
std::string rightsOf(const OwnChild& child) {
    JsonWriter json;
    const auto list = [&json](const char* key, const auto&... lists) {
        json.key(key).beginArray();
        const auto add = [&json](const auto& texts) {
            for (const auto& text : texts) json.string(text);
        };
        (add(lists), ...);
        json.endArray();
    };
    json.beginObject();
    list("read", kMachineFiles, child.python.folders, child.readable);
    list("run", std::array{child.python.program}, kLoaders);
    json.key("largest_file").integer(static_cast<std::int64_t>(child.largestOutput));
    json.key("parent").integer(::getpid());
    return json.endObject().text();
}

std::vector<std::string> commandOf(const OwnChild& child) {
    std::vector<std::string> command;
    const bool isLauncher = child.python.program == child.python.launcher;
    if (child.python.sandboxed) command = {reader::readerProgram(), "--become", rightsOf(child)};
    // It has the user's rights: neither the current folder, which may be that of the source, nor what variables name
    // may say what runs.
    if (isLauncher) command = {"/usr/bin/env", "-C", "/"};
    for (char** variable = environ; isLauncher && *variable; ++variable)
        if (const std::string_view text = *variable; text.starts_with("PYTHON"))
            command.insert(command.end(), {"-u", std::string(text.substr(0, text.find('=')))});
    const auto* program = std::ranges::find(kLibrary, child.program, [](const auto& each) { return each.first; });
    command.push_back(child.python.program);
    if (isLauncher) command.emplace_back("-I"); // no packages of the user, and no sitecustomize beside a source
    command.insert(command.end(), {"-u", "-c", std::string(program->second)});
    command.insert(command.end(), child.arguments.begin(), child.arguments.end());
    return command;
}

/// A running child whose output is read; killed by the destructor unless it has ended.
class Running {
public:
    explicit Running(const OwnChild& child) {
        const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        std::array<int, 2> output{-1, -1};
        int error = ::pipe2(output.data(), O_CLOEXEC) == 0 ? 0 : errno;
        std::vector<int> descriptors{nothing, output[1], output[1]};
        descriptors.insert(descriptors.end(), child.outputs.begin(), child.outputs.end());
        try {
            if (error == 0) m_id = startChild(commandOf(child), descriptors);
        } catch (const std::system_error& failure) { error = failure.code().value(); }
        m_output = output[0];
        ::close(nothing);
        ::close(output[1]);
        if (error == 0) return;
        end();
        throw Error(ErrorKind::Run, Message("python.cannot_start",
                                            {{"program", child.python.program}, {"detail", std::strerror(error)}}));
    }
    ~Running() { end(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    /// What it printed within 100 ms; false at the end of its output.
    bool read(std::string& into) {
        into.clear();
        pollfd wait{m_output, POLLIN, 0};
        const int ready = ::poll(&wait, 1, 100);
        if (ready == 0 || (ready < 0 && errno == EINTR)) return true;
        std::array<char, 4096> bytes{};
        const ssize_t count = ::read(m_output, bytes.data(), bytes.size());
        if (count > 0) into.assign(bytes.data(), static_cast<std::size_t>(count));
        return count > 0 || (count < 0 && errno == EINTR);
    }
    /// Its status, if it has ended within 100 ms.
    std::optional<int> status() {
        const auto ended = reapChild(m_id, std::chrono::milliseconds(100));
        if (ended) m_id = -1;
        return ended;
    }

private:
    void end() {
        if (m_id > 0) killChild(std::exchange(m_id, -1));
        if (m_output >= 0) ::close(std::exchange(m_output, -1));
    }

    pid_t m_id = -1;
    int m_output = -1;
};

} // namespace

int runOwnChild(const OwnChild& child, const std::function<void(std::string_view)>& told, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    Running running(child);
    const auto check = [&] {
        progress.check();
        if (child.limit.count() > 0 && std::chrono::steady_clock::now() - start > child.limit)
            throw Error(ErrorKind::Run, Message("python.too_slow",
                                                {{"program", child.python.program}, {"seconds", child.limit.count()}}));
    };
    std::string text;
    while (running.read(text)) {
        if (!text.empty() && told) told(text);
        check();
    }
    std::optional<int> status;
    while (!(status = running.status())) check(); // it has closed its output, and may still write the result
    if (WIFSIGNALED(*status))
        throw Error(ErrorKind::Run, Message("python.ended_by_signal", {{"program", child.python.program},
                                                                       {"signal", strsignal(WTERMSIG(*status))}}));
    return WEXITSTATUS(*status);
}

} // namespace fx
