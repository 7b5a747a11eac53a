// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace ui {

class Document;

/// Whether saving a document warns when PyTorch would only rename nodes; kept with its view.
bool warnsAboutNames(const Document& document);
void setWarnsAboutNames(Document& document, bool warns);

} // namespace ui
