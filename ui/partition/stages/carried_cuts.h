// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/carried_nodes.h"

namespace ui {

/// Maps the cuts of a pipeline to those after an edit. A cut stays before its first call, or after the last call before
/// it. If both are gone, it is before the replacement of its first call, else before the next call that still exists.
/// Cuts move apart so that no stage loses its last call.
///
///     before    conv  bn | relu  conv_1 | add        bn and relu are replaced by relu6
///     after     conv | relu6  conv_1 | add
class CarriedCuts {
public:
    /// Both models are versions of one model; models and lines must outlive the object. Linear in the nodes.
    CarriedCuts(const fx::GraphModule& before, const fx::StageLine& lineBefore, const fx::GraphModule& after,
                const fx::StageLine& lineAfter)
        : m_nodes(before, after), m_before(lineBefore), m_after(lineAfter) {}
    /// Returns the cuts after the edit; empty if that version has too few calls.
    fx::StageLine::Cuts operator()(const fx::StageLine::Cuts& cuts) const;

private:
    std::size_t placeOf(fx::NodeId after) const;
    std::size_t carried(std::size_t cut) const;

    CarriedNodes m_nodes;
    const fx::StageLine &m_before, &m_after;
};

} // namespace ui
