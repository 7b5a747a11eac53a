// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QString;
class QWidget;

namespace ui {

enum class DraftChoice { Apply, Without, Cancel };

/// Asks whether to apply code that was typed before the document with the title `name` is saved. `fault`: why it cannot
/// be applied; empty: it is not known to be invalid.
DraftChoice askAboutDraft(QWidget* window, const QString& name, const QString& fault);

} // namespace ui
