// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>
#include <QByteArrayList>

namespace ui {

/// Returns the names in the API of torch.fx that complete `line`, the text before the cursor, sorted. `typed` gets the
/// length of the prefix that is already there.
///
///     "    node.re"          replace_all_uses_with, replace_input_with, return_type…
///     "    gm.graph.ins"     inserting_after, inserting_before
QByteArrayList completionsAt(const QByteArray& line, int& typed);

/// Returns the signature of a function of the API, "replace_all_uses_with(new, delete_user_cb=…,
/// propagate_meta=False)"; empty if it is unknown.
QByteArray signatureOf(const QByteArray& name);

} // namespace ui
