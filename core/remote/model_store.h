// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/model_ref.h"

#include <functional>
#include <list>
#include <unordered_map>
#include <unordered_set>

namespace fx::remote {

/// A request refers to models that the worker does not have (any more); the client sends them again, transparently to
/// its caller.
class MissingModels : public Error {
public:
    MissingModels(std::uint64_t model, std::vector<std::uint64_t> missing, std::vector<std::uint64_t> unreadable);
    /// The reply to the request.
    Frame toFrame(std::uint32_t number) const;

private:
    std::uint64_t m_model;
    std::vector<std::uint64_t> m_missing, m_unreadable;
};

/// The worker's models: the last versions received, and files. One thread.
class ModelStore {
public:
    using Open = std::function<std::shared_ptr<const GraphModule>(const std::string& path)>;
    /// `open` reads files; at least the last `kept` versions are kept.
    explicit ModelStore(Open open, std::size_t kept = 16) : m_open(std::move(open)), m_kept(kept) {}

    /// The model that a request refers to. Throws errors of opening the file, and MissingModels, which verbs must not
    /// catch.
    std::shared_ptr<const GraphModule> get(const ModelRef& model);

    /// Adds a frame of kind Storages or Model. Errors in it are reported when the model is requested.
    void add(const Frame& frame);

private:
    struct Entry {
        std::uint64_t handle;
        std::shared_ptr<const GraphModule> model; ///< null if a part is missing or `problem` is set
        std::vector<std::uint64_t> missing;       ///< storages
        std::shared_ptr<const Error> problem;
        std::vector<std::uint64_t> storages = {}; ///< that the model has
    };
    struct OpenFile;
    void addStorages(const Frame& frame);
    void addModel(const Frame& frame);
    std::shared_ptr<const GraphModule> read(JsonValue root, const Frame& frame, Entry& entry) const;
    std::vector<std::uint64_t> writtenOver(const Entry& entry) const;
    std::shared_ptr<const DataFile> fileAt(const std::string& path);
    void dropOld();

    Open m_open;
    std::size_t m_kept;
    std::list<Entry> m_models; ///< most recently used first
    std::unordered_map<std::uint64_t, std::shared_ptr<const Storage>> m_storages;
    std::unordered_set<std::uint64_t> m_unreadable;
    std::unordered_map<std::string, std::weak_ptr<const OpenFile>> m_files;
};

} // namespace fx::remote
