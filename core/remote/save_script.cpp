// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/save_script.h"

#include "core/files/replaced_file.h"
#include "core/files/temporary_folder.h"
#include "core/io/zip/zip_writer.h"
#include "core/model_files/script_copy.h"
#include "core/remote/worker_client.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/extra_files.h"
#include "core/torchscript/torchscript.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace fx::remote {
namespace {

/// A file in the system's folder for temporary ones that takes what a worker sends, up to `most` bytes.
class Temporary {
public:
    explicit Temporary(std::uint64_t most)
        : m_left(most), m_descriptor(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
        if (m_descriptor < 0) throw Error(ErrorKind::Refused, Message("script.no_temporary"));
    }
    ~Temporary() { ::close(m_descriptor); }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;

    const std::string& path() const { return m_path; }
    void append(std::span<const std::byte> bytes) {
        if (bytes.size() > m_left) throw Error(ErrorKind::Refused, Message("script.too_much"));
        m_left -= bytes.size();
        while (!bytes.empty()) {
            const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0)
                throw Error(ErrorKind::Refused,
                            Message("script.temporary_full", {{"file", m_path}, {"detail", std::strerror(errno)}}));
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }

private:
    TemporaryFolder m_folder; ///< its name tells later processes when it is a leftover
    std::string m_path = m_folder.path() + "/script.ts";
    std::uint64_t m_left;
    int m_descriptor;
};

/// A bound for the script of a model: its tensors may be packed in other ways, and there is code.
std::uint64_t mostBytes(const GraphModule& model) {
    constexpr std::uint64_t kCode = 256 << 20, kPacked = 4;
    std::uint64_t bytes = 0;
    const auto add = [&bytes](const std::string&, const TensorPtr& tensor) {
        if (tensor->storage)
            bytes += std::max(tensor->storage->byteCount(),
                              static_cast<std::uint64_t>(std::max<std::int64_t>(tensor->byteCount(), 0)));
    };
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        forEachOwnTensor(module, add);
        const bool isCalled = script::isScriptFile(module) || script::isFileObject(module);
        std::error_code failed;
        const auto* path = isCalled ? module.setting<std::string>("path") : nullptr;
        const std::uint64_t size = path ? std::filesystem::file_size(*path, failed) : 0;
        if (!failed) bytes += size;
    });
    return kCode + kPacked * bytes;
}

/// Whether the worker could run the file, which gave the same numbers as the model.
CheckedScript runsAlike(WorkerClient& worker, const RunRequest& request, const Temporary& written,
                        const Progress& progress) {
    const int file = ::open(written.path().c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return {false, std::strerror(errno)};
    const std::unique_ptr<const int, void (*)(const int*)> closed(&file, [](const int* each) { ::close(*each); });
    Frame frame = toFrame(request, worker.nextNumber(), worker.local(), "check_script");
    frame.descriptors = {file};
    const Frame answer = worker.call(std::move(frame), {}, progress);
    const auto checked = JsonDocument::parse(answer.json);
    return {checked->root().at("ran").asBool(), std::string(checked->root().at("why").asText())};
}

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

Frame toFrame(const CheckedScript& checked, std::uint32_t number) {
    JsonWriter json;
    json.beginObject().key("ran").boolean(checked.ran).key("why").string(checked.why).endObject();
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
    inputs.model = model;
    Temporary temporary(mostBytes(*model));
    worker.call(toFrame(inputs, worker.nextNumber(), worker.local(), "write_script"), {}, progress,
                [&](std::span<const std::byte> bytes) { temporary.append(bytes); });
    try {
        const CheckedScript checked = verify ? runsAlike(worker, inputs, temporary, progress) : CheckedScript{};
        const auto written = DataFile::open(temporary.path());
        copyWith(script::extraFilesOf(*model), path, written, progress);
        Warnings warnings;
        if (verify && !checked.ran)
            warnings.push_back({Message("script.not_compared", {{"reason", checked.why}}), {}, {}, path});
        return {std::move(warnings), checked.ran};
    } catch (Error& error) {
        if (error.file == temporary.path() || error.message().is("script.runs_differently")) error.in(path);
        throw;
    }
}

} // namespace fx::remote
