// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace ui {

/// Steps that change one value where it stands. All throw fx::Error{Refused} for a text that is no value.

QByteArray renameSteps(const std::string& node, const std::string& name);
/// `place`: the number of a positional argument, or the name of a keyword; an empty text takes a keyword or the last
/// argument away.
QByteArray argumentSteps(const fx::Graph& graph, const fx::Node& node, const QString& place, const QString& text);
/// All positional arguments, written as a tuple, or all keywords, written as a dict; nothing: as they are.
QByteArray callSteps(const fx::Graph& graph, const fx::Node& node, const std::optional<QString>& args,
                     const std::optional<QString>& kwargs);
/// A constructor setting of the module at `path`: the module is made anew; its other settings and weights that still
/// fit are kept.
QByteArray settingSteps(const fx::GraphModule& model, const std::string& path, const QString& name,
                        const QString& text);

} // namespace ui
