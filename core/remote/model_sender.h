// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/remote/frame.h"
#include "core/tensor/storage.h"

#include <unordered_set>

namespace fx::remote {

/// Sends versions of models to one worker, and of them what it does not know yet: the bytes of a tensor go once,
/// whichever versions have it. A version is Lancet's description of it (core/io/ir_json) with the tensors named by
/// handles; their bytes are places in files of this machine, memory that both processes see (memfd), or in the frames.
/// Tensors that are expressions stay expressions.
class ModelSender {
public:
    /// `local`: the worker is a process of this machine.
    explicit ModelSender(bool local) : m_local(local) {}
    ~ModelSender() { settle(); }
    ModelSender(const ModelSender&) = delete;
    ModelSender& operator=(const ModelSender&) = delete;

    /// Writes frames for what is new in these models. False when the worker has gone, and when it takes
    /// nothing more and `progress` asks to stop. Throws Error{File} when values
    /// cannot be read.
    bool send(int descriptor, const std::vector<std::shared_ptr<const GraphModule>>& models, const Progress& progress);
    /// The worker has answered, so it has opened what was in shared memory.
    void settle();
    /// A Missing frame: what the worker has dropped is sent again, and bytes that it could not open go in frames from
    /// now on.
    void forget(const Frame& missing);

private:
    struct Batch;
    bool sendModel(int descriptor, const GraphModule& model, std::uint64_t handle, const Progress& progress);
    bool addStorage(int descriptor, Batch& batch, const std::shared_ptr<const Storage>& storage, std::uint64_t handle,
                    const Progress& progress);
    std::string sharedPlace(const Storage& storage, const Progress& progress);

    bool m_local;
    std::unordered_set<std::uint64_t> m_models, m_storages; ///< known to the worker
    std::unordered_set<std::uint64_t> m_inFrames;           ///< storages that it cannot open by their place
    std::vector<int> m_shared;                              ///< memfds that it may not have opened yet
};

} // namespace fx::remote
