// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/support_draft.h"

namespace ui {

/// The draft with the marks of single nodes moved to where an edit put them: marks name nodes, and an edit may rename
/// or replace these. A node that an edit erased hands its mark to the new one that its users take instead, or to the
/// only new one that calls the same. Marks of nodes that are gone for good stay, for an undo. Both are versions of one
/// model. Linear in the nodes.
SupportDraft withCarriedMarks(const SupportDraft& draft, const fx::GraphModule& before, const fx::GraphModule& after);

} // namespace ui
