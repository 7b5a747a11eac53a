// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fx {
class GraphModule;
}

/// The protocol between Lancet and lancet-worker.
///
/// A frame is a header of 32 bytes, JSON text, and a blob with the bytes of tensors:
///
///     "LNCW"  version u16  kind u16  request u32  0 u32  bytes of JSON u64  bytes of blob u64     (little-endian)
namespace fx::remote {

/// Version in each header; both sides must have the same.
inline constexpr std::uint16_t kProtocolVersion = 2;
/// Size of the header.
inline constexpr std::size_t kHeaderBytes = 32;
/// Maximum size of a frame's JSON.
inline constexpr std::uint64_t kMaxJsonBytes = 256 << 20;
/// Maximum size of a frame's blob.
inline constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 40;

/// The purpose of a frame.
enum class FrameKind : std::uint16_t {
    Hello,    ///< the worker is ready: {"library"}
    Request,  ///< to the worker: {"verb", ...}
    Result,   ///< the reply to a request that succeeded
    Error,    ///< {"kind", "what", "node", ...}
    Crash,    ///< sent by a crashing worker: {"node"}
    Storages, ///< to the worker, without a reply: bytes of tensors (core/remote/model_sender.h)
    Model,    ///< to the worker, without a reply: a version of a model
    Missing,  ///< instead of a result: handles that must be sent again: {"models", "storages", "unreadable"}
    Progress, ///< before the result: {"done", "of", "what"}
    Cancel,   ///< to the worker: cancels the request with this number
    Files,    ///< to the worker, once and first: the files that it may read from then on: {"read": [path, ...]}
    Part,     ///< before the result: a piece of the bytes that the request asked for
    Python,   ///< to the worker, without a reply, after two descriptors: to and from a Python: {"source", "seconds"}
};

/// One message between a client and the worker: JSON and bytes.
struct Frame {
    FrameKind kind = FrameKind::Request;
    std::uint32_t request = 0; ///< number of the request; replies carry the same number
    std::string json;
    std::shared_ptr<const std::vector<std::byte>> blob; ///< null if empty
    /// Not part of the frame: versions of models that the request refers to and that must be sent first.
    std::vector<std::shared_ptr<const GraphModule>> models;
    /// Not part of the frame: files and folders that the request names and the worker reads (core/remote/readable.h).
    std::vector<std::string> files = {};
    /// Not part of the frame: open files that a local worker gets with the request (core/remote/descriptor_channel.h).
    std::vector<int> descriptors = {};
};

/// Returns the header of a frame, `kHeaderBytes` long.
std::string frameHeader(FrameKind kind, std::uint32_t request, std::uint64_t jsonBytes, std::uint64_t blobBytes);

/// Writes a whole frame. Returns false if the other side has gone. Also returns false if a non-blocking descriptor
/// accepts no more and `progress` requests a stop; part of the frame may then be written, so nothing may follow it.
bool writeFrame(int descriptor, const Frame& frame, const Progress& progress = {});

/// Reads frames from a pipe piece by piece. Throws Error{Run} for invalid bytes, which another writer put into the
/// pipe.
class FrameReader {
public:
    /// Does not own `descriptor`. A frame that announces more than `mostBlob` bytes is invalid.
    explicit FrameReader(int descriptor, std::uint64_t mostBlob = kMaxBlobBytes)
        : m_descriptor(descriptor), m_mostBlob(mostBlob) {}

    /// The outcome of `read`.
    enum class State : std::uint8_t { Frame, Waiting, Closed };
    /// Waits at most `wait` for a complete frame; forever if negative.
    State read(std::chrono::milliseconds wait);
    /// Returns the frame of the last `read` that returned `State::Frame`.
    Frame take();

private:
    bool complete();
    int m_descriptor;
    std::uint64_t m_mostBlob;
    std::vector<std::byte> m_buffer;
    std::size_t m_filled = 0;
    std::size_t m_needed = kHeaderBytes;
};

} // namespace fx::remote
