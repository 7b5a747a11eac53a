// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QString>

namespace ui {

/// Descriptions for the inspector as HTML. All text from files is escaped; links are `node:ID`, `module:PATH`, and
/// `edit:argument/PLACE` and `edit:setting/NAME` after editable values.

/// Describes a node: opcode, target, arguments with links, users, type, shape, module, code, source, other metadata.
QString nodeHtml(const Document& document, const fx::Node& node);
/// Describes a module: class, settings, children. `path` is its path.
QString moduleHtml(const fx::Module& module, const std::string& path);
/// Returns an argument as text for editing, by index or name; empty if none exists.
QString argumentText(const fx::Graph& graph, const fx::Node& node, const QString& place);
/// Returns a constructor setting as text for editing; empty if none exists.
QString settingText(const fx::Module& module, const QString& name);
/// Describes a selection of several nodes: counts by kind, inputs and users.
QString selectionHtml(const Document& document);
/// Describes the file as a whole: format, counts, inputs and outputs.
QString modelHtml(const Document& document);
/// Returns the style sheet of all pages, in the colours of the theme.
QString inspectorStyle();

/// A titled block: `<h3>title</h3>` and its content; empty if the content is empty.
QString section(const QString& title, const QString& content);

} // namespace ui
