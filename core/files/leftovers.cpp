// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/leftovers.h"

#include "core/files/replaced_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {
namespace {

constexpr std::array<std::string_view, 2> kIntroductions = {kBackup, "lancet-"};
constexpr std::size_t kHashDigits = 8;

struct Mark {
    pid_t process = 0;
    unsigned long long start = 0;
    std::string_view system;
};

/// The number at the start of `text`, which must be followed by a dash; both are taken away.
template<class Number> bool takeNumber(std::string_view& text, Number& number) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    const auto length = static_cast<std::size_t>(end - text.data());
    if (failed != std::errc() || length >= text.size() || text[length] != '-') return false;
    text.remove_prefix(length + 1);
    return true;
}

/// A mark at the start of the text; a dash or nothing follows it.
std::optional<Mark> markAt(std::string_view text) {
    Mark mark;
    if (!takeNumber(text, mark.process) || !takeNumber(text, mark.start) || mark.process <= 0) return std::nullopt;
    mark.system = text.substr(0, text.find_first_not_of("0123456789abcdef"));
    const std::string_view rest = text.substr(mark.system.size());
    if (mark.system.size() != kHashDigits || (!rest.empty() && rest[0] != '-')) return std::nullopt;
    return mark;
}

/// The start time of a process in clock ticks since boot; nothing if no such process exists.
std::optional<unsigned long long> startOf(pid_t process) {
    std::ifstream in("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(in, text);
    std::size_t at = text.rfind(')'); // the name before it may hold anything
    if (at == std::string::npos) return std::nullopt;
    constexpr int kFieldsBetween = 20; // start time is the 22nd field, the name the second
    for (int i = 0; i < kFieldsBetween && at != std::string::npos; ++i) at = text.find(' ', at + 1);
    if (at == std::string::npos) return std::nullopt;
    return std::strtoull(text.c_str() + at, nullptr, 10);
}

/// Hash of the boot and the process namespace: numbers of processes mean something only there.
std::string systemHash() {
    std::string text;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
    std::error_code unknown;
    text += std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
    std::uint32_t hash = 0x811c9dc5; // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
    std::array<char, kHashDigits + 1> digits{};
    std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(hash));
    return digits.data();
}

const std::string& thisSystem() {
    static const std::string kHash = systemHash();
    return kHash;
}

bool hasEnded(const Mark& mark) {
    if (mark.system != thisSystem()) return false;
    if (::kill(mark.process, 0) != 0 && errno == ESRCH) return true;
    const auto start = startOf(mark.process);
    return start && *start != mark.start;
}

std::optional<Mark> markIn(std::string_view name) {
    for (const std::string_view introduction : kIntroductions)
        for (std::size_t at = name.find(introduction); at != std::string_view::npos;
             at = name.find(introduction, at + 1))
            if (const auto mark = markAt(name.substr(at + introduction.size()))) return mark;
    return std::nullopt;
}

/// Former weights that no other name has may be those of a description, whose next save removes them
/// (core/io/ir_json/kept_weights).
bool isKeptWeights(std::string_view name) { return name.find(".safetensors" + std::string(kBackup)) != name.npos; }

bool isAbandoned(const Mark& mark, const struct stat& status) {
    constexpr time_t kDay = 24 * 60 * 60;
    if (mark.system == thisSystem()) return hasEnded(mark);
    return std::time(nullptr) - status.st_ctim.tv_sec > kDay;
}

} // namespace

std::string processMark() {
    const pid_t own = ::getpid(); // asked each time: a forked process has another
    return std::to_string(own) + "-" + std::to_string(startOf(own).value_or(0)) + "-" + thisSystem();
}

bool hasEnded(std::string_view text) {
    const auto mark = markAt(text);
    return mark && hasEnded(*mark);
}

void removeLeftovers(const std::string& folder) {
    constexpr int kMostEntries = 10'000;
    DIR* const open = ::opendir(folder.c_str());
    if (!open) return;
    const int at = ::dirfd(open);
    for (int i = 0; i < kMostEntries; ++i) {
        const dirent* entry = ::readdir(open);
        if (!entry) break;
        const auto mark = markIn(entry->d_name);
        struct stat status;
        if (!mark || ::fstatat(at, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (status.st_uid != ::geteuid() || !isAbandoned(*mark, status)) continue;
        if (isKeptWeights(entry->d_name) && status.st_nlink == 1) continue;
        std::error_code ignored;
        if (S_ISREG(status.st_mode)) ::unlinkat(at, entry->d_name, 0);
        else if (S_ISDIR(status.st_mode)) std::filesystem::remove_all(folder + "/" + entry->d_name, ignored);
    }
    ::closedir(open);
}

} // namespace fx
