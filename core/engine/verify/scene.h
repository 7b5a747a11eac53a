// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/trial.h"

namespace fx::engine {

using Exits = std::vector<ChangedPart::Pair>;

/// Exits that do the same with the models' own data, and what leads there.
struct Scene {
    ChangedPart::Region region;
    std::vector<Value> values;  ///< for its entries: of the kind of the models' own
    std::vector<bool> discrete; ///< by exit: whether it gives whole numbers or booleans
    bool whole = false;         ///< its exits hang together: they cannot be looked at one by one

    Exits where(const std::vector<bool>& holds) const;
    bool has(bool (*what)(const Value&)) const; ///< of one of the values
};

/// Whether what was run gives integers, booleans, or floats that are whole numbers.
bool isDiscrete(const Outcome& outcome);

/// Two models and what it takes to try them.
struct Stage {
    const VerifySide& a;
    const VerifySide& b;
    const ChangedPart& part;
    const RunInputs& inputs; ///< of A
    Trial& trial;
    Random& random;
    std::vector<Message>& remarks; ///< differences that are no doubt of the verdict, but have to be told

    /// Inputs of which one holds that.
    bool inputsHave(bool (*what)(const Value&)) const;
    /// Others of the kind of the models' own. Where there are only integers: any rows of the tables that they look up.
    RunInputs moreInputs() const;
    /// Where the exits differ on values that A itself gives for some inputs; nowhere when A cannot be run on them.
    /// `alter`: changes these values, with those of the scene at hand.
    using Alter = std::function<Value(const Value& value, const Value& usual)>;
    Contrast contrastFor(const Scene& scene, const RunInputs& given, Count count, const Alter& alter = {}) const;
};

/// The part of a scene with some of its exits. Only for scenes that are not `whole`.
Scene restricted(const Stage& stage, const Scene& scene, const std::vector<bool>& exits);

} // namespace fx::engine
