// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QDialog>

namespace ui {

class Settings;
class WindowActions;

/// Dialog of the settings that apply to all files. A change takes effect immediately and is stored.
class PreferencesDialog final : public QDialog {
    Q_OBJECT
public:
    /// `settings` and `actions` must outlive the dialog.
    PreferencesDialog(Settings& settings, const WindowActions& actions, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Emitted when the user chooses the direction of the graph in front and of files opened from now on.
    void directionChosen(fx::Direction direction);

private:
    QWidget* themeChoice(const Settings& settings, const WindowActions& actions);
    QWidget* directionChoice(const Settings& settings);
    QWidget* recentFiles(Settings& settings);
    QWidget* pythonEnvironments();
};

} // namespace ui
