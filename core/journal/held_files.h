// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace fx {

/// Files that stay open, so that they can be copied back when somebody has removed or moved their folder. A file that
/// cannot be opened is not held. Not thread-safe.
class HeldFiles {
public:
    /// A file to copy, which can be read at `from` as long as `held` lives.
    struct Copy {
        std::string from, to;
        std::shared_ptr<const void> held = {};
    };

    /// Holds the file that is at `path` now, in the place of the one before.
    void hold(const std::string& path);
    void drop(const std::string& path) { m_files.erase(path); }
    void clear() { m_files.clear(); }
    /// Copies that bring all files back to their paths, sorted by path.
    std::vector<Copy> copies() const;

private:
    std::map<std::string, std::shared_ptr<const int>> m_files; ///< descriptors, closed with the last owner
};

} // namespace fx
