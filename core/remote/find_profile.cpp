// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/find_profile.h"

#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/remote/worker_client.h"
#include "core/timing/operator_profile.h"

#include <filesystem>

namespace fx::remote {
namespace {

/// A profile that cannot be read counts as none.
bool isOf(const std::string& path, const std::string& library) {
    std::error_code failed;
    if (!std::filesystem::exists(path, failed)) return false;
    try {
        return JsonDocument::parse(readTextFile(path))->root().at("library").asText() == library;
    } catch (const Error&) { return false; }
}

} // namespace

void findProfile(WorkerClient& worker, const std::string& name, const Progress& progress) {
    const std::string path = timing::profilePath(name);
    if (path.empty()) throw Error(ErrorKind::Refused, Message("remote.no_profile_folder"));
    if (isOf(path, worker.library())) return;
    const Frame frame =
        worker.call({FrameKind::Request, worker.nextNumber(), R"({"verb": "profile"})", {}, {}}, {}, progress);
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
    ReplacedFile file(path);
    file.write(frame.json);
    file.commit();
}

} // namespace fx::remote
