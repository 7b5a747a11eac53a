// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Resolves a path to the absolute path of its file. Follows all links as the kernel does: `a/../b` needs a folder `a`.
/// The file need not exist, even at the end of a link, but its folder must. Returns an empty string otherwise, with
/// errno set.
std::string resolvedPath(const std::string& path);

/// Resolves `name` in `folder`, for names from untrusted files. Returns an empty string unless the file is below the
/// folder after following all links. In a snapshot of the Hugging Face cache, links to blobs of the same repository
/// count as below.
std::string resolvedInside(const std::string& folder, const std::string& name);

/// Returns the blob folder if `folder` is in a snapshot of the Hugging Face cache, where `snapshots/REVISION/net.json`
/// is a link to `../../blobs/HASH`; otherwise an empty string.
std::string blobsOfSnapshot(const std::string& folder);

/// Returns true if two paths lead to one file: by spelling, symbolic or hard link, or to the same missing file.
bool isSameFile(const std::string& a, const std::string& b);

/// Returns a name in the folder of `path` for a companion file: its name and `suffix`, or a shortened name with a hash
/// if that is too long for file systems. Deterministic.
std::string nameBeside(const std::string& path, std::string_view suffix);

} // namespace fx
