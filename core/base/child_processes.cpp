// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/child_processes.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <set>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace fx {
namespace {

using namespace std::chrono_literals;
constexpr auto kKillPatience = 500ms; ///< what SIGKILL takes when the child frees much memory

/// A number is in the set exactly while nobody has reaped it: no other process can have it, so killing it is safe.
struct Children {
    std::mutex mutex;
    std::set<pid_t> running, abandoned;
    bool exiting = false;
};

/// Never destroyed: threads may still use it while the process exits.
Children& children() {
    static auto* const kChildren = new Children;
    return *kChildren;
}

/// The group does not exist before the child has made it.
void sendKill(pid_t child) {
    if (::kill(-child, SIGKILL) != 0) ::kill(child, SIGKILL);
}

void reapAbandoned(Children& all) {
    std::erase_if(all.abandoned, [](pid_t child) { return ::waitpid(child, nullptr, WNOHANG) != 0; });
}

} // namespace

std::string programBeside(const char* name) {
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    const auto beside = self.parent_path() / name;
    return !failed && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : name;
}

pid_t startChild(const std::vector<std::string>& command, const std::vector<int>& descriptors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const int count = static_cast<int>(descriptors.size());
    int place = 0;
    std::vector<int> copies; // of descriptors whose numbers others take
    for (int descriptor : descriptors) {
        if (descriptor < count && descriptor != place)
            copies.push_back(descriptor = ::fcntl(descriptor, F_DUPFD_CLOEXEC, count));
        posix_spawn_file_actions_adddup2(&actions, descriptor, place++);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, place); // libraries open files without O_CLOEXEC
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_t child = -1;
    const int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    for (const int copy : copies) ::close(copy);
    if (error != 0) throw std::system_error(error, std::generic_category());
    watchChild(child);
    return child;
}

void watchChild(pid_t child) {
    Children& all = children();
    const std::lock_guard lock(all.mutex);
    reapAbandoned(all);
    all.running.insert(child);
    if (all.exiting) sendKill(child);
}

std::optional<int> reapChild(pid_t child, std::chrono::milliseconds patience) {
    Children& all = children();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    for (auto pause = 1ms;; pause = std::min(pause * 2, 16ms)) {
        {
            const std::lock_guard lock(all.mutex);
            int status = 0;
            const pid_t ended = ::waitpid(child, &status, WNOHANG);
            if (ended == child || (ended < 0 && errno != EINTR)) {
                all.running.erase(child);
                return status;
            }
        }
        if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
        std::this_thread::sleep_for(pause);
    }
}

std::optional<int> killChild(pid_t child) {
    Children& all = children();
    {
        const std::lock_guard lock(all.mutex);
        if (!all.running.contains(child)) return std::nullopt;
        sendKill(child);
    }
    const auto status = reapChild(child, kKillPatience);
    if (status) return status;
    const std::lock_guard lock(all.mutex);
    all.running.erase(child);
    all.abandoned.insert(child);
    return std::nullopt;
}

void killChildren() {
    Children& all = children();
    const std::lock_guard lock(all.mutex);
    all.exiting = true;
    for (const pid_t child : all.running) sendKill(child);
}

} // namespace fx
