// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>

class QWidget;

namespace ui {

class Document;

enum class DraftChoice { Apply, Without, Cancel };

/// Asks what is to become of code that was typed and not applied, before the document is saved.
DraftChoice askAboutDraft(QWidget* window, const Document& document);

/// Checks the draft of a document and makes it the model, as one of the document's operations. When that cannot be, the
/// operations say why, the draft stays, and `done` gets false. Nothing is called when the document goes first.
void applyDraft(Document& document, const std::function<void(bool applied)>& done);

} // namespace ui
