// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/files/temporary_folder.h"

#include <functional>
#include <optional>
#include <string>

namespace fx {

/// Returns the path of a folder without slashes at its end.
std::string withoutSlash(std::string folder);

/// Checks whether the folder at a path may be replaced, and throws the reason if not. A folder with unknown files is
/// never removed.
using FolderCheck = std::function<void(const std::string& path)>;

/// Throws Error{Refused} if no folder can be created at `target`: a file or a link is there, `mayGo` rejects the
/// existing folder, or the system denies writing.
void checkFolderPlace(const std::string& target, const FolderCheck& mayGo);

/// A folder that is filled beside its target and exchanged with it in `commit`. Until then only this user can enter it.
/// Without `commit`, the target stays unchanged and nothing remains. Failures are Error{Refused}.
class ReplacedFolder {
public:
    ReplacedFolder(const std::string& target, FolderCheck mayGo);
    /// The new folder, to be filled.
    const std::string& path() const { return m_beside->path(); }
    /// Calls `work`, which fills the folder. Errors about a file in the folder report its path below the target.
    void fill(const std::function<void()>& work) const;
    /// Exchanges the folder with the target, then calls `check`; restores the previous folder if `check` throws.
    void commit(const std::function<void()>& check = {});

private:
    [[noreturn]] void keepBeside();

    std::string m_target; ///< without a slash at the end
    FolderCheck m_mayGo;
    std::optional<TemporaryFolder> m_beside; ///< the new folder, after the exchange the old one
};

} // namespace fx
