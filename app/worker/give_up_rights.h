// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/frame.h"
#include "core/sandbox/sandbox.h"

namespace app {

/// Waits for the frame with the files that this process may read (FrameKind::Files) and enters the sandbox, before
/// there is another thread and before the first byte of a model. Returns the reader for the frames that follow. Ends
/// the process if the client disconnects. Throws Error{Run} if another frame comes first.
fx::remote::FrameReader giveUpRights(int descriptor);

/// Returns the files that a worker may read besides those of its requests: facts about the machine.
std::vector<std::string> machineFiles();

} // namespace app
