// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QString>

namespace ui {

/// Descriptions for the inspector as HTML. Every text of the file is escaped; links are `node:ID`, `module:PATH`, and
/// `edit:argument/PLACE` and `edit:setting/NAME` behind values that can be changed.

/// Opcode, target, arguments with links, users, type, shape, module, code, source, other metadata.
QString nodeHtml(const Document& document, const fx::Node& node);
/// Class, settings, children; `path` says where it stands.
QString moduleHtml(const fx::Module& module, const std::string& path);
/// A value as it is typed: an argument by number or name, a constructor setting; empty when there is none.
QString argumentText(const fx::Graph& graph, const fx::Node& node, const QString& place);
QString settingText(const fx::Module& module, const QString& name);
/// How many of what, with the nodes that feed the selection and use it.
QString selectionHtml(const Document& document);
/// The file as a whole: format, counts, inputs and outputs.
QString modelHtml(const Document& document);
/// The style sheet that all of these are written for, in the colours of the theme.
QString inspectorStyle();

/// A titled block: <h3>title</h3> and its content; empty when the content is.
QString section(const QString& title, const QString& content);

} // namespace ui
