// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/model_sender.h"

#include "core/io/ir_json/ir_json.h"
#include "core/remote/model_ref.h"

#include <algorithm>
#include <sys/mman.h>
#include <unistd.h>

namespace fx::remote {
namespace {

constexpr std::uint64_t kSharedFrom = 64 << 10; ///< bytes from which shared memory is worth its two system calls
constexpr std::size_t kFrameBytes = 32 << 20;   ///< a frame of storages is sent when it has grown to this
constexpr std::size_t kPiece = 4 << 20;

void writeWeights(JsonWriter& json, const SafetensorsFile& weights) {
    json.key("weights").beginArray();
    for (const SafetensorsEntry& entry : weights.entries) {
        json.beginObject().key("name").string(entry.name).key("dtype").string(entry.dtype).key("shape").beginArray();
        for (const std::int64_t size : entry.shape) json.integer(size);
        json.endArray().key("storage").integer(static_cast<std::int64_t>(handleOf(entry.storage))).endObject();
    }
    json.endArray();
}

std::shared_ptr<const std::vector<std::byte>> bytesOf(const std::string& text) {
    const auto* start = reinterpret_cast<const std::byte*>(text.data());
    return std::make_shared<const std::vector<std::byte>>(start, start + text.size());
}

/// Copies a storage piece by piece. False when the file takes no more: out of memory, or a limit.
bool copyInto(int descriptor, const Storage& storage, const Progress& progress) {
    std::vector<std::byte> piece(std::min<std::uint64_t>(kPiece, storage.byteCount()));
    for (std::uint64_t at = 0; at < storage.byteCount();) {
        progress.check();
        const std::size_t count = std::min<std::uint64_t>(piece.size(), storage.byteCount() - at);
        storage.read(at, std::span(piece).first(count));
        for (std::size_t done = 0; done < count;) {
            const ssize_t written = ::write(descriptor, piece.data() + done, count - done);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return false;
            done += static_cast<std::size_t>(written);
        }
        at += count;
    }
    return true;
}

} // namespace

/// Storages on their way into one frame.
struct ModelSender::Batch {
    JsonWriter json;
    std::vector<std::byte> blob;

    Batch() { json.beginObject().key("storages").beginArray(); }
    bool send(int descriptor, const Progress& progress) {
        json.endArray().endObject();
        const bool sent = writeFrame(
            descriptor,
            {FrameKind::Storages, 0, json.text(), std::make_shared<const std::vector<std::byte>>(std::move(blob)), {}},
            progress);
        *this = Batch();
        return sent;
    }
};

bool ModelSender::send(int descriptor, const std::vector<std::shared_ptr<const GraphModule>>& models,
                       const Progress& progress) {
    for (const auto& model : models) {
        const std::uint64_t handle = ModelRef(model).handle;
        if (m_models.contains(handle)) continue;
        if (!sendModel(descriptor, *model, handle, progress)) return false;
        m_models.insert(handle);
    }
    return true;
}

bool ModelSender::sendModel(int descriptor, const GraphModule& model, std::uint64_t handle, const Progress& progress) {
    const IrDescription description = describeAsIr(model, progress);
    Batch batch;
    for (const SafetensorsEntry& entry : description.weights.entries) {
        const std::uint64_t storage = handleOf(entry.storage);
        if (m_storages.contains(storage)) continue;
        if (!addStorage(descriptor, batch, entry.storage, storage, progress)) return false;
        m_storages.insert(storage);
    }
    if (!batch.send(descriptor, progress)) return false;
    JsonWriter json;
    json.beginObject()
        .key("handle")
        .integer(static_cast<std::int64_t>(handle))
        .key("path")
        .string(model.path)
        .key("format")
        .string(formatName(model.format));
    writeWeights(json, description.weights);
    json.endObject();
    return writeFrame(descriptor, {FrameKind::Model, 0, json.text(), bytesOf(description.text), {}}, progress);
}

bool ModelSender::addStorage(int descriptor, Batch& batch, const std::shared_ptr<const Storage>& storage,
                             std::uint64_t handle, const Progress& progress) {
    const bool byPlace = m_local && !m_inFrames.contains(handle);
    std::string place;
    std::uint64_t at = 0;
    // A file that was replaced meanwhile, perhaps by saving, can still be read here, but not be opened by its name.
    if (byPlace && storage->file() && storage->file()->unchanged()) {
        place = storage->file()->path();
        at = storage->fileOffset();
    } else if (byPlace && storage->byteCount() >= kSharedFrom) {
        place = sharedPlace(*storage, progress);
    }
    if (place.empty()) {
        if (!batch.blob.empty() && batch.blob.size() + storage->byteCount() > kFrameBytes &&
            !batch.send(descriptor, progress))
            return false;
        at = batch.blob.size();
        batch.blob.resize(at + storage->byteCount());
        storage->read(0, std::span(batch.blob).subspan(at));
        batch.blob.resize((batch.blob.size() + 63) / 64 * 64); // the next one begins aligned
    }
    batch.json.beginObject().key("handle").integer(static_cast<std::int64_t>(handle));
    if (!place.empty()) batch.json.key("file").string(place);
    batch.json.key("at")
        .integer(static_cast<std::int64_t>(at))
        .key("bytes")
        .integer(static_cast<std::int64_t>(storage->byteCount()))
        .endObject();
    return true;
}

/// A name under which the worker can open a copy of the bytes in shared memory; empty when there is not enough of it.
std::string ModelSender::sharedPlace(const Storage& storage, const Progress& progress) {
    const int descriptor = ::memfd_create("lancet-tensor", MFD_CLOEXEC);
    if (descriptor < 0) return {};
    if (!copyInto(descriptor, storage, progress)) {
        ::close(descriptor);
        return {};
    }
    m_shared.push_back(descriptor);
    return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor);
}

void ModelSender::settle() {
    for (const int descriptor : m_shared) ::close(descriptor);
    m_shared.clear();
}

void ModelSender::forget(const Frame& missing) {
    const auto document = JsonDocument::parse(missing.json);
    const auto each = [&](const char* key, auto&& use) {
        for (const JsonValue handle : document->root().at(key).needArray())
            use(static_cast<std::uint64_t>(handle.asInt()));
    };
    each("models", [&](std::uint64_t handle) { m_models.erase(handle); });
    each("storages", [&](std::uint64_t handle) { m_storages.erase(handle); });
    each("unreadable", [&](std::uint64_t handle) { m_storages.erase(handle), m_inFrames.insert(handle); });
}

} // namespace fx::remote
