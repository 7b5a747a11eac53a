// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

class MainWindow;
class Settings;

/// Runs the event loop until the window is closed; returns the exit code. From then on the process ends within a
/// second, whatever is still running (`exitWithin`): settings are on disk and the journals of closed documents are gone
/// by then, and nothing else that destructors do outlives the process.
int runUntilClosed(MainWindow& window, Settings& settings);

} // namespace ui
