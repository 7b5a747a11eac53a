// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/imports/place.h"
#include "core/reader/source_request.h"

namespace fx::reader {

/// Why a reader ended itself, in a frame of kind Crash.
enum class EndedBy : std::uint8_t {
    Memory, ///< exceeded `Limits::memoryBytes`
    Time,   ///< exceeded `Limits::time`
    Drawn,  ///< drew more weights than `Limits::drawnBytes` allows
    Signal, ///< crashed
};

/// Returns the bytes of data of this process, as RLIMIT_DATA counts them.
std::uint64_t dataBytes();

/// Makes this process end itself when it exceeds the limits on top of `before` (bytes of data), crashes, or loses its
/// client, whose frames come from `input`. It first writes a Crash frame for `request` to `output`, with the reason and
/// the source line. Supports one thread that interprets sources. Call it before entering the sandbox.
void watchOver(const Limits& limits, std::uint32_t request, int input, int output, std::uint64_t before);
/// Suppresses Crash frames during its lifetime, while other frames are being written.
class LastWordsHeld {
public:
    LastWordsHeld();
    ~LastWordsHeld();
    LastWordsHeld(const LastWordsHeld&) = delete;
    LastWordsHeld& operator=(const LastWordsHeld&) = delete;
};

/// Returns the reason in a Crash frame.
EndedBy endedBy(const remote::Frame& crash);
/// Converts a crash to the error of the source. Without a frame, `how` says how the reader ended.
Error errorOf(const remote::Frame* crash, const SourceRequest& request, const std::string& how);

} // namespace fx::reader
