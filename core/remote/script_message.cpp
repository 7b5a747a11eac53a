// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/script_message.h"

#include <filesystem>

namespace fx::remote {

Frame describeScriptFrame(const std::string& path, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("verb").string("script").key("model").string(path).endObject();
    return {FrameKind::Request, number, json.text(), {}, {}, {path}};
}

std::string scriptPath(const Frame& frame) {
    return std::string(JsonDocument::parse(frame.json)->root().at("model").asText());
}

Frame toFrame(const script::ProgramText& program, std::uint32_t number) {
    return {FrameKind::Result, number, program.json, program.bytes, {}};
}

decltype(Readers::script) scriptsByWorker(const WorkerOptions& options) {
    return [options](const std::string& path, const Progress& progress) {
        return describeByWorker(path, progress, options);
    };
}

script::ProgramText describeByWorker(const std::string& path, const Progress& progress, const WorkerOptions& options) {
    WorkerClient worker(options);
    return describeByWorker(path, progress, worker);
}

script::ProgramText describeByWorker(const std::string& path, const Progress& progress, WorkerClient& worker) {
    worker.start(progress);
    const std::string absolute = std::filesystem::absolute(path).string();
    try {
        Frame answer = worker.call(describeScriptFrame(absolute, worker.nextNumber()), {}, progress);
        return {std::move(answer.json), std::move(answer.blob)};
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw;
        throw Error(ErrorKind::File,
                    Message("script.worker_failed", {{"reason", error.what()}, {"cause", error.message().code()}}))
            .in(path);
    }
}

} // namespace fx::remote
