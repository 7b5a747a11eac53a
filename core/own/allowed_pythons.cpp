// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/allowed_pythons.h"

#include "core/files/private_folder.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/own/python_environment.h"
#include "core/sandbox/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace fx {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostBytes = 1 << 20;

/// The program in its folder without links; empty if the folder is missing or the name cannot be on a line.
std::string inRealFolder(const fs::path& program) {
    std::error_code failed;
    const fs::path folder = fs::canonical(program.parent_path(), failed);
    if (failed || !program.is_absolute()) return {};
    std::string out = (folder / program.filename()).string();
    return out.find_first_of("\t\n\r") == out.npos ? out : std::string();
}

/// What a program leads to; empty if that is nothing, or cannot be on a line.
std::string targetOf(const std::string& program) {
    std::error_code failed;
    std::string out = fs::canonical(program, failed).string();
    return failed || out.find_first_of("\t\n\r") != out.npos ? std::string() : out;
}

bool isBeside(const fs::path& program, const fs::path& other) { return program.parent_path() == other.parent_path(); }

/// Whether nobody but this user can have written a file.
bool isOwn(const std::string& file) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Whether PyTorch is installed beside a program. What a folder claims here only decides who is asked first.
bool hasPyTorch(const fs::path& program) {
    std::error_code failed;
    const fs::path prefix = program.parent_path().parent_path();
    for (const char* lib : {"lib", "lib64"})
        for (const auto& each : fs::directory_iterator(prefix / lib, failed))
            for (const char* packages : {"site-packages", "dist-packages"})
                if (each.path().filename().string().starts_with("python") &&
                    fs::exists(each.path() / packages / "torch", failed))
                    return true;
    return false;
}

} // namespace

std::string AllowedPythons::userFile() {
    const std::string folder = userFolder("XDG_CONFIG_HOME", ".config");
    return folder.empty() ? folder : folder + "/allowed_pythons";
}

std::vector<AllowedPythons::Line> AllowedPythons::lines() const {
    if (!isOwn(m_file)) return {};
    std::string text;
    try {
        text = readTextFile(m_file, kMostBytes);
    } catch (const Error&) { return {}; }
    std::vector<Line> out;
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t tab = line.find('\t');
        if (tab == line.npos || !line.starts_with('/') || !line.substr(tab + 1).starts_with('/')) continue;
        out.push_back({std::string(line.substr(0, tab)), std::string(line.substr(tab + 1))});
    }
    return out;
}

void AllowedPythons::write(const std::vector<Line>& lines) const {
    if (m_file.empty()) throw Error(ErrorKind::Refused, Message("python.no_home"));
    std::error_code failed;
    makePrivateFolder(fs::weakly_canonical(fs::path(m_file).parent_path(), failed)); // it may be a link
    if (!isOwn(m_file)) {
        fs::remove(m_file, failed);
        const int made = ::open(m_file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
        if (made < 0) throw cannotWrite(m_file, errno);
        ::close(made);
    }
    ReplacedFile file(m_file); // keeps the rights
    for (const Line& line : lines) file.write(line.program + '\t' + line.leadsTo + '\n');
    file.commit();
}

std::vector<std::string> AllowedPythons::programs() const {
    std::vector<std::string> out;
    for (Line& line : lines()) out.push_back(std::move(line.program));
    return out;
}

bool AllowedPythons::allows(const std::string& program) const { return allows(lines(), program); }

std::optional<AllowedPythons::Line> AllowedPythons::lineOf(const std::string& program) {
    Line line{inRealFolder(program), targetOf(program)};
    const bool canBe = !line.program.empty() && isProgram(line.leadsTo) && !isLauncher(line.leadsTo);
    return canBe ? std::optional(std::move(line)) : std::nullopt;
}

bool AllowedPythons::allows(const std::vector<Line>& lines, const std::string& program) {
    const auto now = lineOf(program);
    return now && std::ranges::any_of(lines, [&](const Line& line) { // `python` and `python3` of an environment are one
               return isBeside(line.program, now->program) && line.leadsTo == now->leadsTo;
           });
}

void AllowedPythons::allow(const std::string& program) const {
    const auto added = lineOf(program);
    if (!added) throw Error(ErrorKind::Refused, Message("python.cannot_allow", {{"program", program}}));
    std::vector<Line> all = lines();
    std::erase_if(all, [&](const Line& line) { return isBeside(line.program, added->program); });
    all.insert(all.begin(), *added);
    write(all);
}

void AllowedPythons::forget(const std::string& program) const {
    const fs::path folder = fs::path(inRealFolder(program)).parent_path(); // empty if it has gone
    std::vector<Line> all = lines();
    const auto isOfIt = [&](const Line& line) {
        return line.program == program || (!folder.empty() && fs::path(line.program).parent_path() == folder);
    };
    if (std::erase_if(all, isOfIt) > 0) write(all);
}

std::optional<std::string> AllowedPythons::forFolder(const std::string& folder) const {
    const std::vector<Line> all = lines();
    if (all.empty() || !sandboxSupport().holds()) return std::nullopt;
    for (const std::string& candidate : pythonCandidates(folder)) {
        if (allows(all, candidate)) return inRealFolder(candidate); // else its packages could be those of a link
        if (hasPyTorch(candidate)) return std::nullopt; // the environment meant, which the user has not been asked for
    }
    for (const Line& line : all)
        if (allows(all, line.program)) return line.program;
    return std::nullopt;
}

bool isOutsideScope(const Error& refusal) {
    return refusal.kind() == ErrorKind::Refused && refusal.message().is("trace.source_failed") &&
           refusal.message().argument("outside_scope") == "1";
}

} // namespace fx
