// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/layout/layout.h"
#include "core/module/graph_module.h"
#include "ui/canvas/canvas_look.h"
#include "ui/canvas/colour_legend.h"
#include "ui/scene/scene.h"
#include "ui/widgets/theme.h"

#include <QImage>
#include <QString>

#include <optional>

namespace ui {

/// What a file gets: `.png .svg .pdf .dot .py`.
enum class ExportKind { Png, Svg, Pdf, Dot, Code };
/// The kind that a file's ending means. Throws fx::Error{Usage} for any other ending.
ExportKind exportKindOf(const QString& path);

/// Everything that an export needs, as values and snapshots: it runs on any thread.
struct ExportRequest {
    ExportKind kind = ExportKind::Png;
    std::shared_ptr<const fx::GraphModule> module;
    std::shared_ptr<const Scene> scene; ///< not needed for Code
    /// Lays the picture out again for the export, as with full names; nothing: as the scene is.
    std::optional<fx::LayoutOptions> layout;
    std::vector<fx::NodeId> only;           ///< these nodes and the edges between them; empty: the whole picture
    std::vector<fx::NodeId> marked;         ///< drawn as selected, in PNG and PDF
    QSize size;                             ///< of a PNG: the picture is fitted into it; invalid: as large as it is
    int percent = 200;                      ///< of a PNG without a size: the scale
    QSizeF page;                            ///< of a PDF, in points; invalid: as large as the picture
    bool transparent = false;               ///< no background, in PNG and SVG
    std::shared_ptr<const CanvasLook> look; ///< how the canvas colours the scene; null: by kind. DOT has no colours
    ColourLegend legend;                    ///< drawn below the picture, unless it is empty
    Theme theme;
    QString title;
};

/// The file's content. Throws fx::Error.
QByteArray exportBytes(const ExportRequest& request, const fx::Progress& progress = {});
/// Writes it beside the target and renames, so that an existing file stays whole until then. Throws fx::Error.
void exportTo(const QString& path, const ExportRequest& request, const fx::Progress& progress = {});
/// The picture as an image, or a smaller one where it would exceed 64 megapixels.
QImage exportImage(const ExportRequest& request, const fx::Progress& progress = {});

/// What a picture covers, with what is around it, in units that are pixels at 100 %.
QSizeF exportArea(const ExportRequest& request, const fx::Progress& progress = {});
/// The pixels of such an area at a scale, or fewer where they would exceed 64 megapixels.
QSize imageSize(const QSizeF& area, int percent);

/// The part of a picture that shows `nodes`: without groups, which would be mostly empty.
fx::Picture partOf(const fx::Picture& picture, const std::vector<fx::NodeId>& nodes);

} // namespace ui
