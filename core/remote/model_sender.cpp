// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/model_sender.h"

#include "core/module/stand_in.h"
#include "core/remote/descriptor_channel.h"
#include "core/remote/model_ref.h"
#include "core/remote/readable.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <set>
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
        json.beginObject()
            .key("name")
            .string(entry.name)
            .key("dtype")
            .string(entry.dtype)
            .key("shape")
            .integers(entry.shape)
            .key("storage")
            .integer(static_cast<std::int64_t>(handleOf(entry.storage)))
            .endObject();
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

/// A copy of the bytes in shared memory that nobody can change any more; -1 when there is not enough of it.
int sharedCopy(const Storage& storage, const Progress& progress) {
    const int descriptor = ::memfd_create("lancet-tensor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0) return -1;
    if (copyInto(descriptor, storage, progress) &&
        ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return descriptor;
    ::close(descriptor);
    return -1;
}

/// The sources whose Python runs calls of a model; others made the rest of it.
std::set<std::string> ownSources(const GraphModule& model) {
    std::set<std::string> out;
    const auto add = [&out](const std::string&, const Module& module) {
        const auto* parts = module.setting<Sequence>(kOwnPython);
        const auto* source = parts && !parts->items.empty() ? parts->items.front().as<std::string>() : nullptr;
        if (source) out.insert(*source);
    };
    forEachModule(*model.root, add);
    for (const auto& [name, graph] : model.subgraphs) out.merge(ownSources(*graph));
    return out;
}

} // namespace

/// Storages on their way into one frame, and the descriptors before it.
struct ModelSender::Batch {
    JsonWriter json;
    std::vector<std::byte> blob;
    std::vector<int> descriptors;

    Batch() { json.beginObject().key("storages").beginArray(); }
    ~Batch() { close(); }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;
    void close() {
        for (const int each : descriptors) ::close(each);
        descriptors.clear();
    }
};

bool ModelSender::sendBatch(int descriptor, Batch& batch, const Progress& progress) {
    batch.json.endArray().key("descriptors").integer(static_cast<std::int64_t>(batch.descriptors.size())).endObject();
    const Frame frame{FrameKind::Storages,
                      0,
                      batch.json.text(),
                      std::make_shared<const std::vector<std::byte>>(std::move(batch.blob)),
                      {}};
    const bool sent = (batch.descriptors.empty() || sendDescriptors(m_channel, batch.descriptors, progress)) &&
                      writeFrame(descriptor, frame, progress);
    batch.close();
    batch.blob = {};
    batch.json = JsonWriter();
    batch.json.beginObject().key("storages").beginArray();
    return sent;
}

bool ModelSender::isByPlace(const Storage& storage, std::uint64_t handle) const {
    // A file that was replaced meanwhile, perhaps by saving, can still be read here, but not be opened by its name.
    return m_local && !m_inFrames.contains(handle) && storage.file() && storage.file()->unchanged();
}

std::vector<std::string> ModelSender::files(const std::vector<std::shared_ptr<const GraphModule>>& models,
                                            const Progress& progress) {
    std::vector<std::string> out;
    for (const auto& model : models) {
        const std::uint64_t handle = ModelRef(model).handle;
        const auto [called, isNew] = m_called.try_emplace(handle);
        if (isNew) called->second = calledFiles(*model, m_local);
        out.insert(out.end(), called->second.begin(), called->second.end());
        if (m_models.contains(handle)) continue;
        const auto known = m_described.find(handle);
        const auto& described = known != m_described.end()
                                    ? known->second
                                    : m_described.emplace(handle, this->described(model, progress)).first->second;
        for (const SafetensorsEntry& entry : described.weights.entries) {
            const std::uint64_t storage = handleOf(entry.storage);
            if (!m_storages.contains(storage) && isByPlace(*entry.storage, storage) &&
                (out.empty() || out.back() != entry.storage->file()->path()))
                out.push_back(entry.storage->file()->path());
        }
    }
    return out;
}

bool ModelSender::send(int descriptor, const std::vector<std::shared_ptr<const GraphModule>>& models,
                       const Progress& progress) {
    for (const auto& model : models) {
        const std::uint64_t handle = ModelRef(model).handle;
        if (m_models.contains(handle)) continue;
        if (!sendModel(descriptor, model, handle, progress)) return false;
        m_models.insert(handle);
    }
    m_described.clear();
    return true;
}

IrDescription ModelSender::described(const std::shared_ptr<const GraphModule>& model, const Progress& progress) {
    if (!m_complete) return describeAsIr(*model, progress);
    const auto completed = m_complete(model, progress);
    for (const std::string& source : m_python&& m_channel >= 0 ? ownSources(*completed) : std::set<std::string>())
        m_pythons.try_emplace(source);
    return describeAsIr(*completed, progress);
}

bool ModelSender::sendPythons(int descriptor, const Progress& progress) {
    for (auto& [source, process] : m_pythons) {
        if (process) continue;
        OwnPythonEnds ends = m_python(source, progress);
        process = std::move(ends.process);
        const std::array descriptors{ends.to, ends.from};
        JsonWriter json;
        json.beginObject().key("source").string(source).key("seconds").integer(ends.limit.count()).endObject();
        const bool sent = sendDescriptors(m_channel, descriptors, progress) &&
                          writeFrame(descriptor, {FrameKind::Python, 0, json.text(), {}, {}}, progress);
        for (const int each : descriptors) ::close(each);
        if (!sent) return false;
    }
    return true;
}

bool ModelSender::sendModel(int descriptor, const std::shared_ptr<const GraphModule>& model, std::uint64_t handle,
                            const Progress& progress) {
    auto known = m_described.extract(handle);
    const IrDescription description = known ? std::move(known.mapped()) : described(model, progress);
    if (!sendPythons(descriptor, progress)) return false;
    Batch batch;
    for (const SafetensorsEntry& entry : description.weights.entries) {
        const std::uint64_t storage = handleOf(entry.storage);
        if (m_storages.contains(storage)) continue;
        if (!addStorage(descriptor, batch, entry.storage, storage, progress)) return false;
        m_storages.insert(storage);
    }
    if (!sendBatch(descriptor, batch, progress)) return false;
    JsonWriter json;
    json.beginObject()
        .key("handle")
        .integer(static_cast<std::int64_t>(handle))
        .key("path")
        .string(model->path)
        .key("format")
        .string(formatName(model->format));
    writeWeights(json, description.weights);
    json.endObject();
    return writeFrame(descriptor, {FrameKind::Model, 0, json.text(), bytesOf(description.text), {}}, progress);
}

bool ModelSender::addStorage(int descriptor, Batch& batch, const std::shared_ptr<const Storage>& storage,
                             std::uint64_t handle, const Progress& progress) {
    JsonWriter row;
    row.beginObject().key("handle").integer(static_cast<std::int64_t>(handle));
    std::uint64_t at = 0;
    const bool isShared = m_channel >= 0 && !m_inFrames.contains(handle) && storage->byteCount() >= kSharedFrom;
    if (batch.descriptors.size() == kMostDescriptors && !sendBatch(descriptor, batch, progress)) return false;
    if (isByPlace(*storage, handle)) {
        row.key("file").string(storage->file()->path());
        at = storage->fileOffset();
    } else if (const auto inArena = placeInArena(*storage, progress)) {
        row.key("file").string(kArena);
        at = *inArena;
    } else if (const int shared = isShared ? sharedCopy(*storage, progress) : -1; shared >= 0) {
        row.key("descriptor").integer(static_cast<std::int64_t>(batch.descriptors.size()));
        batch.descriptors.push_back(shared);
    } else {
        if (!batch.blob.empty() && batch.blob.size() + storage->byteCount() > kFrameBytes &&
            !sendBatch(descriptor, batch, progress))
            return false;
        at = batch.blob.size();
        batch.blob.resize(at + storage->byteCount());
        storage->read(0, std::span(batch.blob).subspan(at));
        batch.blob.resize((batch.blob.size() + 63) / 64 * 64); // the next one begins aligned
    }
    row.key("at")
        .integer(static_cast<std::int64_t>(at))
        .key("bytes")
        .integer(static_cast<std::int64_t>(storage->byteCount()))
        .endObject();
    batch.json.raw(row.text());
    return true;
}

std::optional<std::uint64_t> ModelSender::placeInArena(const Storage& storage, const Progress& progress) {
    constexpr std::size_t kAligned = 64;
    const std::size_t at = (m_arenaUsed + kAligned - 1) / kAligned * kAligned;
    if (storage.byteCount() < kSharedFrom || at > m_arena.size() || storage.byteCount() > m_arena.size() - at)
        return std::nullopt;
    for (std::uint64_t done = 0; done < storage.byteCount();) {
        progress.check();
        const std::size_t count = std::min<std::uint64_t>(kPiece, storage.byteCount() - done);
        storage.read(done, m_arena.subspan(at + static_cast<std::size_t>(done), count));
        done += count;
    }
    m_arenaUsed = at + static_cast<std::size_t>(storage.byteCount());
    return at;
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
