// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// From now on each warning that LibTorch gives on the calling thread is printed once, as Python does by default: two
/// models, or the runs of a timing, would repeat it. Deprecations are not printed.
void tellWarningsOnce();

} // namespace app
