// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"
#include "core/edit/steps.h"
#include "ui/document/document.h"

namespace ui {

/// What code that somebody typed would make of the version that it was typed for.
struct DraftCheck {
    std::vector<fx::CodeError> errors; ///< with any, there is no `result`
    fx::Warnings warnings;
    std::size_t created = 0, changed = 0, erased = 0; ///< nodes
    std::shared_ptr<const fx::GraphModule> result;
};

/// The step of an edit that applies `text`, the whole code.
QByteArray stepsForCode(const QByteArray& text);
/// Off the GUI thread. Throws fx::Error.
DraftCheck checkDraft(const std::shared_ptr<const fx::GraphModule>& version, const QByteArray& text,
                      const fx::Progress& progress);

} // namespace ui
