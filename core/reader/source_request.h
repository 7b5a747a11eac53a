// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/json/json_writer.h"
#include "core/python/tracing/source_trace.h"
#include "core/remote/model_ref.h"

#include <chrono>
#include <optional>

/// The protocol between Lancet and lancet-reader: frames of core/remote, one request for each process.
namespace fx::reader {

/// Resource limits for reading a text: memory and time of the interpreter, without those of drawn weights.
struct Limits {
    std::uint64_t memoryBytes = 0;
    std::chrono::milliseconds time{}; ///< processor time
    /// Additional bytes for drawn weights. If a source draws more than `kMostDrawn` bytes, the reader ends and the
    /// client first determines the size of the weights from their shapes.
    std::uint64_t drawnBytes = 0;

    /// Maximum bytes that a reader sends or leaves in the arena: no more than it can have had in memory.
    std::uint64_t mostSent() const { return memoryBytes + 2 * drawnBytes + (64 << 20); }
};
/// Bytes of weights that a reader draws without asking.
inline constexpr std::uint64_t kMostDrawn = 128 << 20;

/// Returns the limits of this machine and environment: 1 GiB or a quarter of the free memory if that is less, and 4 s.
/// LANCET_SOURCE_MEMORY (MiB) and LANCET_SOURCE_SECONDS change them.
Limits usualLimits();

/// The action that a reader performs on a text.
enum class Verb : std::uint8_t {
    Trace,      ///< `traceText`
    Type,       ///< `traceSource`
    Definition, ///< `traceDefinition`
    Pass,       ///< `textPass` on a model, to check that it ends within the limits; has no result
    Calls,      ///< `traceCalls`
};

/// A request to trace a text.
struct SourceRequest {
    std::string file, text;
    /// Callbacks are not sent; the reader has its own for those that are set.
    SourceOptions options;
    Verb verb = Verb::Trace;
    Limits limits = {};
    /// Used by Definition, whose name, arguments and seed are in `options`: see `DefinitionSettings`.
    bool isClass = false, needsValues = false;
    std::vector<std::string> known = {};
    /// Used by Pass, whose name is in `options`: the model, and the nodes that the pass may change (all if unset).
    /// Used by Calls: the model and the calls.
    remote::ModelRef model = {};
    std::optional<std::vector<std::string>> selection = {};
    bool hasMachine = false, hasFx = false, loads = false; ///< in the reader: the client has set these callbacks
    /// Memory of the client (`ByteArena`) in which the reader leaves large tensors.
    std::string arenaPlace = {};
    std::uint64_t arenaBytes = 0;

    /// Returns the files that the reader may read; folders include everything below.
    std::vector<std::string> readable() const;
};

/// Writes arguments by name as a member of a message.
void writeKwargs(JsonWriter& json, const char* key, const Kwargs& kwargs);
/// Reads what `writeKwargs` wrote.
Kwargs readKwargs(JsonValue object, const char* key);

/// Encodes the request.
remote::Frame toFrame(const SourceRequest& request, std::uint32_t number);
/// Decodes the request. Throws Error for invalid messages.
SourceRequest sourceRequest(const remote::Frame& frame);

} // namespace fx::reader
