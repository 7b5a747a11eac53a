// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/rules_file.h"

#include "core/files/read_text.h"
#include "core/remote/find_profile.h"

namespace app {
namespace {

/// Finds what oneDNN runs here.
void findProfile(const Session& session) {
    fx::remote::WorkerClient worker(session.workerOptions());
    worker.start(session.progress());
    fx::remote::findProfile(worker, "onednn", session.progress());
}

} // namespace

fx::SupportRules readRules(const std::string& path, const Session& session) {
    try {
        const std::string text = fx::readTextFile(path);
        if (text.find("\"profile\"") != text.npos) findProfile(session);
        return fx::SupportRules::parseText(text);
    } catch (fx::Error& error) {
        if (error.file.empty()) error.in(path);
        throw;
    }
}

} // namespace app
