// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/model_store.h"

#include "core/io/ir_json/ir_json.h"
#include "core/remote/descriptor_channel.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fx::remote {
namespace {

void writeHandles(JsonWriter& json, const char* key, const std::vector<std::uint64_t>& handles) {
    json.key(key).beginArray();
    for (const std::uint64_t handle : handles) json.integer(static_cast<std::int64_t>(handle));
    json.endArray();
}

std::uint64_t handleAt(JsonValue object, const char* key) { return static_cast<std::uint64_t>(object.at(key).asInt()); }

Format formatOf(std::string_view name) {
    for (const Format format : {Format::GraphModule, Format::Folder, Format::Pt2, Format::TorchScript, Format::Python,
                                Format::Lancet, Format::CompileGraph})
        if (formatName(format) == name) return format;
    return Format::Ir;
}

} // namespace

MissingModels::MissingModels(std::uint64_t model, std::vector<std::uint64_t> missing,
                             std::vector<std::uint64_t> unreadable)
    : Error(ErrorKind::Run, Message("remote.no_model")), m_model(model), m_missing(std::move(missing)),
      m_unreadable(std::move(unreadable)) {}

Frame MissingModels::toFrame(std::uint32_t number) const {
    JsonWriter json;
    json.beginObject();
    writeHandles(json, "models", {m_model});
    writeHandles(json, "storages", m_missing);
    writeHandles(json, "unreadable", m_unreadable);
    json.endObject();
    return {FrameKind::Missing, number, json.text(), {}, {}};
}

/// A file that is read through its descriptor from then on, because its name may later refer to a different file.
struct ModelStore::OpenFile {
    int descriptor = -1;
    std::shared_ptr<const DataFile> data;

    explicit OpenFile(const std::string& path)
        : OpenFile(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK), path) {}
    OpenFile(int opened, const std::string& path) : descriptor(opened) {
        if (descriptor < 0) throw Error(ErrorKind::File, Message("remote.cannot_open")).in(path);
        data = DataFile::open("/proc/self/fd/" + std::to_string(descriptor));
    }
    ~OpenFile() {
        if (descriptor >= 0) ::close(descriptor);
    }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    /// Whether `path` still leads to it.
    bool isAt(const std::string& path) const {
        struct stat now {
        }, then{};
        return ::stat(path.c_str(), &now) == 0 && ::fstat(descriptor, &then) == 0 && now.st_dev == then.st_dev &&
               now.st_ino == then.st_ino && data->unchanged();
    }
};

std::shared_ptr<const GraphModule> ModelStore::get(const ModelRef& model) {
    auto original = saved(model);
    if (model.mode == RunMode::AsSaved) return original;
    const auto known = std::find_if(m_inMode.begin(), m_inMode.end(), [&](const InMode& each) {
        return each.saved == original && each.mode == model.mode;
    });
    if (known != m_inMode.end()) return known->model;
    m_inMode.push_front({original, inMode(*original, model.mode == RunMode::Train), model.mode});
    constexpr std::size_t kFew = 4; // the models of one request
    if (m_inMode.size() > kFew) m_inMode.pop_back();
    return m_inMode.front().model;
}

std::shared_ptr<const GraphModule> ModelStore::saved(const ModelRef& model) {
    if (model.snapshot) return model.snapshot;
    if (model.handle == 0) {
        if (auto opened = m_open(model.path)) return opened;
        throw Error(ErrorKind::Run, Message("remote.no_model"));
    }
    const auto entry = std::find_if(m_models.begin(), m_models.end(),
                                    [&](const Entry& known) { return known.handle == model.handle; });
    if (entry == m_models.end()) throw MissingModels(model.handle, {}, {});
    if (entry->problem) throw Error(*entry->problem);
    if (!entry->model) {
        std::vector<std::uint64_t> missing = std::move(entry->missing), unreadable;
        for (const std::uint64_t storage : missing)
            if (m_unreadable.contains(storage)) unreadable.push_back(storage);
        m_models.erase(entry);
        throw MissingModels(model.handle, std::move(missing), std::move(unreadable));
    }
    if (const std::vector<std::uint64_t> gone = writtenOver(*entry); !gone.empty()) { // the client may have kept them
        std::erase_if(m_models, [&](const Entry& known) {
            return std::find_first_of(gone.begin(), gone.end(), known.storages.begin(), known.storages.end()) !=
                   gone.end();
        });
        for (const std::uint64_t storage : gone) m_storages.erase(storage);
        throw MissingModels(model.handle, gone, gone);
    }
    m_models.splice(m_models.begin(), m_models, entry);
    return entry->model;
}

/// Storages whose file another program has written over, so that it no longer has the weights of the model.
std::vector<std::uint64_t> ModelStore::writtenOver(const Entry& entry) const {
    std::unordered_map<const DataFile*, bool> isWhole;
    std::vector<std::uint64_t> out;
    for (const std::uint64_t handle : entry.storages) {
        const auto storage = m_storages.find(handle);
        const DataFile* file = storage == m_storages.end() ? nullptr : storage->second->file().get();
        if (!file) continue;
        const auto [known, isNew] = isWhole.try_emplace(file);
        if (isNew) known->second = file->unchanged();
        if (!known->second) out.push_back(handle);
    }
    return out;
}

void ModelStore::add(const Frame& frame) { frame.kind == FrameKind::Storages ? addStorages(frame) : addModel(frame); }

void ModelStore::addStorages(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    const std::uint64_t size = frame.blob ? frame.blob->size() : 0;
    const auto files = handedOver(handleAt(document->root(), "descriptors"));
    for (const JsonValue row : document->root().at("storages").needArray()) {
        const std::uint64_t handle = handleAt(row, "handle"), at = handleAt(row, "at"), bytes = handleAt(row, "bytes");
        const JsonValue path = row.find("file");
        if (path.exists() && m_find) {
            m_storages[handle] = m_find(std::string(path.asText()), at, bytes);
            continue;
        }
        if (path.exists()) {
            try {
                m_storages[handle] = Storage::inFile(fileAt(std::string(path.asText())), at, bytes);
                m_unreadable.erase(handle);
            } catch (const Error&) { m_unreadable.insert(handle); }
            continue;
        }
        if (const JsonValue place = row.find("descriptor"); place.exists()) {
            const auto number = static_cast<std::uint64_t>(place.asInt());
            if (number < files.size() && files[number])
                m_storages[handle] = Storage::inFile({files[number], files[number]->data.get()}, at, bytes),
                m_unreadable.erase(handle);
            else m_unreadable.insert(handle);
            continue;
        }
        if (at > size || bytes > size - at) throw row.error(Message("remote.tensor_outside"));
        m_storages[handle] =
            Storage::through(bytes, [blob = frame.blob, at](std::uint64_t offset, std::span<std::byte> out) {
                if (!out.empty()) std::copy_n(blob->data() + at + offset, out.size(), out.data());
            });
        m_unreadable.erase(handle);
    }
}

/// The files that were sent before a frame; null for one that cannot be had, since this process has too many.
std::vector<std::shared_ptr<const ModelStore::OpenFile>> ModelStore::handedOver(std::size_t count) const {
    std::vector<std::shared_ptr<const OpenFile>> out;
    if (count == 0) return out;
    for (const int descriptor : receiveDescriptors(m_channel)) {
        out.emplace_back();
        try {
            out.back() = std::make_shared<const OpenFile>(descriptor, std::string());
        } catch (const Error&) {} // then its bytes are asked for
    }
    return out;
}

std::shared_ptr<const DataFile> ModelStore::fileAt(const std::string& path) {
    auto& known = m_files[path];
    auto file = known.lock();
    if (!file || !file->isAt(path)) known = file = std::make_shared<const OpenFile>(path);
    return {file, file->data.get()};
}

void ModelStore::addModel(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    Entry entry{handleAt(document->root(), "handle"), nullptr, {}, nullptr};
    try {
        entry.model = read(document->root(), frame, entry);
    } catch (const Error& error) { entry.problem = std::make_shared<const Error>(error); }
    std::erase_if(m_models, [&](const Entry& known) { return known.handle == entry.handle; });
    const bool whole = entry.model != nullptr; // until it is, what it shares with others must stay
    m_models.push_front(std::move(entry));
    if (whole) dropOld();
}

std::shared_ptr<const GraphModule> ModelStore::read(JsonValue root, const Frame& frame, Entry& entry) const {
    IrDescription description;
    if (frame.blob) description.text.assign(reinterpret_cast<const char*>(frame.blob->data()), frame.blob->size());
    for (const JsonValue row : root.at("weights").needArray()) {
        const std::uint64_t handle = handleAt(row, "storage");
        const auto storage = m_storages.find(handle);
        if (storage == m_storages.end()) {
            entry.missing.push_back(handle);
            continue;
        }
        entry.storages.push_back(handle);
        description.weights.entries.push_back({std::string(row.at("name").asText()),
                                               std::string(row.at("dtype").asText()), row.at("shape").integers(),
                                               storage->second});
    }
    if (!entry.missing.empty()) return nullptr;
    auto model = readIrDescription(description, std::string(root.at("path").asText()));
    model->format = formatOf(root.at("format").asText());
    return model;
}

/// Drops the versions that were not used for longest, and the bytes that no other version has.
void ModelStore::dropOld() {
    if (m_models.size() <= m_kept) return;
    while (m_models.size() > m_kept) m_models.pop_back();
    std::erase_if(m_storages, [](const auto& entry) { return entry.second.use_count() == 1; });
    std::erase_if(m_files, [](const auto& entry) { return entry.second.expired(); });
}

} // namespace fx::remote
