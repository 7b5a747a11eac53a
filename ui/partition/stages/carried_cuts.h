// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/carried_nodes.h"

namespace ui {

/// Where an edit put the cuts of a pipeline. A cut stays before its first call, or after the last one before it; if
/// both are gone, it is before what took their place, else before the next call that is still there. No stage loses
/// its last call: cuts move apart for that.
///
///     before    conv  bn | relu  conv_1 | add        bn and relu are replaced by relu6
///     after     conv | relu6  conv_1 | add
class CarriedCuts {
public:
    /// Versions of one model and their lines, which have to outlive this. Linear in the nodes.
    CarriedCuts(const fx::GraphModule& before, const fx::StageLine& lineBefore, const fx::GraphModule& after,
                const fx::StageLine& lineAfter)
        : m_nodes(before, after), m_before(lineBefore), m_after(lineAfter) {}
    /// Empty if the version after the edit has too few calls.
    fx::StageLine::Cuts operator()(const fx::StageLine::Cuts& cuts) const;

private:
    std::size_t placeOf(fx::NodeId after) const;
    std::size_t carried(std::size_t cut) const;

    CarriedNodes m_nodes;
    const fx::StageLine &m_before, &m_after;
};

} // namespace ui
