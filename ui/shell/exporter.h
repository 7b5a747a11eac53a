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

/// The kinds of exported files: `.png .svg .pdf .dot .py`.
enum class ExportKind { Png, Svg, Pdf, Dot, Code };
/// Returns the kind for the extension of a file. Throws fx::Error{Usage} for unknown extensions.
ExportKind exportKindOf(const QString& path);

/// Everything that an export needs, as values and snapshots, so that any thread can run it.
struct ExportRequest {
    ExportKind kind = ExportKind::Png;
    std::shared_ptr<const fx::GraphModule> module; ///< the model
    std::shared_ptr<const Scene> scene;            ///< the picture; unused for Code
    /// Lays the picture out again for the export, for example with full names; nullopt: as the scene is.
    std::optional<fx::LayoutOptions> layout;
    std::vector<fx::NodeId> only;           ///< only these nodes and the edges between them; empty: the whole picture
    std::vector<fx::NodeId> marked;         ///< drawn as selected, in PNG and PDF
    QSize size;                             ///< of a PNG; the picture is fitted into it; invalid: its natural size
    int percent = 200;                      ///< scale of a PNG without `size`
    QSizeF page;                            ///< of a PDF, in points; invalid: the size of the picture
    bool transparent = false;               ///< no background, in PNG and SVG
    std::shared_ptr<const CanvasLook> look; ///< node colours of the canvas; null: by kind. DOT has no colours
    ColourLegend legend;                    ///< drawn below the picture unless it is empty
    Theme theme;                            ///< colours of the picture
    QString title;                          ///< title of the document, stored in the file
};

/// Returns the content of the file. Throws fx::Error.
QByteArray exportBytes(const ExportRequest& request, const fx::Progress& progress = {});
/// Writes the file to a temporary file beside the target and renames it, so that an existing file stays whole until
/// then. Throws fx::Error.
void exportTo(const QString& path, const ExportRequest& request, const fx::Progress& progress = {});
/// Returns the picture as an image, reduced if it would exceed 64 megapixels. Throws fx::Error.
QImage exportImage(const ExportRequest& request, const fx::Progress& progress = {});

/// Returns the size of a picture with its margins and legend, in pixels at 100 %.
QSizeF exportArea(const ExportRequest& request, const fx::Progress& progress = {});
/// Returns the size in pixels of such an area at a scale, reduced if it would exceed 64 megapixels.
QSize imageSize(const QSizeF& area, int percent);

/// Returns the part of a picture with `nodes`, without groups, which would be mostly empty. Throws fx::Error{Refused}
/// if no node is drawn.
fx::Picture partOf(const fx::Picture& picture, const std::vector<fx::NodeId>& nodes);

} // namespace ui
