// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace ui {

class WindowActions;

/// Returns all shortcuts, and the mouse and keyboard controls of the canvas, as rich text.
QString shortcutsHtml(const WindowActions& actions);
/// Shows all shortcuts, and the mouse and keyboard controls of the canvas.
void showShortcuts(const WindowActions& actions, QWidget* parent);
/// Shows version, licence and libraries.
void showAbout(QWidget* parent);

} // namespace ui
