// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/make/new_module.h"
#include "core/python/tracing/source_trace.h"
#include "core/python/tracing/trace_calls.h"
#include "core/remote/model_store.h"

namespace fx::reader {

/// Writes a traced model as the value of a message's member: its handle, and what descriptions of models omit (its
/// `origin` and those of standalone modules). Adds the models that must be sent first to `frame`.
void writeTraced(JsonWriter& json, const std::shared_ptr<const GraphModule>& model, remote::Frame& frame);
/// Reads what `writeTraced` wrote. Throws Error for invalid messages.
std::shared_ptr<GraphModule> readTraced(JsonValue value, remote::ModelStore& models);

/// Encodes the result of `traceText`.
remote::Frame toFrame(const std::shared_ptr<const GraphModule>& model, std::uint32_t number);
/// Decodes the result of `traceText`.
std::shared_ptr<GraphModule> tracedModel(const remote::Frame& frame, remote::ModelStore& models);
/// Encodes the result of `traceCalls`.
remote::Frame toFrame(const std::vector<TracedCall>& calls, std::uint32_t number);
/// Decodes the result of `traceCalls`.
std::vector<TracedCall> tracedCalls(const remote::Frame& frame, remote::ModelStore& models);
/// Encodes an error. Its excerpt of the source is sent byte for byte, because it need not be UTF-8.
remote::Frame toFrame(const Error& error, std::uint32_t number);
/// Decodes an error.
Error sentError(const remote::Frame& frame);
/// Encodes the result of `traceSource`.
remote::Frame toFrame(const SourceTrace& trace, std::uint32_t number);
/// The result of `traceDefinition`, with the modules that it creates.
struct TracedDefinition {
    std::shared_ptr<const GraphModule> module;
    NewModules newModules;
};
/// Encodes the result of `traceDefinition`.
remote::Frame toFrame(const TracedDefinition& definition, std::uint32_t number);
/// Decodes the result of `traceDefinition`.
TracedDefinition tracedDefinition(const remote::Frame& frame, remote::ModelStore& models);
/// Decodes the result of `traceSource`.
SourceTrace sourceTrace(const remote::Frame& frame, remote::ModelStore& models);

} // namespace fx::reader
