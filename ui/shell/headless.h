// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/layout.h"
#include "ui/widgets/theme.h"

#include <QJsonObject>
#include <QSize>
#include <QStringList>

namespace ui {

/// The options of the command line.
struct LaunchOptions {
    QStringList models;
    QString render;     ///< write the picture of the first model to this file, without a window
    QString screenshot; ///< write a picture of the window to this file after loading
    QStringList expand; ///< "all", "none" or group paths; if empty, the initial expansion
    QStringList select; ///< names of nodes to highlight
    std::optional<fx::Direction> direction;
    fx::LayoutOptions::Engine engine = fx::LayoutOptions::Engine::Auto;
    QSize window; ///< size of the window, or of the picture; natural size if invalid
    std::optional<ThemeChoice> theme;
    bool newWindow = false; ///< a window of its own, whatever is open
    QJsonObject inputs;     ///< to run the models with, as fx::inputsJson writes them; empty: not told
    bool wait = false;      ///< return when the models are closed
};

/// Draws a model into a `.png`, `.svg` or `.pdf` file. Throws fx::Error.
void renderModel(const LaunchOptions& options);

class MainWindow;
/// Waits until the window's documents are loaded and drawn, then writes a picture of it. Throws fx::Error.
void screenshot(MainWindow& window, const LaunchOptions& options);

} // namespace ui
