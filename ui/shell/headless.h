// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "ui/widgets/theme.h"

#include <QSize>
#include <QStringList>

namespace ui {

/// What the command line asked for.
struct LaunchOptions {
    QStringList models;
    QString render;     ///< write the picture of the first model to this file, without a window
    QString screenshot; ///< write the whole window to this file, once everything is loaded
    QStringList expand; ///< "all", "none" or group paths; empty: what suits the model
    QStringList select; ///< names of nodes to be marked
    std::optional<fx::Direction> direction;
    fx::LayoutOptions::Engine engine = fx::LayoutOptions::Engine::Auto;
    QSize window; ///< size of the window, or of the picture; invalid: as large as it is
    std::optional<ThemeChoice> theme;
};

/// Draws a model into a `.png`, `.svg` or `.pdf` file. Throws fx::Error.
void renderModel(const LaunchOptions& options);

class MainWindow;
/// Waits until the window's documents are loaded and drawn, then writes what it shows. Throws fx::Error.
void screenshot(MainWindow& window, const LaunchOptions& options);

} // namespace ui
