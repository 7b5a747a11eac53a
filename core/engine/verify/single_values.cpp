// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/single_values.h"

#include "core/base/listed.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/what_changed.h"
#include "core/module/call_semantics.h"
#include "core/ops/family.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace fx::engine {
namespace {

/// Of inputs, to see how far a value reaches.
constexpr std::array kReaches = {10.0, 100.0, 1000.0, -1.0, -100.0};
/// Of a function of one number.
constexpr std::array kPlaces = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.3, 7.0, 10.0, 31.0, 100.0, 1000.0};

bool isElementwiseRegion(const CheckContext& context, const ChangedPart::Region& region) {
    const auto all = [](const std::vector<NodeId>& nodes, const GraphModule& model) {
        return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
            const Node& node = model.graph.node(id);
            return !node.isCall() || isElementwise(node, model);
        });
    };
    return all(region.a, *context.a.model) && all(region.b, *context.b.model);
}

/// The one float that an exit is a function of, element by element: its place among the border's entries.
std::optional<std::size_t> soleArgumentOf(const CheckContext& context, const BorderValues& border,
                                          const ChangedPart::Pair& exit) {
    if (border.whole) return std::nullopt;
    const ChangedPart::Region region = context.part.regionOf({exit});
    if (region.entries.size() != 1) return std::nullopt;
    if (!isElementwiseRegion(context, region)) return std::nullopt;
    for (std::size_t i = 0; i < border.region.entries.size(); ++i) {
        if (border.region.entries[i].producer != region.entries.front().producer) continue;
        const Value& value = border.values[i];
        const bool isFloat = value.isTensor() && isFloatTensor(value.tensor()) && !value.tensor().is_complex();
        return isFloat && value.tensor().numel() > 0 ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
}

/// What each element of a value can be: from the least to the largest that inputs give.
class Reach {
public:
    Reach(const CheckContext& context, NodeId producer, const Value& own) {
        add(own);
        std::vector<RunInputs> given = {context.inputs, context.moreInputs()};
        for (const double scale : kReaches) given.push_back(altered(context.inputs, scaledBy(scale)));
        for (const RunInputs& inputs : given)
            if (const auto values = context.regionRun.tryValuesOfA({producer}, inputs)) add(values->front());
    }
    bool covers(double number) const {
        if (m_isWhole && number != std::floor(number)) return false;
        for (std::size_t i = 0; i < m_low.size(); ++i)
            if (m_low[i] <= number && number <= m_high[i]) return true;
        return false;
    }

private:
    void add(const Value& value) {
        if (!value.isTensor()) return;
        const std::vector<double> elements = elementsOf(value.tensor());
        if (m_low.empty()) m_low = m_high = elements;
        if (elements.size() != m_low.size()) return;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (std::isnan(elements[i])) continue;
            m_low[i] = std::min(m_low[i], elements[i]), m_high[i] = std::max(m_high[i], elements[i]);
            m_isWhole = m_isWhole && elements[i] == std::floor(elements[i]);
        }
    }
    std::vector<double> m_low, m_high;
    bool m_isWhole = true;
};

/// A tensor of one element of the kind of another.
Value oneElement(const at::Tensor& like, double number) {
    const std::vector<std::int64_t> sizes(like.dim() > 0 ? 1 : 0, 1);
    at::Tensor one = like.new_zeros(sizes).to(at::kDouble);
    *static_cast<double*>(one.mutable_data_ptr()) = number;
    return one.to(like.scalar_type());
}

std::vector<double> placesFor(const BoundaryNumbers& boundaryNumbers) {
    std::set<double> places;
    for (const double each : kPlaces) places.insert({each, -each});
    for (const auto& group : boundaryNumbers.floats) places.insert(group.begin(), group.end());
    return {places.begin(), places.end()};
}

/// What changed, as a function of one number in both models.
class Function {
public:
    Function(const CheckContext& context, ChangedPart::Region region, const at::Tensor& like)
        : m_context(context), m_region(std::move(region)), m_like(like) {}
    enum class At : std::uint8_t {
        Unknown, ///< one of the models cannot be run so
        Same,
        Other,
        Overflow, ///< finite in one model only
    };
    At at(double number) const {
        const Outcome outcome = m_context.regionRun.run(m_region, {oneElement(m_like, number)}).front();
        if (!outcome.ran) return At::Unknown;
        At out = At::Same;
        for (const Outcome::Leaf& leaf : outcome.leaves) {
            const ValueDifference& difference = leaf.difference;
            if (difference.close || !isGross(difference)) continue;
            if (!difference.sameShape) return At::Unknown; // a tensor of the model makes one element several
            const bool isFinite = difference.nansA == 0 && difference.nansB == 0 && std::isfinite(difference.maxAbs);
            if (!difference.comparable() || isFinite) return At::Other;
            out = At::Overflow;
        }
        return out;
    }
    NodeId producer() const { return m_region.entries.front().producer; }

private:
    const CheckContext& m_context;
    const ChangedPart::Region m_region;
    const at::Tensor& m_like;
};

std::string shortText(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", number);
    return text.data();
}

/// Nodes of A that lead from a value to some nodes, those included.
std::vector<bool> between(const CheckContext& context, NodeId from, const std::vector<NodeId>& to) {
    const Graph& graph = context.a.model->graph;
    std::vector<bool> gives(graph.idLimit()), after(graph.idLimit()), out(graph.idLimit());
    for (const Node& node : graph.nodes()) {
        gives[index(node.id())] = context.part.isSameValue(node.id(), from);
        for (const NodeId input : node.inputs())
            if (gives[index(input)] || after[index(input)]) after[index(node.id())] = !gives[index(node.id())];
    }
    for (std::vector<NodeId> open = to; !open.empty();) {
        const NodeId id = open.back();
        open.pop_back();
        if (!after[index(id)] || out[index(id)]) continue;
        out[index(id)] = true;
        open.insert(open.end(), graph.node(id).inputs().begin(), graph.node(id).inputs().end());
    }
    return out;
}

/// Whether what uses an exit gives the same at a number, as `where(x >= 0, x, -x)` does at zero.
bool isMasked(const CheckContext& context, const BorderValues& border, const ChangedPart::Pair& exit,
              std::size_t argument, double number) {
    const Exits users = usersOf(context, exit);
    if (users.empty()) return false;
    std::vector<NodeId> nodes;
    for (const auto& [user, other] : users) nodes.push_back(user);
    const NodeId producer = border.region.entries[argument].producer;
    const ChangedPart::Region region = context.part.regionOf(users, between(context, producer, nodes));
    const bool isFunction = region.entries.size() == 1 && region.entries.front().producer == producer &&
                            isElementwiseRegion(context, region);
    return isFunction && Function(context, region, border.values[argument].tensor()).at(number) == Function::At::Same;
}

/// Whether a function of one number differs somewhere where its argument gets, be it at one float alone.
bool differsWhereReached(const CheckContext& context, const BorderValues& border, const ChangedPart::Pair& exit,
                         std::size_t argument, const std::vector<double>& places) {
    const Function function(context, context.part.regionOf({exit}), border.values[argument].tensor());
    std::optional<Reach> reach;
    for (const double place : places) {
        const Function::At found = function.at(place);
        if (found == Function::At::Unknown) return false;
        const bool overflows = found == Function::At::Overflow && place != 0; // told of special values
        if (found == Function::At::Same || overflows) continue;
        if (!reach) reach.emplace(context, function.producer(), border.values[argument]);
        if (!reach->covers(place) || isMasked(context, border, exit, argument, place)) continue;
        const std::vector<std::string> nodes = whatChanged(context.a, context.b, context.part, {exit});
        context.remarks.push_back(
            Message("verify.one_value", {{"nodes", fx::listed(nodes, kNamedNodes)}, {"value", shortText(place)}}));
        return true;
    }
    return false;
}

} // namespace

bool isElementwise(const Node& node, const GraphModule& model) {
    if (node.op() == Op::CallModule) {
        const Module* module = calledModule(node, model);
        const bool isActivation = module && ops::familyOfModule(module->qualifiedType()) == ops::Family::Activation &&
                                  module->className.find("oftm") == std::string::npos &&
                                  module->className.find("GLU") == std::string::npos;
        return isActivation && module->parameters.empty();
    }
    const std::string name = canonicalName(node);
    return ops::isPointwise(name) || name == "bool" || name == "float" || name == "int" || name == "zeros_like" ||
           name == "ones_like" || name == "full_like";
}

Exits usersOf(const CheckContext& context, const ChangedPart::Pair& exit) {
    const Graph& graph = context.a.model->graph;
    Exits users;
    for (const NodeId user : graph.node(exit.first).users()) {
        const NodeId other = context.part.counterpart(user);
        if (other == kNoNode || graph.node(user).op() == Op::Output) return {};
        users.emplace_back(user, other);
    }
    return users;
}

Exits differWhereReached(const CheckContext& context, const BorderValues& border) {
    Exits out;
    if (!context.inputsHave(hasFloats)) return out;
    const std::vector<double> places = placesFor(boundaryNumbersOf(context.a, context.b, border.region));
    for (const ChangedPart::Pair& exit : border.region.exits)
        if (const auto argument = soleArgumentOf(context, border, exit))
            if (differsWhereReached(context, border, exit, *argument, places)) out.push_back(exit);
    return out;
}

} // namespace fx::engine
