// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/worker_self_test.h"

#include "app/worker/give_up_rights.h"
#include "core/base/child_processes.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/json/json_writer.h"

#include <torch/version.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace app {
namespace {

/// What happened inside; plain, since it comes through a pipe.
struct Findings {
    fx::SandboxState state;
    bool writes = true, network = true, starts = true, readsForeign = true, readsGiven = false, computes = false;
};

bool opens(const std::string& path, int flags) {
    const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    if (file >= 0) ::close(file);
    return file >= 0;
}

bool connects() {
    const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection >= 0) ::close(connection);
    return connection >= 0;
}

/// A program that does not exist is not looked for where programs cannot be started.
bool starts() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(child, nullptr, 0);
    char* const words[] = {nullptr};
    ::execve("/nowhere/lancet", words, words);
    return child > 0 || errno != EPERM;
}

bool computes() {
    try {
        const fx::engine::Value x = fx::engine::randomInput({300, 300}, at::kFloat, 0);
        return fx::engine::callFunction("torch.matmul", {x, x}).tensor().numel() == 300 * 300;
    } catch (const std::exception&) { return false; }
}

Findings tried(const std::string& folder) {
    const std::string given = folder + "/given", foreign = folder + "/foreign";
    fx::SandboxRights rights{machineFiles()};
    rights.readable.push_back(given);
    Findings out;
    out.state = fx::enterSandbox(rights);
    out.writes = opens(given, O_WRONLY) || opens(folder + "/new", O_WRONLY | O_CREAT) ||
                 ::rename(given.c_str(), foreign.c_str()) == 0;
    out.network = connects();
    out.starts = starts();
    out.readsForeign = opens(foreign, O_RDONLY);
    out.readsGiven = opens(given, O_RDONLY);
    out.computes = computes();
    return out;
}

/// A child, since a sandbox cannot be left. Nothing found when it died.
Findings found(const std::string& folder) {
    std::array<int, 2> ends{};
    Findings out;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return out;
    const pid_t child = ::fork();
    if (child == 0) {
        const Findings findings = tried(folder);
        ::_exit(::write(ends[1], &findings, sizeof findings) == sizeof findings ? 0 : 1);
    }
    ::close(ends[1]);
    if (::read(ends[0], &out, sizeof out) != sizeof out) out = Findings();
    ::close(ends[0]);
    if (child > 0) ::waitpid(child, nullptr, 0);
    return out;
}

/// What `lancet-reader --check` prints, `{...}`; empty if it does not start or does not end.
std::string readerFindings(bool& passed) {
    std::error_code failed;
    const auto beside = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "lancet-reader";
    const std::string program = std::filesystem::exists(beside, failed) ? beside.string() : "lancet-reader";
    std::array<int, 2> ends{};
    std::array<char, 512> text{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
    pid_t child = -1;
    try {
        child = fx::startChild({program, "--check"}, {STDIN_FILENO, ends[1], STDERR_FILENO});
    } catch (const std::system_error&) {} // then there is nothing to read
    ::close(ends[1]);
    const auto status = child > 0 ? fx::reapChild(child, std::chrono::seconds(10)) : std::nullopt;
    if (child > 0 && !status) fx::killChild(child);
    passed = status == 0; // as of waitpid
    const ssize_t count = status ? ::read(ends[0], text.data(), text.size()) : 0;
    ::close(ends[0]);
    const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    return std::string(line.substr(0, line.find('\n')));
}

std::string report(const Findings& found, const std::string& reader, bool readerPassed, bool passed) {
    fx::JsonWriter json;
    json.beginObject().key("sandbox").beginObject();
    json.key("landlock").integer(found.state.landlock).key("seccomp").boolean(found.state.seccomp);
    json.key("writes").boolean(found.writes).key("network").boolean(found.network).endObject();
    json.key("torch").string(TORCH_VERSION);
    if (!reader.empty()) json.key("reader").raw(reader);
    json.key("self_test").string(passed ? "passed" : "failed");
    const std::pair<const char*, bool> problems[] = {
        {"the kernel lacks Landlock", found.state.landlock == 0},
        {"the kernel lacks seccomp", !found.state.seccomp},
        {"it writes files", found.writes},
        {"it opens sockets", found.network},
        {"it starts processes", found.starts},
        {"it reads other files", found.readsForeign},
        {"it cannot read the given file", !found.readsGiven},
        {"LibTorch does not compute", !found.computes},
        {"lancet-reader, which reads Python sources, is not held", !readerPassed}};
    if (!passed) json.key("problems").beginArray();
    for (const auto& [text, is] : problems)
        if (!passed && is) json.string(text);
    if (!passed) json.endArray();
    return json.endObject().text();
}

} // namespace

int selfTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "lancet-check-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return std::perror("lancet-worker: cannot create a temporary folder"), 1;
    for (const char* name : {"/given", "/foreign"}) std::ofstream(folder + name) << "content";
    const Findings findings = found(folder);
    bool readerPassed = false;
    const std::string reader = readerFindings(readerPassed);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    const bool passed = findings.state.holds() && !findings.writes && !findings.network && !findings.starts &&
                        !findings.readsForeign && findings.readsGiven && findings.computes && readerPassed;
    std::puts(report(findings, reader, readerPassed, passed).c_str());
    return passed ? 0 : 1;
}

} // namespace app
