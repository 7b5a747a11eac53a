// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/edit/steps/steps.h"

namespace app {

/// Names of the nodes that an operation made, took away and changed.
struct EditNames {
    std::vector<std::string> created, erased, changed;
};
/// `effect` is what led from `before` to `after`.
EditNames editNames(const fx::Graph& before, const fx::Graph& after, const fx::EditEffect& effect);

/// What `edit`, `apply`, `pass`, `convert` and `trace` answer with --json. `written` empty: nothing was. `shapes`: the
/// graph whose values' shapes are told too, as torch.fx's `tensor_meta` has them. `notes`: what passes say of their
/// work.
std::string editResultJson(const EditNames& names, const std::string& written, bool verified,
                           const fx::Warnings& warnings, const fx::Graph* shapes = nullptr,
                           const fx::Warnings& notes = {});

} // namespace app
