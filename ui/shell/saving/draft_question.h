// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
class QString;
class QWidget;

namespace ui {

enum class DraftChoice { Apply, Without, Cancel };

/// Asks whether to apply code that was typed before the document is saved to the file `name`.
DraftChoice askAboutDraft(QWidget* window, const QString& name);

} // namespace ui
