// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/frame.h"
#include "core/tensor/storage.h"

#include <unordered_set>

namespace fx::remote {

/// Sends versions of models to one worker, but only the parts that it does not know yet: the bytes of a tensor are sent
/// once for all versions. A version is sent as Lancet's description (core/io/ir_json) with handles for tensors; their
/// bytes are positions in files of this machine, shared memory (memfd), or part of the frames. Tensors that are
/// expressions stay expressions.
class ModelSender {
public:
    /// `local`: the worker is a process of this machine.
    explicit ModelSender(bool local) : m_local(local) {}
    ~ModelSender() { settle(); }
    ModelSender(const ModelSender&) = delete;
    ModelSender& operator=(const ModelSender&) = delete;

    /// Writes frames for the new parts of these models. Returns false if the worker is gone. Throws Error{File} if
    /// values cannot be read.
    bool send(int descriptor, const std::vector<std::shared_ptr<const GraphModule>>& models, const Progress& progress);
    /// Called when the worker has replied and has therefore opened the shared memory.
    void settle();
    /// Handles a Missing frame: dropped parts are sent again, and bytes that the worker could not open are sent in
    /// frames from now on.
    void forget(const Frame& missing);

private:
    struct Batch;
    bool sendModel(int descriptor, const GraphModule& model, std::uint64_t handle, const Progress& progress);
    bool addStorage(int descriptor, Batch& batch, const std::shared_ptr<const Storage>& storage, std::uint64_t handle,
                    const Progress& progress);
    std::string sharedPlace(const Storage& storage, const Progress& progress);

    bool m_local;
    std::unordered_set<std::uint64_t> m_models, m_storages; ///< known to the worker
    std::unordered_set<std::uint64_t> m_inFrames;           ///< storages that it cannot open by file position
    std::vector<int> m_shared;                              ///< memfds that it may not have opened yet
};

} // namespace fx::remote
