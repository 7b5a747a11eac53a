// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/save_script.h"

#include "core/files/replaced_file.h"
#include "core/io/torchscript/called_file.h"
#include "core/io/torchscript/extra_files.h"
#include "core/io/zip/zip_writer.h"
#include "core/model_files/script_copy.h"
#include "core/remote/worker_client.h"

#include <filesystem>
#include <unistd.h>

namespace fx::remote {
namespace {

/// A file in the system's folder for temporary ones.
struct Temporary {
    std::string path = (std::filesystem::temp_directory_path() / "lancet-script-XXXXXX").string();
    Temporary() {
        const int descriptor = ::mkstemp(path.data());
        if (descriptor < 0) throw Error(ErrorKind::Refused, Message("script.no_temporary"));
        ::close(descriptor);
    }
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
};

void copyTo(const std::string& path, const DataFile& source, std::uint64_t start, std::uint64_t bytes,
            const Progress& progress) {
    ReplacedFile file(path);
    std::vector<std::byte> piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0; at < bytes; at += piece.size()) {
        progress.check();
        const auto part =
            std::span(piece).first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), bytes - at)));
        source.read(start + at, part);
        file.write({reinterpret_cast<const char*>(part.data()), part.size()});
    }
    file.commit();
}

/// The archive that LibTorch wrote, with the extra files of the model.
void copyWith(const std::vector<script::ExtraFile>& files, const std::string& path,
              const std::shared_ptr<const DataFile>& written, const Progress& progress) {
    if (files.empty()) return copyTo(path, *written, 0, written->size(), progress);
    const ZipArchive archive = ZipArchive::open(written);
    ReplacedFile file(path);
    ZipWriter zip([&](std::string_view bytes) {
        progress.check();
        file.write(bytes);
    });
    for (const ZipMember& member : archive.members()) {
        const auto content = archive.storage(member);
        zip.add(member.name, *content, content->byteCount());
    }
    for (const script::ExtraFile& extra : files)
        zip.add(archive.root() + std::string(script::kExtraFolder) + extra.name, *extra.content,
                extra.content->byteCount());
    zip.finish();
    file.commit();
}

/// A file that was moved, removed or replaced is still read; one that was written over is gone.
void requireReadable(const DataFile& file) {
    if (!file.isReadable()) throw Error(ErrorKind::Refused, Message("script.content_gone")).in(file.path());
}

} // namespace

Frame toFrame(const WriteScriptRequest& request, std::uint32_t number, bool local) {
    return toFrame(request.run, number, local, "write_script", [&request](JsonWriter& json, Frame&) {
        json.key("target").string(request.target).key("verify").boolean(request.verify);
    });
}

WriteScriptRequest writeScriptRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    return {runRequest(frame), std::string(document->root().at("target").asText()),
            document->root().at("verify").asBool()};
}

Frame toFrame(const WrittenScript& written, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("ran").boolean(written.ran).endObject();
    return {FrameKind::Result, number, json.text(), {}, {}};
}

SaveReport saveScript(WorkerClient& worker, const std::shared_ptr<const GraphModule>& model, const std::string& path,
                      RunRequest inputs, bool verify, const Progress& progress) {
    if (const ZipArchive* archive = copiedScript(*model, progress)) {
        requireReadable(*archive->file());
        copyTo(path, *archive->file(), archive->start(), archive->byteCount(), progress);
        return {{}, true};
    }
    // The document would go on with a call of what was written, and other documents may call the file as well.
    if (script::callsFile(*model, path)) throw Error(ErrorKind::Refused, Message("script.replaces_called")).in(path);
    worker.start(progress);
    if (!worker.local()) throw Error(ErrorKind::Refused, Message("script.remote_worker")).in(path);
    const Temporary temporary;
    WriteScriptRequest request{std::move(inputs), temporary.path, verify};
    request.run.model = model;
    try {
        const Frame answer = worker.call(toFrame(request, worker.nextNumber(), worker.local()), {}, progress);
        const bool ran = JsonDocument::parse(answer.json)->root().at("ran").asBool();
        const auto written = DataFile::open(temporary.path);
        copyWith(script::extraFilesOf(*model), path, written, progress);
        Warnings warnings;
        if (verify && !ran) warnings.push_back({Message("script.not_compared"), {}, {}, path});
        return {std::move(warnings), ran};
    } catch (Error& error) {
        if (error.file == temporary.path) error.in(path);
        throw;
    }
}

} // namespace fx::remote
