// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

class QWidget;

namespace ui {

/// Returns docs/verify.md as Markdown: how Lancet decides whether two models are the same.
QString methodText();
/// Shows the text in a separate window, which closes with `parent`. Reuses a window that is open.
void showMethod(QWidget* parent);

} // namespace ui
