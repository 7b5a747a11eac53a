// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/files/temporary_folder.h"

#include "core/files/file_identity.h"
#include "core/files/leftovers.h"
#include "core/files/replaced_file.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace fx {

std::string temporaryPlace() {
    const char* folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

TemporaryFolder::TemporaryFolder() {
    const std::string place = temporaryPlace();
    make(place + "/lancet-", place);
}

TemporaryFolder::TemporaryFolder(const std::string& target) { make(nameBeside(target, ".lancet-"), target); }

void TemporaryFolder::make(const std::string& start, const std::string& wanted) {
    const std::filesystem::path above = std::filesystem::path(start).parent_path();
    removeLeftovers(above.empty() ? "." : above.string());
    m_path = start + processMark() + "-XXXXXX";
    if (::mkdtemp(m_path.data())) return;
    const int why = errno;
    m_path.clear();
    throw cannotWrite(wanted, why);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!m_path.empty()) std::filesystem::remove_all(m_path, ignored);
}

} // namespace fx
