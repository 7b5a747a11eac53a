// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

class Document;

/// True if saving a document warns when PyTorch would only rename nodes. Stored in the view of the document; true by
/// default.
bool warnsAboutNames(const Document& document);
void setWarnsAboutNames(Document& document, bool warns); ///< Sets `warnsAboutNames`.

} // namespace ui
