// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QString>

namespace ui {

/// Descriptions for the inspector as HTML. All text from files is escaped; links are `node:ID`, `module:PATH`, and
/// `edit:argument/PLACE` and `edit:setting/NAME` after editable values.

/// Opcode, target, arguments with links, users, type, shape, module, code, source, other metadata.
QString nodeHtml(const Document& document, const fx::Node& node);
/// Class, settings, children; `path` is its path.
QString moduleHtml(const fx::Module& module, const std::string& path);
/// A value as text for editing: an argument by index or name, or a constructor setting; empty if there is none.
QString argumentText(const fx::Graph& graph, const fx::Node& node, const QString& place);
QString settingText(const fx::Module& module, const QString& name);
/// Counts by kind, with the inputs and users of the selection.
QString selectionHtml(const Document& document);
/// The file as a whole: format, counts, inputs and outputs.
QString modelHtml(const Document& document);
/// The style sheet for all of these, in the colours of the theme.
QString inspectorStyle();

/// A titled block: <h3>title</h3> and its content; empty if the content is empty.
QString section(const QString& title, const QString& content);

} // namespace ui
