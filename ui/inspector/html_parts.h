// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <QCoreApplication>
#include <QString>

#include <vector>

namespace ui {

/// The translation context of all texts of the inspector.
class InspectorText {
    Q_DECLARE_TR_FUNCTIONS(ui::InspectorText)
};

/// Building blocks of the inspector's pages. Arguments are HTML unless they are std types.

/// Building blocks of the inspector's pages. Arguments are HTML unless they are std types.
QString row(const QString& label, const QString& content);
/// A row whose long name wraps while the count does not.
QString countRow(const QString& name, const QString& count);
QString table(const QString& rows); ///< A table of rows; empty if there are no rows.
/// The heading of a page with a badge in the colour of the node kind. `text` is plain text.
QString title(const QString& text, std::string_view badge, fx::Op op);
/// The heading of a page with a badge in the accent colour. `text` is plain text.
QString title(const QString& text, const QString& badge);
QString nodeLink(const fx::Graph& graph, fx::NodeId node); ///< A link to a node, with its name.
/// Links separated by commas, followed by the number of further nodes after `limit`.
QString nodeLinks(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes, std::size_t limit);
QString moduleLink(const std::string& path); ///< A link to a module, with its path.
/// Inserts `kBreak` after dots, underscores and slashes of long words. Without it, a text document would break them
/// anywhere.
QString withBreaks(const QString& html);
constexpr QChar kBreak(0x200B); ///< zero-width space

} // namespace ui
