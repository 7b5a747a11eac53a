// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/readers.h"
#include "core/layout/layout.h"
#include "ui/widgets/theme.h"

#include <QJsonObject>
#include <QSize>
#include <QStringList>

namespace ui {

/// The options of the command line.
struct LaunchOptions {
    QStringList models;                     ///< files to open
    QString render;                         ///< write the picture of the first model to this file, without a window
    QString screenshot;                     ///< write a picture of the window to this file after loading
    QStringList expand;                     ///< "all", "none" or group paths; empty: the initial expansion
    QStringList select;                     ///< names of nodes to highlight
    std::optional<fx::Direction> direction; ///< nullopt: as in the settings
    fx::LayoutOptions::Engine engine = fx::LayoutOptions::Engine::Auto; ///< the layout engine
    QSize window;                     ///< size of the window or of the picture; invalid: natural size
    std::optional<ThemeChoice> theme; ///< nullopt: as in the settings
    bool newWindow = false;           ///< open a new window even if one is open
    QJsonObject inputs; ///< inputs to run the models with, in the format of fx::inputsJson; empty: not given
    bool wait = false;  ///< return when the models are closed
};

/// Draws a model into a `.png`, `.svg` or `.pdf` file. Throws fx::Error.
void renderModel(const LaunchOptions& options, const fx::Readers& readers);

class MainWindow;
/// Waits until the window's documents are loaded and drawn, then writes a picture of it. Throws fx::Error.
void screenshot(MainWindow& window, const LaunchOptions& options);

} // namespace ui
