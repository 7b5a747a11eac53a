// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/provenance.h"
#include "core/ir/graph.h"

#include <QString>

namespace ui {

/// What happened to a compilation: graph breaks, reasons of recompilations, symbolic sizes, and the link `guards:`.
/// A stage that is code rather than a graph has the link `text:`.
QString compilationHtml(const fx::Compilation& compilation, const fx::CompilationStage* stage);

/// Where a node of a stage comes from and what it became, with links `source:`, `pre:NAME`, `post:NAME` and
/// `kernel:NAME`. Names go by the maps, so a stage between two passes finds what kept its name.
QString provenanceHtml(const fx::Node& node, const fx::Provenance& provenance, const fx::Compilation& compilation);

} // namespace ui
