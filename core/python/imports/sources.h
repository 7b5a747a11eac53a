// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx::python {

struct Opaque;

/// Finds the files of Python modules: first Lancet's own, then files beside the model's file and in its package, then
/// the folders that the user gave. Reads nothing outside these folders, and no file larger than `kMaxBytes`.
class Sources {
public:
    /// Maximum size of a file.
    static constexpr std::size_t kMaxBytes = 4 << 20;

    /// A module's source.
    struct Found {
        std::string name; ///< dotted
        std::string path; ///< empty for Lancet's own modules
        std::string text;
        bool isPackage = false, isNamespace = false; ///< a namespace is a folder without `__init__.py`
    };

    /// A source without a file. It can only import modules that Lancet provides.
    explicit Sources(std::string text) : m_main{"__main__", "the source", std::move(text)} {}
    /// `file` is the model's file and `text` its text. `folders` are searched for imports.
    Sources(const std::string& file, std::string text, std::vector<std::string> folders);

    /// The file with which the run starts.
    const Found& main() const { return m_main; }
    /// Folders that are searched for modules: that of the model's file, then those of the user.
    const std::vector<std::string>& folders() const { return m_folders; }
    /// Finds a module by its dotted name; nullopt if it is in none of the folders.
    std::optional<Found> find(const std::string& module) const;
    /// Returns the version of an installed package from the `NAME-VERSION.dist-info` beside it; nullopt if unknown.
    std::optional<std::string> versionOf(std::string name) const;
    /// Returns true for modules of Python's standard library that Lancet does not provide; importing them succeeds.
    static bool isStandard(std::string_view module);

private:
    std::optional<Found> inFolder(const std::string& folder, const std::string& module) const;

    Found m_main;
    std::vector<std::string> m_folders;
};

/// Returns the Python source of a module that Lancet provides ("functools", "torch.jit"); empty for other modules.
std::string_view ownModule(std::string_view name);

/// Explains why a name has no value, and what to do: its module was not found, or its statement failed.
Message unknownImport(const Opaque& opaque);

} // namespace fx::python
