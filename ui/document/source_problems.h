// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/problems_model.h"

namespace ui {

class Document;

/// Returns all problems of a document: errors in tracing its Python source, problems of its graph, then modules with
/// new random weights.
std::vector<Problem> allProblems(const Document& document);

} // namespace ui
