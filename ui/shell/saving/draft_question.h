// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QString;
class QWidget;

namespace ui {

/// The answer: apply the code first, save without it, or do not save.
enum class DraftChoice { Apply, Without, Cancel };

/// Asks whether to apply edited code before the document `name` is saved. `fault` is the reason why the code cannot be
/// applied; empty if it is not known to be invalid.
DraftChoice askAboutDraft(QWidget* window, const QString& name, const QString& fault);

} // namespace ui
