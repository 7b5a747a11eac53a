// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// From now on a signal that ends this process first sends a Crash frame to `descriptor` that names the node being run:
/// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and SIGTERM. Handlers run on a stack of their own, since the model may have
/// used up the other.
void leaveLastWords(int descriptor);

} // namespace app
