// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/module/graph_module.h"
#include "core/remote/frame.h"

namespace fx::remote {

/// The model of a request: a file, or a version in memory, which must not change any more.
///
///     request.model = "/models/resnet.pt";  // the worker opens it itself
///     request.model = history.model();      // sent if the worker does not know it yet, and referred to by its handle
///     afterwards
///
/// In the worker, it is a path or a handle; `ModelStore::get` returns the model for either.
struct ModelRef {
    ModelRef() = default;
    ModelRef(const char* file) : path(file) {}
    ModelRef(std::string file) : path(std::move(file)) {}
    ModelRef(std::shared_ptr<const GraphModule> version);
    ModelRef(std::shared_ptr<GraphModule> version) : ModelRef(std::shared_ptr<const GraphModule>(std::move(version))) {}

    std::string path;
    std::shared_ptr<const GraphModule> snapshot;
    std::uint64_t handle = 0; ///< 0 for a file
};

/// Writes the value of a request's member and adds the models that must be sent first to `frame`.
void writeModel(JsonWriter& json, const ModelRef& model, Frame& frame);
ModelRef readModel(JsonValue value);

/// The number that identifies these bytes in messages to all workers during their lifetime.
std::uint64_t handleOf(const std::shared_ptr<const Storage>& storage);

} // namespace fx::remote
