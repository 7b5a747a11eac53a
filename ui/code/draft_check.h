// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"
#include "core/edit/steps/steps.h"
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
/// Checks the draft of a document and makes it the model, as one of the document's operations. When that cannot be, the
/// operations say why, the draft stays, and `done` gets false. Nothing is called when the document goes first.
void applyDraft(Document& document, const std::function<void(bool applied)>& done);

} // namespace ui
