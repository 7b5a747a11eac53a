// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/decisions.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/deciding_floats.h"
#include "core/engine/verify/same_signs.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace fx::engine {
namespace {

constexpr double kFineNudges = 16, kCoarseNudges = 1; ///< roundings of entries, likewise
constexpr double kMovement = 4;                       ///< times what nudged entries move it: likewise
constexpr std::size_t kDrawn = 256;                   ///< values that are drawn where runs cost next to nothing, and
constexpr std::size_t kDrawnAtLeast = 2;              ///< in any case
constexpr std::int64_t kDrawnCost = 1 << 22;
constexpr std::size_t kManyInputs = 8, kFewInputs = 3; ///< of the models, tried on small and on large ones
constexpr std::size_t kSmallModel = 64;                ///< of a small model
constexpr double kZeros = 0.25;                        ///< part of the inputs where zeros decide

std::vector<Decision> decisionsOf(const Stage& stage, const ChangedPart::Region& region) {
    const Graph &a = stage.a.model->graph, &b = stage.b.model->graph;
    std::vector<Decision> out;
    for (const NodeId id : region.a) {
        const Node& node = a.node(id);
        const NodeId other = stage.part.counterpart(id);
        if (node.op() != Op::CallFunction && node.op() != Op::CallMethod) continue;
        if (other == kNoNode || std::find(region.b.begin(), region.b.end(), other) == region.b.end()) continue;
        const std::string name = canonicalName(node), nameInB = canonicalName(b.node(other));
        const std::optional<Rule> rule = ruleOf(name);
        if (!rule || rule != ruleOf(nameInB) || (name != nameInB && rule != Rule::Sign)) continue;
        if (givesValues(name) && !usesPlaces(node, a) && !usesPlaces(b.node(other), b)) continue;
        out.push_back({{id, other}, name, *rule});
    }
    return out;
}

/// The typical size of what moves.
double movementOf(const Quantity& own, const Quantity& nudged) {
    std::vector<double> moves;
    for (std::size_t i = 0; i < std::min(own.values.size(), nudged.values.size()); ++i)
        if (const double by = std::abs(own.values[i] - nudged.values[i]); by > 0 && std::isfinite(by))
            moves.push_back(by);
    if (moves.empty()) return 0;
    const auto middle = moves.begin() + static_cast<std::ptrdiff_t>(moves.size() / 2);
    std::nth_element(moves.begin(), middle, moves.end());
    return *middle;
}

/// What is known of a decision.
class Knowledge {
public:
    explicit Knowledge(Rule rule) : m_rule(rule) {}

    void learnNoise(const Quantity& a, const Quantity& nudgedA, const Quantity& b, const Quantity& nudgedB) {
        m_noiseA = std::max(m_noiseA, kMovement * movementOf(a, nudgedA));
        m_noiseB = std::max(m_noiseB, kMovement * movementOf(b, nudgedB));
    }
    /// `isOwn`: what inputs of the models give.
    void add(Quantity a, Quantity b, const Value& result, bool isOwn, Random& random) {
        if (a.values.size() != b.values.size() || a.width != b.width) return;
        for (double& each : a.noise) each += m_noiseA;
        for (double& each : b.noise) each += m_noiseB;
        m_floatsDiffer = m_floatsDiffer || (isOwn && differ(a, b));
        if (m_rule == Rule::Order) addRows(a, b, random);
        else if (m_rule == Rule::Sign) addSigns(a, b);
        else if (m_rule == Rule::Zero) addZeros(a, b);
        noteMovement(a, result);
    }
    /// Whether more of it changes nothing.
    bool isSettled() const { return m_floatsDiffer && m_signs.differ(); }
    /// Whether both models decide the same by all that is known.
    bool isSame() const {
        if (!m_floatsDiffer || !m_moves) return true;
        if (m_rule == Rule::Zero) return !m_zerosDiffer;
        return m_rule == Rule::Value ? !m_resultMoves : m_signs.hold();
    }

private:
    static bool differ(const Quantity& a, const Quantity& b) {
        double scale = 0;
        for (const double each : a.values)
            if (std::isfinite(each)) scale = std::max(scale, std::abs(each));
        for (std::size_t i = 0; i < a.values.size(); ++i)
            if (std::abs(a.values[i] - b.values[i]) > a.noise[i] + b.noise[i] + a.least * scale) return true;
        return false;
    }
    void addSigns(const Quantity& a, const Quantity& b) {
        for (std::size_t i = 0; i < a.values.size(); ++i) m_signs.add(a.values[i], b.values[i], a.noise[i], b.noise[i]);
    }
    void addZeros(const Quantity& a, const Quantity& b) {
        for (std::size_t i = 0; i < a.values.size(); ++i)
            m_zerosDiffer = m_zerosDiffer || (a.values[i] == 0 && std::abs(b.values[i]) > b.noise[i]) ||
                            (b.values[i] == 0 && std::abs(a.values[i]) > a.noise[i]);
    }
    void addPair(const Quantity& a, const Quantity& b, std::size_t low, std::size_t high) {
        m_signs.add(a.values[high] - a.values[low], b.values[high] - b.values[low], a.noise[high] + a.noise[low],
                    b.noise[high] + b.noise[low]);
    }
    /// Neighbours in the order of A, and pairs at random.
    void addRows(const Quantity& a, const Quantity& b, Random& random) {
        const auto width = static_cast<std::size_t>(a.width);
        for (std::size_t start = 0; start < a.values.size(); start += width) {
            std::vector<std::size_t> order;
            for (std::size_t i = start; i < std::min(start + width, a.values.size()); ++i)
                if (std::isfinite(a.values[i])) order.push_back(i);
            std::sort(order.begin(), order.end(), [&](auto x, auto y) { return a.values[x] < a.values[y]; });
            for (std::size_t i = 1; i < order.size(); ++i) {
                addPair(a, b, order[i - 1], order[i]);
                addPair(a, b, order[i], order[random() % order.size()]);
            }
        }
    }
    void noteMovement(const Quantity& a, const Value& result) {
        const Samples now = samplesOf(result);
        m_moves = m_moves || (!m_first.empty() && m_first != a.values);
        m_resultMoves = m_resultMoves || (!m_firstResult.empty() && m_firstResult != now);
        if (m_first.empty()) m_first = a.values, m_firstResult = now;
    }

    Rule m_rule;
    SameSigns m_signs;
    double m_noiseA = 0, m_noiseB = 0;
    bool m_floatsDiffer = false, m_zerosDiffer = false, m_moves = false, m_resultMoves = false;
    std::vector<double> m_first;
    Samples m_firstResult;
};

/// Runs a scene and follows what its decisions get.
class Inquiry {
public:
    Inquiry(const Stage& stage, const Scene& scene, std::vector<Decision> decisions)
        : m_stage(stage), m_scene(scene), m_decisions(std::move(decisions)) {
        for (const Decision& each : m_decisions) m_known.emplace_back(each.rule);
    }

    void tryInputs(const RunInputs& inputs) {
        if (const auto values = m_stage.trial.tryValuesOfA(m_scene.region.producers(), inputs))
            tryValues(*values, true);
    }
    void tryValues(const std::vector<Value>& values, bool isOwn) {
        m_stage.trial.mayFail([&] {
            const ValuesByNode a = valuesOf(false, values), b = valuesOf(true, values);
            if (!m_knowsNoise) {
                std::vector<Value> around;
                const bool isCoarse = engine::roundingOf(values) > kCoarseRounding;
                for (const Value& value : values)
                    around.push_back(nudged(value, m_stage.random, isCoarse ? kCoarseNudges : kFineNudges));
                learnNoise(a, b, valuesOf(false, around), valuesOf(true, around));
            }
            for (std::size_t i = 0; i < m_decisions.size(); ++i) add(i, a, b, isOwn);
        });
    }
    bool isSettled() const {
        return std::all_of(m_known.begin(), m_known.end(), [](const Knowledge& each) { return each.isSettled(); });
    }
    Exits unlike() const {
        Exits out;
        for (std::size_t i = 0; i < m_decisions.size(); ++i)
            if (!m_known[i].isSame()) out.push_back(m_decisions[i].nodes);
        return out;
    }

private:
    const Node& nodeOf(std::size_t decision, bool inB) const {
        const auto& [a, b] = m_decisions[decision].nodes;
        return inB ? m_stage.b.model->graph.node(b) : m_stage.a.model->graph.node(a);
    }
    ValuesByNode valuesOf(bool inB, const std::vector<Value>& values) const {
        std::vector<NodeId> wanted;
        for (std::size_t i = 0; i < m_decisions.size(); ++i) {
            const Node& node = nodeOf(i, inB);
            wanted.push_back(node.id());
            wanted.insert(wanted.end(), node.inputs().begin(), node.inputs().end());
        }
        return m_stage.trial.valuesAt(inB, m_scene.region, values, wanted);
    }
    void learnNoise(const ValuesByNode& a, const ValuesByNode& b, const ValuesByNode& nudgedA,
                    const ValuesByNode& nudgedB) {
        for (std::size_t i = 0; i < m_decisions.size(); ++i) {
            const auto ofA = quantityOf(m_decisions[i], nodeOf(i, false), a),
                       ofB = quantityOf(m_decisions[i], nodeOf(i, true), b),
                       aroundA = quantityOf(m_decisions[i], nodeOf(i, false), nudgedA),
                       aroundB = quantityOf(m_decisions[i], nodeOf(i, true), nudgedB);
            if (ofA && ofB && aroundA && aroundB) m_known[i].learnNoise(*ofA, *aroundA, *ofB, *aroundB);
        }
        m_knowsNoise = true;
    }
    void add(std::size_t i, const ValuesByNode& a, const ValuesByNode& b, bool isOwn) {
        const Decision& decision = m_decisions[i];
        const auto ofA = quantityOf(decision, nodeOf(i, false), a), ofB = quantityOf(decision, nodeOf(i, true), b);
        const auto result = a.find(decision.nodes.first);
        if (!ofA || !ofB || result == a.end()) return;
        const bool isInteger =
            result->second.isTensor() && at::isIntegralType(result->second.tensor().scalar_type(), true);
        if (decision.rule == Rule::Value && !isInteger && !rounds(decision.name)) return; // float to float
        m_known[i].add(*ofA, *ofB, result->second, isOwn, m_stage.random);
    }

    const Stage& m_stage;
    const Scene& m_scene;
    const std::vector<Decision> m_decisions;
    std::vector<Knowledge> m_known;
    bool m_knowsNoise = false;
};

/// Nodes of A that some nodes lead to.
std::vector<bool> followersOf(const Graph& graph, const Exits& exits) {
    std::vector<bool> out(graph.idLimit());
    std::vector<NodeId> open;
    for (const auto& [a, b] : exits) open.push_back(a);
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : graph.node(id).users()) {
            if (out[index(user)]) continue;
            out[index(user)] = true;
            open.push_back(user);
        }
    }
    return out;
}

/// Whether the models' own data differ in what a node is given, by more than rounding.
bool getsOther(const Node& node, const NodeTable& table) {
    return std::any_of(node.inputs().begin(), node.inputs().end(), [&](NodeId id) {
        const ValueDifference* difference = table.differenceOf(id);
        return difference && difference->comparable() && difference->dtype.find("float") != std::string::npos &&
               difference->maxAbs > leastDifference(difference->tolerance) * difference->scale;
    });
}

/// Whether a node decides something, the same in both models by their own data.
bool isDecided(const Node& node, const Graph& graph, const NodeTable& table) {
    if ((node.op() != Op::CallFunction && node.op() != Op::CallMethod) || !ruleOf(canonicalName(node))) return false;
    return givesValues(canonicalName(node)) ? usesPlaces(node, graph) : !table.differenceOf(node.id());
}

} // namespace

Exits differAtLaterDecisions(const Stage& stage, const NodeTable& table, const Exits& exits) {
    const Graph& graph = stage.a.model->graph;
    const std::vector<bool> followers = followersOf(graph, exits);
    Exits decisions;
    for (const Node& node : graph.nodes()) {
        const NodeId other = stage.part.counterpart(node.id());
        if (other != kNoNode && followers[index(node.id())] && getsOther(node, table) && isDecided(node, graph, table))
            decisions.emplace_back(node.id(), other);
    }
    if (decisions.empty()) return {};
    std::vector<bool> between = followers;
    for (const auto& [a, b] : exits) between[index(a)] = true;
    Scene scene{stage.part.regionOf(decisions, between), {}, std::vector<bool>(decisions.size(), true), true};
    const auto own = stage.trial.tryValuesOfA(scene.region.producers(), stage.inputs);
    if (!own) return {};
    for (const Value& value : *own) scene.values.push_back(Pattern(value).draw(stage.random, 0));
    return differAtDecisions(stage, scene);
}

Exits differAtDecisions(const Stage& stage, const Scene& scene) {
    std::vector<Decision> decisions = decisionsOf(stage, scene.region);
    if (decisions.empty() || !scene.has(hasFloats)) return {};
    const bool asksForZeros =
        std::any_of(decisions.begin(), decisions.end(), [](const Decision& each) { return each.rule == Rule::Zero; });
    Inquiry inquiry(stage, scene, std::move(decisions));
    inquiry.tryInputs(stage.inputs);
    std::int64_t cost = static_cast<std::int64_t>(scene.region.size);
    for (const Value& value : scene.values)
        cost += elementCount(value, {}) * static_cast<std::int64_t>(scene.region.size);
    const std::size_t inputs = stage.a.model->graph.size() <= kSmallModel ? kManyInputs : kFewInputs;
    for (std::size_t i = 1; i < inputs; ++i) inquiry.tryInputs(stage.moreInputs());
    if (asksForZeros) inquiry.tryInputs(sprinkled(stage.inputs, {0}, kZeros, 1, stage.random));
    const auto affordable = static_cast<std::size_t>(kDrawnCost / std::max<std::int64_t>(cost, 1));
    for (std::size_t i = std::clamp(affordable, kDrawnAtLeast, kDrawn); i > 0 && !inquiry.isSettled(); --i) {
        std::vector<Value> drawn;
        for (const Value& value : scene.values) drawn.push_back(Pattern(value).draw(stage.random, 0));
        inquiry.tryValues(drawn, false);
    }
    return inquiry.unlike();
}

} // namespace fx::engine
