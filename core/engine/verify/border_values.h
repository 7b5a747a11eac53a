// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/region_run.h"

namespace fx::engine {

/// Exits of a region: pairs of a node of A and its counterpart in B.
using Exits = std::vector<ChangedPart::Pair>;

/// A region whose exits agree on the models' own data, with values for its entries.
struct BorderValues {
    ChangedPart::Region region; ///< the nodes that run
    std::vector<Value> values;  ///< one per entry, distributed like the models' own data
    std::vector<bool> discrete; ///< by exit: it returns integers, booleans or whole-number floats
    bool whole = false;         ///< the exits depend on each other; `restricted` does not apply

    /// Returns the exits whose element in `holds` is true.
    Exits where(const std::vector<bool>& holds) const;
    /// True if `what` holds for at least one of the values.
    bool has(bool (*what)(const Value&)) const;
};

/// Returns the number of rows of the smallest table that inputs are looked up in; 0 without tables.
std::int64_t rowsOfTables(const GraphModule& model);

/// True if a leaf of the outcome has integers, booleans, or floats that vary and are all whole numbers.
bool isDiscrete(const Outcome& outcome);

/// Two models and the shared state of the checks that run them. Everything is borrowed.
struct CheckContext {
    const VerifySide& a;               ///< model A
    const VerifySide& b;               ///< model B
    const ChangedPart& part;           ///< what differs between their graphs
    const RunInputs& inputs;           ///< the given inputs of A
    RegionRun& regionRun;              ///< runs regions of both models
    Random& random;                    ///< the source of all random numbers of the checks
    std::vector<Message>& remarks;     ///< reported differences that do not change the verdict
    std::optional<RunInputs>& shownBy; ///< the last inputs for which `contrastFor` found a difference

    /// True if `what` holds for at least one input.
    bool inputsHave(bool (*what)(const Value&)) const;
    /// Returns further inputs distributed like the given ones. If all inputs are integers that look up tables, draws
    /// any rows of the smallest table.
    RunInputs moreInputs() const;
    /// Runs A on `given` and compares both models on the values that arrive at the border. `alter` changes these values
    /// first. If A cannot run on `given`, `ran` is false and no exit differs.
    Contrast contrastFor(const BorderValues& border, const RunInputs& given, Count count,
                         const Alter& alter = {}) const;
};

/// Returns the border with only the exits whose element in `exits` is true. Requires that `border.whole` is false.
BorderValues restricted(const CheckContext& context, const BorderValues& border, const std::vector<bool>& exits);

} // namespace fx::engine
