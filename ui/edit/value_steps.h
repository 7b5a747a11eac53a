// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace ui {

/// Steps that change one value in place. All throw fx::Error{Refused} for text that is not a value.

QByteArray renameSteps(const std::string& node, const std::string& name);
/// `place`: the index of a positional argument, or the name of a keyword; empty text removes a keyword or the last
/// argument.
QByteArray argumentSteps(const fx::Graph& graph, const fx::Node& node, const QString& place, const QString& text);
/// All positional arguments, written as a tuple, or all keywords, written as a dict; nullopt keeps them.
QByteArray callSteps(const fx::Graph& graph, const fx::Node& node, const std::optional<QString>& args,
                     const std::optional<QString>& kwargs);
/// A constructor setting of the module at `path`: a new module is created; its other settings and matching weights are
/// kept.
QByteArray settingSteps(const fx::GraphModule& model, const std::string& path, const QString& name,
                        const QString& text);

} // namespace ui
