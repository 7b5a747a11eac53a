// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"

#include <QDialog>

namespace ui {

class Settings;
class WindowActions;

/// The settings that hold for every file, in one place. A choice takes effect at once and is remembered.
class PreferencesDialog final : public QDialog {
    Q_OBJECT
public:
    PreferencesDialog(Settings& settings, const WindowActions& actions, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Of the graph in front, and of files opened from now on.
    void directionChosen(fx::Direction direction);

private:
    QWidget* themeChoice(const Settings& settings, const WindowActions& actions);
    QWidget* directionChoice(const Settings& settings);
    QWidget* recentFiles(Settings& settings);
};

} // namespace ui
