// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"

#include <cstddef>
#include <span>
#include <vector>

/// Passes open files to a worker on this machine, beside the pipe of frames, because a sandboxed worker cannot open
/// files of this process by name. Descriptors are sent before the frame that describes them.
namespace fx::remote {

/// Descriptor number of the worker's end.
inline constexpr int kDescriptorChannel = 3;
inline constexpr std::size_t kMostDescriptors = 64; ///< in one message

/// Sends the descriptors in one message. Returns false if the other side has gone, or if it takes no more and
/// `progress` requests a stop.
bool sendDescriptors(int channel, std::span<const int> descriptors, const Progress& progress);
/// Receives the descriptors of one message without waiting; the caller closes them. Returns fewer if this process
/// reaches its limit of open files, and none if no message has arrived.
std::vector<int> receiveDescriptors(int channel);

} // namespace fx::remote
