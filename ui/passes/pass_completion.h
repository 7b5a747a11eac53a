// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QByteArrayList>

namespace ui {

/// What the API of torch.fx has for the place at the end of `line`, the text before the cursor: names that begin with
/// what was typed, sorted. `typed` gets the length of the part that is there.
///
///     "    node.re"          replace_all_uses_with, replace_input_with, return_type…
///     "    gm.graph.ins"     inserting_after, inserting_before
QByteArrayList completionsAt(const QByteArray& line, int& typed);

/// The signature of a function of the API, "replace_all_uses_with(new, delete_user_cb=…, propagate_meta=False)"; empty
/// if it is unknown.
QByteArray signatureOf(const QByteArray& name);

} // namespace ui
