// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

/// The whole of `lancet-gui`: reads the command line, opens the window or renders without one; returns the exit code.
int launch(int argc, char** argv);

} // namespace ui
