// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

class MainWindow;
class Settings;

/// Runs the event loop until the window is closed, and returns the exit code. After that the process ends within a
/// second, whatever is still running (`exitWithin`): by then settings are on disk and the journals of closed documents
/// are removed, and no other effect of a destructor outlives the process.
int runUntilClosed(MainWindow& window, Settings& settings);

} // namespace ui
