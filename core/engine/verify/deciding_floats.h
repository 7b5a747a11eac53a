// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/scene.h"

namespace fx::engine {

/// What of the floats a call decides by.
enum class Rule : std::uint8_t {
    Order, ///< their order along a dimension
    Sign,  ///< the sign of a difference
    Zero,  ///< whether they are zero
    Value, ///< they themselves
};

/// By the canonical name of a call; nothing for one that decides nothing.
std::optional<Rule> ruleOf(const std::string& name);
/// Whether a call gives values along with places, as sort and topk do.
bool givesValues(const std::string& name);
/// Whether a call makes whole numbers of floats that stay floats.
bool rounds(const std::string& name);
/// Whether more than the values is used of what a call gives: `x.max(-1)[0]` decides nothing.
bool usesPlaces(const Node& node, const Graph& graph);

/// A call of which both models have one.
struct Decision {
    ChangedPart::Pair nodes;
    std::string name; ///< canonical
    Rule rule;
};

/// What a call decides by, in one model: the first 32,768 of its floats.
struct Quantity {
    std::vector<double> values, noise; ///< noise: what rounding may make of each
    std::int64_t width = 1;            ///< of a row of an Order
    double least = 0;                  ///< what part of the values' scale a difference is that is not rounding
};
/// `values`: those of the node's inputs. Nothing where they are unknown or none is a float.
std::optional<Quantity> quantityOf(const Decision& decision, const Node& node, const ValuesByNode& values);

/// See Quantity::least.
double leastDifference(const Tolerance& tolerance);

} // namespace fx::engine
