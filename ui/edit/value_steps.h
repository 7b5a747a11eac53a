// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/io/readers.h"
#include "core/module/graph_module.h"

#include <QString>

#include <optional>

namespace ui {

/// Steps that change one value in place. All throw fx::Error{Refused} if the text is not a valid value.
/// `readers` are as in `fx::argumentFromText`.

/// Renames a node.
fx::StepList renameSteps(const std::string& node, const std::string& name);
/// Sets one argument. `place` is the index of a positional argument or the name of a keyword. Empty text removes a
/// keyword or the last positional argument.
fx::StepList argumentSteps(const fx::Graph& graph, const fx::Node& node, const QString& place, const QString& text,
                           const fx::Readers& readers = {});
/// Sets all positional arguments, given as a tuple, or all keyword arguments, given as a dict; nullopt keeps them.
fx::StepList callSteps(const fx::Graph& graph, const fx::Node& node, const std::optional<QString>& args,
                       const std::optional<QString>& kwargs, const fx::Readers& readers = {});
/// Sets a constructor setting of the module at `path`. The step creates a new module and keeps the other settings and
/// the weights whose shapes match.
fx::StepList settingSteps(const fx::GraphModule& model, const std::string& path, const QString& name,
                          const QString& text, const fx::Readers& readers = {});

} // namespace ui
