// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/python_environment.h"

#include "core/base/visible_text.h"
#include "core/diag/error.h"
#include "core/files/private_folder.h"
#include "core/json/json_document.h"
#include "core/own/own_child.h"
#include "core/own/readable_folders.h"
#include "core/sandbox/sandbox.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fx {
namespace {

namespace fs = std::filesystem;

Error cannotStart(const std::string& program, std::string_view why) {
    return {ErrorKind::Run, Message("python.cannot_start", {{"program", program}, {"detail", why}})};
}

/// The path with its folder as the kernel resolves it: of `link/../bin`, what is lexically normal is elsewhere.
std::string inResolvedFolder(const fs::path& program) {
    std::error_code failed;
    const fs::path whole = fs::absolute(program, failed), folder = fs::canonical(whole.parent_path(), failed);
    return failed ? whole.string() : (folder / whole.filename()).string();
}

/// Throws for what cannot be a program, before anything waits for it.
void requireFile(const std::string& program) {
    struct stat status {};
    if (::stat(program.c_str(), &status) != 0) throw cannotStart(program, std::strerror(errno));
    if (!S_ISREG(status.st_mode)) throw cannotStart(program, "it is not a regular file");
}

/// Whether the user owns a folder: others may leave programs in folders that everybody shares.
bool isOwn(const fs::path& folder) {
    struct stat status {};
    return ::stat(folder.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

/// Asks the program of `python` for its versions, with the rights that `python` gives it. Returns the interpreter that
/// has answered, as that calls itself.
std::string ask(PythonEnvironment& python, const Progress& progress) {
    constexpr std::size_t kMostOutput = 1 << 16;
    std::string output;
    const auto refusal = [&](int code) {
        return Error(ErrorKind::Run,
                     Message("python.no_description",
                             {{"program", python.program}, {"code", code}, {"output", visibleExcerpt(output)}}));
    };
    const OwnChild child{python, "describe", {}, {}, {}, 0, std::chrono::seconds(20)};
    const int code = runOwnChild(
        child,
        [&](std::string_view text) {
            output += text;
            if (output.size() > kMostOutput) throw refusal(0);
        },
        progress);
    output.resize(output.find_last_not_of('\n') + 1);
    try {
        const auto document = JsonDocument::parse(output.substr(output.rfind('\n') + 1));
        const JsonValue root = document->root();
        python.python = plainVersion(root.at("python").asText());
        python.torch = plainVersion(root.at("torch").asText());
        return std::string(root.at("program").asText());
    } catch (const Error&) { throw refusal(code); }
}

} // namespace

std::string locatePython(std::string program) {
    std::error_code ignored;
    if (program.starts_with("~/")) program.replace(0, 1, homeFolder());
    if (!program.empty() && fs::is_directory(program, ignored)) program += "/bin/python";
    if (program.find('/') != std::string::npos) return inResolvedFolder(program);
    for (const fs::path& folder : listedFolders("PATH"))
        if (isProgram(folder / program)) return inResolvedFolder(folder / program);
    throw cannotStart(program, "it is not in PATH");
}

bool isProgram(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

bool isLauncher(const std::string& program) {
    std::array<char, 2> first{};
    const int file = ::open(program.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait
    if (file < 0) return false;
    const bool isRead = ::read(file, first.data(), first.size()) == static_cast<ssize_t>(first.size());
    ::close(file);
    return isRead && first == std::array{'#', '!'};
}

std::string plainVersion(std::string_view text) {
    std::string version(text.substr(0, 40));
    std::erase_if(version, [](unsigned char c) { return !std::isalnum(c) && c != '.' && c != '+' && c != '-'; });
    return version;
}

PythonEnvironment describePython(const std::string& program, const std::string& folder, const Progress& progress,
                                 Scripts scripts) {
    PythonEnvironment python;
    python.program = locatePython(program);
    requireFile(python.program);
    const bool holds = sandboxSupport().holds();
    if (isLauncher(python.program)) {
        if (scripts == Scripts::Refuse || mayComeWith(python.program, folder))
            throw Error(ErrorKind::Refused,
                        Message("python.launcher_beside", {{"program", python.program}, {"folder", folder}}));
        python.sandboxed = false;
        python.launcher = python.program;
        python.program = locatePython(ask(python, progress));
        requireFile(python.program);
        if (isLauncher(python.program)) throw cannotStart(python.program, "it is a script again");
    }
    python.sandboxed = holds;
    python.folders = environmentFolders(python.program);
    (void)ask(python, progress);
    return python;
}

std::vector<std::string> pythonCandidates(const std::string& folder) {
    std::vector<std::string> out;
    const auto add = [&out](const fs::path& program) {
        if (isProgram(program) && !isLauncher(program) && std::ranges::find(out, program.string()) == out.end())
            out.push_back(program.string());
    };
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const char* active = std::getenv(variable)) add(fs::path(active) / "bin/python");
    fs::path place = fs::absolute(folder).lexically_normal();
    for (bool isTop = false; !isTop && isOwn(place); isTop = place == place.root_path(), place = place.parent_path())
        for (const char* name : {".venv", "venv", "env"})
            if (isOwn(place / name)) add(place / name / "bin/python");
    for (const char* name : {"python3", "python"})
        for (const fs::path& each : listedFolders("PATH")) add(each / name);
    return out;
}

PythonEnvironment findPython(const std::string& folder, const Progress& progress) {
    if (!sandboxSupport().holds()) throw Error(ErrorKind::Refused, Message("python.no_sandbox"));
    for (const std::string& program : pythonCandidates(folder)) try {
            progress.report("looking for Python", 0);
            if (PythonEnvironment found = describePython(program, folder, progress, Scripts::Refuse);
                !found.torch.empty())
                return found;
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled) throw;
        }
    throw Error(ErrorKind::Refused, Message("python.none_found", {{"folder", folder}}));
}

} // namespace fx
