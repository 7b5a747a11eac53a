// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

namespace fx {
class SourceReader;
}

namespace ui {

/// The main function of `lancet-gui`: reads the command line, and opens the window or renders without one. `python`
/// follows Python; null: this process does. Returns the exit code.
int launch(int argc, char** argv, const std::shared_ptr<fx::SourceReader>& python);

} // namespace ui
