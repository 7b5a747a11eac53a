// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QByteArray>

namespace ui {

/// Returns the text of a new Python source: a small model that shows what tracing does.
QByteArray newSourceText();

} // namespace ui
