// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/clean_views.h"

#include "core/passes/sort_users.h"
#include "core/passes/value_facts.h"

#include <algorithm>
#include <numeric>

namespace fx {
namespace {

using Dims = std::vector<std::int64_t>;

/// Calls that keep the elements in row-major order.
bool keepsOrder(std::string_view name) {
    return name == "view" || name == "reshape" || name == "_unsafe_view" || name == "flatten" || name == "unsqueeze" ||
           name == "squeeze" || name == "unflatten" || name == "ravel";
}
bool setsSizes(std::string_view name) { return name == "view" || name == "reshape" || name == "_unsafe_view"; }

/// A call of permute, transpose or t as a permutation; nullopt if it is another call, or its rank is not known.
/// `rank`: known from elsewhere, or 0.
std::optional<Dims> permutationOf(const Node& node, std::string_view name, std::size_t rank) {
    if (name == "permute") {
        auto dims = givenIntegers(node, 1, "dims");
        if (!dims) return std::nullopt;
        for (auto& dim : *dims) dim += dim < 0 ? static_cast<std::int64_t>(dims->size()) : 0;
        Dims sorted = *dims, all(dims->size());
        std::sort(sorted.begin(), sorted.end());
        std::iota(all.begin(), all.end(), 0);
        return sorted == all && (rank == 0 || rank == dims->size()) ? dims : std::nullopt;
    }
    if (name != "transpose" || rank == 0) return std::nullopt;
    const Argument *first = node.argument(1, "dim0"), *second = node.argument(2, "dim1");
    if (!first || !second || !first->as<std::int64_t>() || !second->as<std::int64_t>()) return std::nullopt;
    Dims out(rank);
    std::iota(out.begin(), out.end(), 0);
    const auto place = [&](const Argument& dim) {
        const std::int64_t value = *dim.as<std::int64_t>();
        return static_cast<std::size_t>(value < 0 ? value + static_cast<std::int64_t>(rank) : value);
    };
    if (place(*first) >= rank || place(*second) >= rank) return std::nullopt;
    std::swap(out[place(*first)], out[place(*second)]);
    return out;
}

bool isSorted(const Dims& dims) { return std::is_sorted(dims.begin(), dims.end()); }

class Views {
public:
    explicit Views(const PassRun& run) : m_run(run), m_graph(run.graph()), m_facts(run.model) {}

    bool clean(NodeId id) {
        const Node& node = m_graph.node(id);
        if ((node.op() != Op::CallFunction && node.op() != Op::CallMethod) || node.args().empty() ||
            !node.args()[0].isNode())
            return false;
        m_name = canonicalName(node);
        m_input = node.args()[0].node();
        const Node& before = m_graph.node(m_input);
        const bool isCall = (before.op() == Op::CallFunction || before.op() == Op::CallMethod) &&
                            !before.args().empty() && before.args()[0].isNode();
        m_inputName = isCall ? canonicalName(before) : std::string();
        m_first = isCall ? before.args()[0].node() : kNoNode;
        if (m_facts.isWritten(id) || m_facts.isWritten(m_input)) return false;
        return removes(node, before) || (isCall && (joinsViews(node, before) || joinsPermutations(node, before)));
    }

private:
    /// The call changes nothing, or takes back what the one before it did.
    bool removes(const Node& node, const Node& before) {
        const auto sizes = knownSizes(before);
        if (setsSizes(m_name) && sizes && givenIntegers(node, 1, "shape") == sizes) return replace(node, m_input);
        if (m_name == "expand" && sizes && givenIntegers(node, 1, "size") == sizes) return replace(node, m_input);
        if (m_name == "permute" || m_name == "transpose")
            if (const auto dims = permutationOf(node, m_name, sizes ? sizes->size() : 0); dims && isSorted(*dims))
                return replace(node, m_input);
        if (m_first == kNoNode) return false;
        const bool sameArguments = tailOf(node) == tailOf(before) && node.kwargs() == before.kwargs();
        if (m_name == "t" && m_inputName == "t") return replace(node, m_first);
        if (m_name == "transpose" && m_inputName == "transpose" && sameArguments) return replace(node, m_first);
        if (m_name == "squeeze" && m_inputName == "unsqueeze" && sameArguments && node.args().size() == 2)
            return replace(node, m_first);
        if (m_name == "contiguous" && m_inputName == "contiguous" && sameArguments) return replace(node, m_input);
        if (m_name == "clone" && m_inputName == "clone" && sameArguments && before.users().size() == 1)
            return replace(node, m_input);
        return false;
    }
    /// x.view(torch.int32) means something else.
    static bool givesDtype(const Node& node) {
        const auto isDtype = [](const Argument& value) { return value.as<TorchConstant>() != nullptr; };
        return std::any_of(node.args().begin(), node.args().end(), isDtype) ||
               std::any_of(node.kwargs().begin(), node.kwargs().end(),
                           [&](const auto& each) { return isDtype(each.second); });
    }
    static std::vector<Argument> tailOf(const Node& node) { return {node.args().begin() + 1, node.args().end()}; }

    /// reshape(view(x, …), sizes) is reshape(x, sizes).
    bool joinsViews(const Node& node, const Node& before) {
        if (!setsSizes(m_name) || !keepsOrder(m_inputName) || givesDtype(node) || givesDtype(before)) return false;
        const bool mayCopy = m_inputName == "reshape" || m_inputName == "flatten" || m_inputName == "ravel";
        if (mayCopy && m_name != "reshape") return false; // a view of what had to be copied is none of the original
        if (m_inputName == "_unsafe_view") return false;  // it is its input's only user
        return setInput(node, m_first, std::nullopt);
    }

    bool joinsPermutations(const Node& node, const Node& before) {
        const auto rankOf = [&](const Node& each, std::string_view name) -> std::size_t {
            const auto sizes = knownSizes(m_graph.node(m_first));
            const auto dims = name == "permute" ? givenIntegers(each, 1, "dims") : std::nullopt;
            return dims ? dims->size() : sizes ? sizes->size() : 0;
        };
        const std::size_t rank = std::max(rankOf(node, m_name), rankOf(before, m_inputName));
        const auto outer = permutationOf(node, m_name, rank), inner = permutationOf(before, m_inputName, rank);
        if (!outer || !inner || outer->size() != inner->size()) return false;
        Dims both(outer->size());
        for (std::size_t i = 0; i < both.size(); ++i) both[i] = (*inner)[static_cast<std::size_t>((*outer)[i])];
        if (isSorted(both)) return replace(node, m_first);
        return m_name == "permute" && setInput(node, m_first, both); // a transposition cannot say it
    }

    bool replace(const Node& node, NodeId value) {
        const NodeId id = node.id();
        if (!m_facts.mayStandFor(value, id) && m_name == "clone") return false;
        return m_run.rewrite(id, [&] {
            m_graph.replaceAllUses(id, value);
            m_graph.erase(id);
            sortUsers(m_graph, value);
            eraseUnused(m_input);
        });
    }

    bool setInput(const Node& node, NodeId input, const std::optional<Dims>& dims) {
        const NodeId id = node.id();
        std::vector<Argument> args = node.args();
        Kwargs kwargs = node.kwargs();
        args[0] = input;
        if (dims) {
            std::vector<Argument> items(dims->begin(), dims->end());
            const bool isList = args.size() > 1 && args[1].asList(),
                       isSequence = args.size() > 1 && args[1].as<Sequence>();
            if (args.size() < 2) kwargs = {{"dims", Argument::tuple(items)}};
            else if (isSequence) args[1] = isList ? Argument::list(items) : Argument::tuple(items);
            else args.resize(1), args.insert(args.end(), items.begin(), items.end());
        }
        return m_run.rewrite(id, [&] {
            m_graph.setArgsKwargs(id, std::move(args), std::move(kwargs));
            for (const NodeId each : m_graph.node(id).inputs()) sortUsers(m_graph, each);
            eraseUnused(m_input);
        });
    }

    void eraseUnused(NodeId id) {
        if (!m_graph.node(id).erased() && m_graph.node(id).users().empty() && m_graph.node(id).isCall())
            m_graph.erase(id);
    }

    const PassRun& m_run;
    Graph& m_graph;
    ValueFacts m_facts;
    std::string m_name, m_inputName;             ///< canonical, of the call and of the one before it
    NodeId m_input = kNoNode, m_first = kNoNode; ///< the input of the call, and of the one before it
};

bool cleanViews(const PassRun& run) {
    Views views(run);
    bool changed = false;
    // In order: what stands before a call is clean already, so that one more look at each is enough.
    for (const NodeId id : run.graph().order()) {
        run.progress.check();
        while (!run.graph().node(id).erased() && views.clean(id)) changed = true;
    }
    return changed;
}

} // namespace

Pass cleanViewsPass() {
    return {"clean_views",
            "joins consecutive views, permutations and transpositions, and removes those without effect",
            {},
            cleanViews,
            {}};
}

} // namespace fx
