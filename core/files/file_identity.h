// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// The absolute path of the file that a path leads to, all links followed, as the kernel does it: `a/../b` needs a
/// folder `a`. The file itself need not exist, also behind a link; its folder must. Otherwise empty, with errno set.
std::string resolvedPath(const std::string& path);

/// Whether two paths are one file: another spelling, a symbolic or hard link, or a file that does not exist yet.
bool isSameFile(const std::string& a, const std::string& b);

/// A name in the folder of `path` for a file that belongs to it: its name and `suffix`, or a shortened name with a hash
/// where that would be too long for file systems. The same for the same arguments.
std::string nameBeside(const std::string& path, std::string_view suffix);

} // namespace fx
