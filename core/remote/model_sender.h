// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/ir_json/ir_json.h"
#include "core/remote/frame.h"
#include "core/tensor/storage.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fx::remote {

/// Returns what the worker gets for a model: the model itself, or one with nodes of the same names that has what the
/// model only refers to (`SourceCalls`). Throws only Error{Cancelled}.
using CompleteModel = std::function<std::shared_ptr<const GraphModule>(const std::shared_ptr<const GraphModule>& model,
                                                                       const Progress& progress)>;

/// A Python that runs calls of models for a worker (`kOwnPython`), as long as `process` lives.
struct OwnPythonEnds {
    int to = -1, from = -1; ///< the worker's descriptors, which do not block; whoever receives this closes them
    std::chrono::seconds limit{0};
    std::shared_ptr<void> process;
};
/// Starts the Python of a source. Throws Error.
using StartOwnPython = std::function<OwnPythonEnds(const std::string& source, const Progress& progress)>;

/// Sends versions of models to one worker, but only the parts that the worker lacks: the bytes of a tensor are sent
/// once for all versions. A version is sent as Lancet's description (core/io/ir_json) with handles for tensors. Their
/// bytes are positions in files of this machine, shared memory (memfd) that is passed on, or part of the frames.
/// Tensors that are expressions stay expressions.
class ModelSender {
public:
    /// `local`: the worker is a process on this machine. `channel` accepts descriptors for it; -1 for none.
    /// `complete` makes the version that is sent in place of a model. `python` is started for sources that it names.
    explicit ModelSender(bool local, int channel = -1, CompleteModel complete = {}, StartOwnPython python = {})
        : m_local(local), m_channel(channel), m_complete(std::move(complete)), m_python(std::move(python)) {}
    /// Sends to a process that shares the memory `arena`. Larger tensors are copied into the arena, under the place
    /// `kArena`, and into frames once it is full. `opensFiles`: the process opens files by name, so their tensors are
    /// not copied.
    ModelSender(std::span<std::byte> arena, bool opensFiles) : m_local(opensFiles), m_channel(-1), m_arena(arena) {}
    /// Name of the arena in descriptions of storages.
    static constexpr std::string_view kArena = "arena";

    /// The channel for descriptors, or -1.
    int channel() const { return m_channel; }
    /// Returns the files that the worker must open by name for these models: those of tensors that it lacks, and those
    /// that modules call. Keeps the descriptions for `send`. Throws like `send`.
    std::vector<std::string> files(const std::vector<std::shared_ptr<const GraphModule>>& models,
                                   const Progress& progress);
    /// Writes frames for the parts of these models that are new. Returns false if the worker has gone, or if it takes
    /// no more and `progress` requests a stop. Throws Error{File} if values cannot be read, and Error{Cancelled}.
    bool send(int descriptor, const std::vector<std::shared_ptr<const GraphModule>>& models, const Progress& progress);
    /// Handles a Missing frame: marks dropped parts as unsent. Bytes that the worker could not open are sent in frames
    /// from then on.
    void forget(const Frame& missing);

private:
    struct Batch;
    IrDescription described(const std::shared_ptr<const GraphModule>& model, const Progress& progress);
    bool sendPythons(int descriptor, const Progress& progress);
    bool sendModel(int descriptor, const std::shared_ptr<const GraphModule>& model, std::uint64_t handle,
                   const Progress& progress);
    bool addStorage(int descriptor, Batch& batch, const std::shared_ptr<const Storage>& storage, std::uint64_t handle,
                    const Progress& progress);
    bool sendBatch(int descriptor, Batch& batch, const Progress& progress);
    /// Returns true if the worker opens the file of a storage by name.
    bool isByPlace(const Storage& storage, std::uint64_t handle) const;
    /// Copies the bytes into the arena and returns their offset; nullopt if the arena is full or the storage is small.
    std::optional<std::uint64_t> placeInArena(const Storage& storage, const Progress& progress);

    bool m_local;
    int m_channel;
    CompleteModel m_complete;
    StartOwnPython m_python;
    std::map<std::string, std::shared_ptr<void>> m_pythons; ///< by source; null before it is started
    std::span<std::byte> m_arena;
    std::size_t m_arenaUsed = 0;
    std::unordered_map<std::uint64_t, IrDescription> m_described;         ///< models about to be sent
    std::unordered_map<std::uint64_t, std::vector<std::string>> m_called; ///< files that modules call, by model
    std::unordered_set<std::uint64_t> m_models, m_storages;               ///< handles known to the worker
    std::unordered_set<std::uint64_t> m_inFrames; ///< storages that the worker could not open by file position
};

} // namespace fx::remote
