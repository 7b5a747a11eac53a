// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// An installed Python of the user with its packages: a virtual environment, a Conda environment, or the system's.
struct PythonEnvironment {
    std::string program;       ///< absolute path of the interpreter, as it is started
    std::string python, torch; ///< versions: "3.11.2", "2.13.0+cpu"; `torch` is empty if it is not installed
    /// Folders that it reads besides the system's (`environmentFolders`). Lancet finds them by itself; an interpreter
    /// could name any.
    std::vector<std::string> folders;
    bool sandboxed = true; ///< false if the kernel has no sandbox: the child then has the user's rights
    /// The script that the user named and that started `program` to answer, with the user's rights; or empty.
    std::string launcher;
};

/// Returns the absolute path of the interpreter that `program` means: a path, the folder of an environment, or a name
/// to be looked up in PATH. Its folder is resolved; the program itself may be a link, which leads to the packages of a
/// virtual environment. Throws Error{Run} if
/// PATH does not have it.
std::string locatePython(std::string program);

/// Returns true for an executable file, or a link to one.
bool isProgram(const std::string& path);

/// Returns true if a program is a script, such as a shim of pyenv, that starts the interpreter. It would need the
/// user's rights for that.
bool isLauncher(const std::string& program);

/// Shortens a version to what may be shown: what an interpreter says of itself is not trusted.
std::string plainVersion(std::string_view text);

/// Says if a script in the place of an interpreter may be run. Only the user may decide that, by naming it.
enum class Scripts : std::uint8_t { Run, Refuse };

/// Asks an interpreter what it is, in the sandbox. `program` is as for `locatePython`, `folder` that of the source. A
/// script is run outside of the sandbox, to say which interpreter it starts. Takes about 50 ms.
///
/// Throws Error{Refused} for a script that may have come with the source (`mayComeWith`) or with `Scripts::Refuse`,
/// Error{Run} if the interpreter cannot be started or does not answer, and Error{Cancelled}.
PythonEnvironment describePython(const std::string& program, const std::string& folder, const Progress& progress = {},
                                 Scripts scripts = Scripts::Run);

/// Returns the first environment that has PyTorch: the active one (VIRTUAL_ENV, CONDA_PREFIX), `.venv`, `venv` or `env`
/// in `folder` or above it, and python3 and python on PATH. Scripts are not considered.
///
/// Throws Error{Refused} if it finds no environment or if the kernel has no sandbox: a folder with a model could bring
/// a program that is no Python. Throws Error{Cancelled}.
PythonEnvironment findPython(const std::string& folder, const Progress& progress = {});

/// Returns the programs that `findPython` tries, in order.
std::vector<std::string> pythonCandidates(const std::string& folder);

} // namespace fx
