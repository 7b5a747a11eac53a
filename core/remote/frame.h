// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::size_t kHeaderBytes = 32;
inline constexpr std::uint64_t kMaxJsonBytes = 256 << 20;
inline constexpr std::uint64_t kMaxBlobBytes = std::uint64_t{1} << 40;

enum class FrameKind : std::uint16_t {
    Hello,   ///< the worker is ready: {"library"}
    Request, ///< to the worker: {"verb", ...}
    Result,
    Error,    ///< {"kind", "what", "node", ...}
    Crash,    ///< sent by a crashing worker: {"node"}
    Storages, ///< to the worker, without a reply: bytes of tensors (core/remote/model_sender.h)
    Model,    ///< to the worker, without a reply: a version of a model
    Missing,  ///< instead of a result: models that must be sent again: {"models", "storages", "unreadable"}
    Progress, ///< before the result: {"done", "of", "what"}
    Cancel,   ///< to the worker: cancels the request with this number
};

/// One message between a client and the worker: JSON and bytes.
struct Frame {
    FrameKind kind = FrameKind::Request;
    std::uint32_t request = 0;
    std::string json;
    std::shared_ptr<const std::vector<std::byte>> blob; ///< null if none
    /// Not part of the frame: versions of models that the request refers to and that must be sent first.
    std::vector<std::shared_ptr<const GraphModule>> models;
};

std::string frameHeader(FrameKind kind, std::uint32_t request, std::uint64_t jsonBytes, std::uint64_t blobBytes);

/// Writes a whole frame. False when the other side has gone; also when it takes no more (a descriptor that does not
/// block) and `progress` asks to stop: then part of the frame may be written and nothing can follow it.
bool writeFrame(int descriptor, const Frame& frame, const Progress& progress = {});

/// Reads frames from a pipe piece by piece. Throws Error{Run} for invalid bytes, which something else wrote to the
/// pipe.
class FrameReader {
public:
    explicit FrameReader(int descriptor) : m_descriptor(descriptor) {}

    enum class State : std::uint8_t { Frame, Waiting, Closed };
    /// Waits at most `wait` for a complete frame; forever if negative.
    State read(std::chrono::milliseconds wait);
    /// The frame of the last `read` that returned State::Frame.
    Frame take();

private:
    bool complete();
    int m_descriptor;
    std::vector<std::byte> m_buffer;
    std::size_t m_filled = 0;
    std::size_t m_needed = kHeaderBytes;
};

} // namespace fx::remote
