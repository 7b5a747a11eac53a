// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace app {

/// Makes each warning of LibTorch on the calling thread print once, like Python by default: two models, or the runs of
/// a timing, would repeat it. Deprecations are not printed. Output of models goes to standard error, with hidden
/// characters spelled.
void tellWarningsOnce();

} // namespace app
