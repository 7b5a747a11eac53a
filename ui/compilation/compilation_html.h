// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/provenance.h"
#include "core/ir/graph.h"

#include <QString>

namespace ui {

/// Describes a compilation: graph breaks, reasons of recompilations, symbolic sizes, and the link `guards:`. A stage
/// that is code rather than a graph has the link `text:`. `stage` may be null.
QString compilationHtml(const fx::Compilation& compilation, const fx::CompilationStage* stage);

/// Describes the origin of a node of a stage and its results in later stages, with links `source:`, `pre:NAME`,
/// `post:NAME` and `kernel:NAME`. The maps refer to nodes by name, so a stage between two passes finds the nodes that
/// kept their name.
QString provenanceHtml(const fx::Node& node, const fx::Provenance& provenance, const fx::Compilation& compilation);

} // namespace ui
