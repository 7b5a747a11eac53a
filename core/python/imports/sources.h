// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fx::python {

/// Finds the files of Python modules: what Lancet brings itself, then files beside the model's file and in its package,
/// then the folders given by the user. Reads nothing outside of these folders, and no file above kMaxBytes.
class Sources {
public:
    static constexpr std::size_t kMaxBytes = 4 << 20;

    struct Found {
        std::string name; ///< dotted
        std::string path; ///< empty: Lancet's own
        std::string text;
        bool isPackage = false, isNamespace = false; ///< a namespace is a folder without `__init__.py`
    };

    /// `file`: the model's file; `text`: its text; `folders`: where imports are looked up.
    Sources(const std::string& file, std::string text, std::vector<std::string> folders);

    /// The file with which a run starts.
    const Found& main() const { return m_main; }
    std::optional<Found> find(const std::string& module) const;
    /// The version of an installed package by the `NAME-VERSION.dist-info` beside it; nullopt if there is none.
    std::optional<std::string> versionOf(std::string name) const;
    /// Whether a dotted name is a module of Python's library that Lancet does not bring: importing it works.
    static bool isStandard(std::string_view module);

private:
    std::optional<Found> inFolder(const std::string& folder, const std::string& module) const;

    Found m_main;
    std::vector<std::string> m_folders;
};

/// The text of a module that Lancet brings itself ("functools", "torch.jit"), written in Python; empty if there is
/// none.
std::string_view ownModule(std::string_view name);

/// Why a program cannot go on with a name of a module that was not found, and what to do.
Message unknownImport(const std::string& path);

} // namespace fx::python
