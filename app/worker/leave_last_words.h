// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// Makes a signal that ends this process first send a Crash frame to `descriptor` that names the running node: SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGTERM. Handlers run on a separate stack, because the model may have exhausted
/// the other.
void leaveLastWords(int descriptor);

} // namespace app
