// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/watched_script.h"

#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace fx::engine {
namespace {

using JitBlock = torch::jit::Block;
using JitNode = torch::jit::Node;

constexpr const char* kNote = "lancet::took";   ///< the operator that a watched graph calls
constexpr const char* kRound = "lancet::round"; ///< the one that the bodies of its loops call

thread_local std::pair<BranchWatch*, const void*> noting;
thread_local std::size_t rounds = 0; ///< of the loops of a run

/// Registered once: what it gets are the number of a decision and the side that it takes.
void registerNote() {
    static const bool done = [] {
        torch::jit::registerOperator(torch::jit::Operator(
            std::string(kNote) + "(int place, bool side) -> ()",
            [](torch::jit::Stack& stack) {
                const bool side = stack.back().toBool();
                stack.pop_back();
                const auto place = static_cast<std::size_t>(stack.back().toInt());
                stack.pop_back();
                if (noting.first) noting.first->took(noting.second, place, side);
            },
            c10::AliasAnalysisKind::CONSERVATIVE));
        torch::jit::registerOperator(torch::jit::Operator(
            std::string(kRound) + "() -> ()",
            [](torch::jit::Stack&) {
                if (noting.first && ++rounds > noting.first->mostRounds())
                    throw std::runtime_error("a loop does not end after " + std::to_string(rounds - 1) + " rounds");
            },
            c10::AliasAnalysisKind::CONSERVATIVE));
        return true;
    }();
    static_cast<void>(done);
}

bool isKind(const JitNode& node, const char* name) { return name == std::string_view(node.kind().toQualString()); }

/// All nodes with those inside, outer ones first.
std::vector<JitNode*> nodesIn(JitBlock& block) {
    std::vector<JitNode*> out;
    for (std::vector<JitBlock*> open = {&block}; !open.empty();) {
        JitBlock* const each = open.back();
        open.pop_back();
        for (JitNode* node : each->nodes()) {
            out.push_back(node);
            for (JitBlock* inner : node->blocks()) open.push_back(inner);
        }
    }
    return out;
}

bool raises(JitBlock& block) {
    return std::any_of(block.nodes().begin(), block.nodes().end(),
                       [](const JitNode* node) { return isKind(*node, "prim::RaiseException"); });
}

/// A comparison of numbers, strings and the like, that gives one boolean.
bool compares(const JitNode& node) {
    constexpr const char* kinds[] = {"aten::lt", "aten::le", "aten::gt",          "aten::ge",
                                     "aten::eq", "aten::ne", "aten::__contains__"};
    const bool isOne = std::any_of(std::begin(kinds), std::end(kinds), [&](const char* k) { return isKind(node, k); });
    return isOne && node.outputs().size() == 1 && node.output()->type()->kind() == c10::TypeKind::BoolType;
}

/// Inserts notes into a graph.
class Watcher {
public:
    Watcher(torch::jit::Graph& graph, bool self) : m_graph(graph), m_self(self) {
        for (JitNode* node : nodesIn(*graph.block()))
            if (isKind(*node, "prim::SetAttr")) m_isSet.insert(node->s(torch::jit::attr::name));
    }

    std::size_t insert() {
        for (JitNode* node : nodesIn(*m_graph.block())) {
            if (compares(*node) && !isFixed(node->output()) && !onlyGuards(*node)) note(node->output(), node, false);
            if (isKind(*node, "prim::If") && !raises(*node->blocks()[0]) && !raises(*node->blocks()[1]))
                noteIfOpen(node->input(0), node);
            if (!isKind(*node, "prim::Loop")) continue;
            JitBlock* const body = node->blocks()[0];
            countRounds(*body);
            const std::size_t place = m_count; // one decision: whether the loop goes on
            noteIfOpen(body->outputs()[0], body->return_node());
            if (m_count > place && !isFixed(node->input(1))) m_count = place, note(node->input(1), node, true);
        }
        return m_count;
    }

private:
    void countRounds(JitBlock& body) {
        const torch::jit::WithInsertPoint here(body.return_node());
        m_graph.insertNode(m_graph.create(c10::Symbol::fromQualString(kRound), std::vector<torch::jit::Value*>(), 0));
    }
    void noteIfOpen(torch::jit::Value* side, JitNode* before) {
        if (!isFixed(side)) note(side, before, true);
    }
    void note(torch::jit::Value* side, JitNode* at, bool before) {
        const torch::jit::WithInsertPoint here(before ? at : at->next());
        torch::jit::Value* const place = m_graph.insertConstant(static_cast<std::int64_t>(m_count++));
        m_graph.insertNode(m_graph.create(c10::Symbol::fromQualString(kNote), {place, side}, 0));
    }
    /// A comparison that is asked only by branches that raise.
    static bool onlyGuards(const JitNode& node) {
        const auto& uses = node.output()->uses();
        return !uses.empty() && std::all_of(uses.begin(), uses.end(), [](const torch::jit::Use& use) {
            return isKind(*use.user, "prim::If") && (raises(*use.user->blocks()[0]) || raises(*use.user->blocks()[1]));
        });
    }
    /// Whether a value depends on no input and on nothing that the graph changes.
    bool isFixed(torch::jit::Value* value) const {
        std::set<const torch::jit::Value*> seen;
        for (std::vector<torch::jit::Value*> open = {value}; !open.empty();) {
            torch::jit::Value* const each = open.back();
            open.pop_back();
            if (!seen.insert(each).second) continue;
            JitNode& node = *each->node();
            if (isKind(node, "prim::Param")) {
                if (m_self && each == m_graph.inputs()[0]) continue;
                return false; // an input, or one of a loop's body
            }
            if (isKind(node, "prim::GetAttr") && m_isSet.contains(node.s(torch::jit::attr::name))) return false;
            if (!node.blocks().empty()) return false;
            open.insert(open.end(), node.inputs().begin(), node.inputs().end());
        }
        return true;
    }

    torch::jit::Graph& m_graph;
    bool m_self;
    std::size_t m_count = 0;
    std::set<std::string> m_isSet;
};

struct Watched {
    std::shared_ptr<torch::jit::Graph> source;
    c10::IValue self; ///< keeps the types of the graph alive
    std::shared_ptr<torch::jit::Graph> graph;
    torch::jit::Code code;
};

} // namespace

const torch::jit::Code& watchedCode(BranchWatch& watch, const void* of, const std::shared_ptr<torch::jit::Graph>& graph,
                                    const c10::IValue& self) {
    std::shared_ptr<void>& kept = watch.prepared(of);
    if (!kept || static_cast<const Watched*>(kept.get())->source != graph) {
        registerNote();
        auto copy = graph->copy();
        torch::jit::Inline(*copy);
        const std::size_t count = Watcher(*copy, self.isObject()).insert();
        for (std::size_t place = 0; place < count; ++place) watch.expect(of, place);
        kept = std::make_shared<Watched>(Watched{graph, self, copy, torch::jit::Code(copy, "watched")});
    }
    return static_cast<const Watched*>(kept.get())->code;
}

WatchedRun::WatchedRun(BranchWatch& watch, const void* of) : m_before(noting) {
    noting = {&watch, of};
    rounds = 0;
}
WatchedRun::~WatchedRun() { noting = m_before; }

} // namespace fx::engine
