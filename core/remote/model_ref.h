// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/module/graph_module.h"
#include "core/remote/frame.h"

namespace fx::remote {

/// The model that a request is about: a file, or a version in memory, which must not change any more.
///
///     request.model = "/models/resnet.pt";  // the worker opens it itself
///     request.model = history.model();      // sent when the worker does not know it yet, and named by its handle
///     afterwards
///
/// In the worker it is a path or a handle; `ModelStore::get` gives the model for either.
struct ModelRef {
    ModelRef() = default;
    ModelRef(const char* file) : path(file) {}
    ModelRef(std::string file) : path(std::move(file)) {}
    ModelRef(std::shared_ptr<const GraphModule> version);
    ModelRef(std::shared_ptr<GraphModule> version) : ModelRef(std::shared_ptr<const GraphModule>(std::move(version))) {}

    std::string path;
    std::shared_ptr<const GraphModule> snapshot;
    std::uint64_t handle = 0; ///< 0: a file
};

/// Writes the value of a request's member and notes in `frame` what the worker must know before it reads the request.
void writeModel(JsonWriter& json, const ModelRef& model, Frame& frame);
ModelRef readModel(JsonValue value);

/// The number that stands for these bytes in messages to all workers, as long as they live.
std::uint64_t handleOf(const std::shared_ptr<const Storage>& storage);

} // namespace fx::remote
