// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/held_files.h"

#include <fcntl.h>
#include <unistd.h>

namespace fx {

void HeldFiles::hold(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return drop(path);
    m_files[path] = std::shared_ptr<const int>(new int(descriptor), [](const int* open) {
        ::close(*open);
        delete open;
    });
}

std::vector<HeldFiles::Copy> HeldFiles::copies() const {
    std::vector<Copy> copies;
    for (const auto& [path, file] : m_files) copies.push_back({"/proc/self/fd/" + std::to_string(*file), path, file});
    return copies;
}

} // namespace fx
