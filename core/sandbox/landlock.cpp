// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sandbox/landlock.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// The header of an older kernel does not know the versions of the running one: numbers and structures are our own.
// They are the same on all architectures.
namespace fx {
namespace {

constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr std::uint32_t kAskVersion = 1;
constexpr int kRulePathBeneath = 1;

struct RulesetAttributes {
    std::uint64_t files = 0, network = 0, scoped = 0;
};

struct [[gnu::packed]] PathBeneath {
    std::uint64_t allowed = 0;
    std::int32_t parent = -1;
};

constexpr std::uint64_t kExecute = 1 << 0, kReadFile = 1 << 2, kReadFolder = 1 << 3;

/// What each version added; all of it is refused but reading.
struct Version {
    std::uint64_t files, network, scoped;
};
constexpr std::array<Version, 6> kVersions{{
    {(1 << 13) - 1, 0, 0}, // 1: execute, write, read, read folders, remove (2), make (7 kinds)
    {1 << 13, 0, 0},       // 2: rename and link between folders
    {1 << 14, 0, 0},       // 3: truncate
    {0, 0b11, 0},          // 4: bind and connect of TCP
    {1 << 15, 0, 0},       // 5: ioctl of devices
    {0, 0, 0b11},          // 6: abstract sockets, signals
}};                        // 7 and 8 add flags of restrict_self for logs and threads

RulesetAttributes handledBy(int version) {
    RulesetAttributes out;
    for (std::size_t i = 0; i < std::min<std::size_t>(static_cast<std::size_t>(version), kVersions.size()); ++i) {
        out.files |= kVersions[i].files;
        out.network |= kVersions[i].network;
        out.scoped |= kVersions[i].scoped;
    }
    return out;
}

/// A right is that of an inode. Those of /proc come and go, unless something keeps them open.
bool isMadeAnew(int file) {
    struct statfs system {};
    return ::fstatfs(file, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

void allow(int ruleset, const std::string& path, std::uint64_t more = 0) {
    const int file = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat status {};
    if (file < 0 || ::fstat(file, &status) != 0) return;
    const PathBeneath rule{more | (S_ISDIR(status.st_mode) ? kReadFile | kReadFolder : kReadFile), file};
    ::syscall(kAddRule, ruleset, kRulePathBeneath, &rule, 0);
    if (!isMadeAnew(file)) ::close(file);
}

} // namespace

int landlockVersion() {
    const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
    return version > 0 ? static_cast<int>(version) : 0;
}

bool restrictFiles(const std::vector<std::string>& readable, const std::vector<std::string>& executable) {
    const RulesetAttributes handled = handledBy(landlockVersion());
    const int ruleset = static_cast<int>(::syscall(kCreateRuleset, &handled, sizeof handled, 0));
    if (ruleset < 0) return false;
    for (const std::string& path : readable) allow(ruleset, path);
    for (const std::string& path : executable) allow(ruleset, path, kExecute);
    const bool restricted = ::syscall(kRestrictSelf, ruleset, 0) == 0;
    ::close(ruleset);
    return restricted;
}

} // namespace fx
