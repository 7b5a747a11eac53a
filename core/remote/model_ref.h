// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/module/training_mode.h"
#include "core/remote/frame.h"

namespace fx::remote {

/// The model of a request: a file, or a version in memory, which must not change afterwards.
///
///     request.model = "/models/resnet.pt";  // the worker opens it itself
///     request.model = history.model();      // sent if the worker does not have it, then referred to by its handle
///
/// In the worker, it is a path or a handle; `ModelStore::get` returns the model for either.
struct ModelRef {
    ModelRef() = default;
    /// A file.
    ModelRef(const char* file) : path(file) {}
    /// A file.
    ModelRef(std::string file) : path(std::move(file)) {}
    /// A version in memory.
    ModelRef(std::shared_ptr<const GraphModule> version);
    /// A version in memory.
    ModelRef(std::shared_ptr<GraphModule> version) : ModelRef(std::shared_ptr<const GraphModule>(std::move(version))) {}

    std::string path;
    std::shared_ptr<const GraphModule> snapshot;
    std::uint64_t handle = 0; ///< identifies the version; 0 for a file
    RunMode mode = RunMode::AsSaved;
};

/// Writes the value of a request's member. Adds the models that must be sent first to `frame`.
void writeModel(JsonWriter& json, const ModelRef& model, Frame& frame);
/// Reads what `writeModel` wrote: a path or a handle. Throws Error for invalid messages.
ModelRef readModel(JsonValue value);

/// Returns the number that identifies a storage in messages to all workers, while the storage lives.
std::uint64_t handleOf(const std::shared_ptr<const Storage>& storage);

} // namespace fx::remote
