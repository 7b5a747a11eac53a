// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>

namespace fx {

/// A file of pasted nodes, named by its content. It stays as long as somebody holds it, in any process (flock), or a
/// crash journal names it.
class PastedFile {
public:
    /// `write` makes the file under the path that it is given. Throws what it throws, and Error{Refused}.
    static std::shared_ptr<const PastedFile> make(const std::string& folder,
                                                  const std::function<void(const std::string& path)>& write);
    ~PastedFile();
    PastedFile(const PastedFile&) = delete;
    PastedFile& operator=(const PastedFile&) = delete;
    const std::string& path() const { return m_path; }

private:
    PastedFile() = default;
    std::string m_path;
    int m_descriptor = -1;
};

/// Removes the pasted files that nobody needs: no process holds them and no journal in `journals` names them.
void removePastedFiles(const std::string& folder, const std::string& journals);

} // namespace fx
