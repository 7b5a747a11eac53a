// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fx {

/// The environments that the user lets trace by themselves what Lancet cannot. They are in a file that all programs
/// share and that is read on every call: one line per environment, the newest first, with the program and what it led
/// to when it was allowed, with a tab between:
///
///     /home/me/env/bin/python	/usr/bin/python3.11
///
/// An environment is the folder of its program, without links, together with what the program leads to. The second
/// alone says nothing, because many environments lead to the Python of the system, also one that came with a source. An
/// environment whose folder or program leads elsewhere by now is not allowed any more. Lines that are no such pair are
/// ignored, and so is a file that another user may write.
class AllowedPythons {
public:
    /// `file` need not exist.
    explicit AllowedPythons(std::string file = userFile()) : m_file(std::move(file)) {}
    /// Returns the user's own list, `lancet/allowed_pythons` in XDG_CONFIG_HOME or `~/.config`; empty without a home.
    static std::string userFile();

    /// The file of the list.
    const std::string& file() const { return m_file; }
    /// Returns the programs as they were allowed, newest first, also those that have changed since.
    std::vector<std::string> programs() const;
    /// Returns true if exactly this environment was allowed. A script never is.
    bool allows(const std::string& program) const;
    /// Allows an environment. Throws Error{Refused} if the list cannot be written, or if `program` is a script or is
    /// missing.
    void allow(const std::string& program) const;
    /// Removes an environment, by any of its programs or as `programs` returns it. Throws Error{Refused} if the list
    /// cannot be written.
    void forget(const std::string& program) const;

    /// Returns the allowed environment that traces the sources of a folder: the first of `pythonCandidates` that is
    /// allowed, unless one before it has PyTorch; without either, the one that was allowed last. Returns nullopt
    /// without one, or if the kernel has no sandbox. Starts no program: one that is not allowed has PyTorch if a
    /// folder says so.
    std::optional<std::string> forFolder(const std::string& folder) const;

private:
    /// A line of the file.
    struct Line {
        std::string program, leadsTo;
    };
    std::vector<Line> lines() const;
    /// Returns the line that allows a program as it is now; nullopt for a script or a missing program.
    static std::optional<Line> lineOf(const std::string& program);
    static bool allows(const std::vector<Line>& lines, const std::string& program);
    void write(const std::vector<Line>& lines) const;

    std::string m_file;
};

/// Returns true if a source was refused because Lancet's interpreter cannot follow it: Python may well trace it. False
/// for what Python itself refuses, and for sources that end the reader.
bool isOutsideScope(const Error& refusal);

} // namespace fx
