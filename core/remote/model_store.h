// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/model_ref.h"

#include <functional>
#include <list>
#include <unordered_map>
#include <unordered_set>

namespace fx::remote {

/// Thrown when a request refers to models that the worker no longer has. The client sends them again, transparently to
/// its caller.
class MissingModels : public Error {
public:
    /// All arguments are handles: the model, storages to send again, and storages that could not be opened.
    MissingModels(std::uint64_t model, std::vector<std::uint64_t> missing, std::vector<std::uint64_t> unreadable);
    /// Returns the reply to request `number`.
    Frame toFrame(std::uint32_t number) const;

private:
    std::uint64_t m_model;
    std::vector<std::uint64_t> m_missing, m_unreadable;
};

/// The worker's models: the last versions received, and files. One thread.
class ModelStore {
public:
    /// Opens a file. Throws its errors.
    using Open = std::function<std::shared_ptr<const GraphModule>(const std::string& path)>;
    /// Returns the bytes at a place: a file, or a name that the other side uses.
    using Find =
        std::function<std::shared_ptr<const Storage>(const std::string& place, std::uint64_t at, std::uint64_t bytes)>;
    /// Default number of versions kept.
    static constexpr std::size_t kKept = 16;
    /// `open` reads files. The last `kept` versions are kept, or more. `channel` supplies descriptors. `find` decides
    /// which places are read, for models from a process that is not trusted; if unset, all files are read.
    explicit ModelStore(Open open, std::size_t kept = kKept, int channel = -1, Find find = {})
        : m_open(std::move(open)), m_kept(kept), m_channel(channel), m_find(std::move(find)) {}

    /// Returns the model that a request refers to, in the mode of the request. Throws the errors of opening the file,
    /// and `MissingModels`, which verbs must not catch.
    std::shared_ptr<const GraphModule> get(const ModelRef& model);

    /// Adds a frame of kind Storages or Model. `get` reports its errors.
    void add(const Frame& frame);

private:
    struct Entry {
        std::uint64_t handle;
        std::shared_ptr<const GraphModule> model; ///< null if a part is missing or `problem` is set
        std::vector<std::uint64_t> missing;       ///< missing storages
        std::shared_ptr<const Error> problem;
        std::vector<std::uint64_t> storages = {}; ///< storages of the model
    };
    struct OpenFile;
    void addStorages(const Frame& frame);
    std::vector<std::shared_ptr<const OpenFile>> handedOver(std::size_t count) const;
    void addModel(const Frame& frame);
    std::shared_ptr<const GraphModule> read(JsonValue root, const Frame& frame, Entry& entry) const;
    std::vector<std::uint64_t> writtenOver(const Entry& entry) const;
    std::shared_ptr<const DataFile> fileAt(const std::string& path);
    std::shared_ptr<const GraphModule> saved(const ModelRef& model);
    void dropOld();

    Open m_open;
    std::size_t m_kept;
    int m_channel;
    Find m_find;
    std::list<Entry> m_models; ///< most recently used first
    /// A model in another mode, so that requests for it get the same object.
    struct InMode {
        std::shared_ptr<const GraphModule> saved, model;
        RunMode mode;
    };
    std::list<InMode> m_inMode; ///< latest first
    std::unordered_map<std::uint64_t, std::shared_ptr<const Storage>> m_storages;
    std::unordered_set<std::uint64_t> m_unreadable;
    std::unordered_map<std::string, std::weak_ptr<const OpenFile>> m_files;
};

} // namespace fx::remote
