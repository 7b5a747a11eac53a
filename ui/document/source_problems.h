// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/problems_model.h"

namespace ui {

class Document;

/// All that is wrong with a document: what stops the trace of its Python source, then the problems of its graph, then
/// which modules have new random weights.
std::vector<Problem> allProblems(const Document& document);

} // namespace ui
