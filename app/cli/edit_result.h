// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/edit/steps/steps.h"

namespace app {

/// Names of the nodes that an operation created, erased and changed.
struct EditNames {
    std::vector<std::string> created, erased, changed;
};
/// Returns the names for `effect`, the difference between `before` and `after`.
EditNames editNames(const fx::Graph& before, const fx::Graph& after, const fx::EditEffect& effect);

/// Returns the --json answer of `edit`, `apply`, `pass`, `convert` and `trace`. `written` is the written file, or
/// empty. `shapes` is a graph whose shapes are included, like `tensor_meta` of torch.fx; may be null. `notes` are the
/// notes of passes.
std::string editResultJson(const EditNames& names, const std::string& written, bool verified,
                           const fx::Warnings& warnings, const fx::Graph* shapes = nullptr,
                           const fx::Warnings& notes = {});

} // namespace app
