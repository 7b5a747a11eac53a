// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace fx {

/// The folders that a Python child may read. Files that came with a source choose none: a folder counts by where it is
/// when all links are followed, and by what it holds.

/// Returns the absolute folders that an environment variable lists, as PATH does.
std::vector<std::filesystem::path> listedFolders(const char* variable);

/// Returns true if everything below a folder may be read: it is neither the user's home nor anything above.
bool isNarrow(const std::string& folder);

/// Returns the folders of the environment of an interpreter: the ones above the `bin` of the program and of what its
/// link leads to, if they hold an environment or an installed Python; the user's packages, and those of PYTHONPATH.
std::vector<std::string> environmentFolders(const std::string& program);

/// Returns the absolute folder of the outermost package that a source is part of; empty if it is in none. Ends below
/// folders that are not narrow.
std::string packageOf(const std::string& file);

/// Returns true if a program may have come with a source in `folder`: the program is in that folder or one above, or
/// both are in one narrow folder that users do not share as they do /tmp.
bool mayComeWith(const std::string& program, const std::string& folder);

} // namespace fx
