// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rules_file.h"

#include "core/io/files/read_text.h"

namespace app {

fx::SupportRules readRules(const std::string& path) {
    try {
        return fx::SupportRules::parseText(fx::readTextFile(path));
    } catch (fx::Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace app
