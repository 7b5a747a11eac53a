// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <string>

namespace fx {

/// A file of pasted nodes, named by the digest of its content. It exists while a process holds it (flock) or a crash
/// journal names it.
class PastedFile {
public:
    /// Creates the file in `folder`. `write` receives the path to write to; its exceptions pass through. Throws
    /// Error{Refused}.
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

/// Removes pasted files that no process holds and no journal in `journals` names.
void removePastedFiles(const std::string& folder, const std::string& journals);

} // namespace fx
