// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/code/code_edit.h"
#include "core/edit/steps/steps.h"
#include "ui/document/document.h"

namespace ui {

/// The effect of a code draft on the version for which it was written.
struct DraftCheck {
    std::vector<fx::CodeError> errors;                ///< if there are any, `result` is null
    fx::Warnings warnings;                            ///< unknown names that are kept
    std::size_t created = 0, changed = 0, erased = 0; ///< numbers of nodes
    fx::StepList steps;                               ///< the step that applies the code
    std::shared_ptr<const fx::GraphModule> result;    ///< the new version
};

/// Checks `text` as the whole code of `version`. Call it off the GUI thread. Throws fx::Error.
DraftCheck checkDraft(const std::shared_ptr<const fx::GraphModule>& version, const QByteArray& text,
                      const fx::Progress& progress);
/// Checks the draft of a document and applies it as one of the document's operations. If that fails, the operations
/// report the error, the draft stays, and `done` gets false. Calls nothing if the document is destroyed first.
void applyDraft(Document& document, const std::function<void(bool applied)>& done);

} // namespace ui
