// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/support_draft.h"

namespace ui {

/// Returns the draft with the marks of single nodes after an edit. Marks refer to nodes by name, and an edit may rename
/// or replace these. The mark of an erased node goes to the new node that its users take instead, or to the only new
/// node with the same call. Marks of nodes without a counterpart stay for an undo. Both models are versions of one
/// model. Linear in the nodes.
SupportDraft withCarriedMarks(const SupportDraft& draft, const fx::GraphModule& before, const fx::GraphModule& after);

} // namespace ui
