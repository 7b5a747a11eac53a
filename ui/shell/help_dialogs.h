// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace ui {

class WindowActions;

/// All shortcuts, and what mouse and keys do in the canvas.
void showShortcuts(const WindowActions& actions, QWidget* parent);
/// Version, licence, and what the program is built on.
void showAbout(QWidget* parent);

} // namespace ui
