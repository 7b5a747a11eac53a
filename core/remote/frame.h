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

/// What goes over the pipes between Lancet and lancet-worker.
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
    Crash,    ///< the last words of a worker that dies: {"node"}
    Storages, ///< to the worker, without an answer: bytes of tensors (core/remote/model_sender.h)
    Model,    ///< to the worker, without an answer: a version of a model
    Missing,  ///< instead of a result: models that must be sent again: {"models", "storages", "unreadable"}
    Progress, ///< before the result: {"done", "of", "what"}
    Cancel,   ///< to the worker: the request of this number is no longer wanted
};

struct Frame {
    FrameKind kind = FrameKind::Request;
    std::uint32_t request = 0;
    std::string json;
    std::shared_ptr<const std::vector<std::byte>> blob; ///< null: none
    /// Not sent with it: versions of models that the request names, and that the worker must know before.
    std::vector<std::shared_ptr<const GraphModule>> models;
};

std::string frameHeader(FrameKind kind, std::uint32_t request, std::uint64_t jsonBytes, std::uint64_t blobBytes);

/// Writes a whole frame. False when the other side has gone; also when it takes no more (a descriptor that does not
/// block) and `progress` asks to stop: then part of the frame may be written and nothing can follow it.
bool writeFrame(int descriptor, const Frame& frame, const Progress& progress = {});

/// Reads frames from a pipe piece by piece. Throws Error{Run} for bytes that are no frame: something else wrote to the
/// pipe.
class FrameReader {
public:
    explicit FrameReader(int descriptor) : m_descriptor(descriptor) {}

    enum class State : std::uint8_t { Frame, Waiting, Closed };
    /// Waits until `wait` is over for a whole frame; negative: without end.
    State read(std::chrono::milliseconds wait);
    /// The frame of the last `read` that gave State::Frame.
    Frame take();

private:
    bool complete();
    int m_descriptor;
    std::vector<std::byte> m_buffer;
    std::size_t m_filled = 0;
    std::size_t m_needed = kHeaderBytes;
};

} // namespace fx::remote
