// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/minimise.h"

#include <algorithm>

namespace fx {
namespace {

using Nodes = std::vector<NodeId>;

/// The code of what went wrong, below the frame that says which pass.
std::string causeOf(const Error& error) {
    const std::string cause = error.message().argument("cause");
    return cause.empty() ? error.message().code() : cause;
}

class Search {
public:
    Search(const GraphModule& model, const ModelFailure& failure, const Progress& progress, std::size_t limit)
        : m_model(model), m_failure(failure), m_progress(progress), m_limit(limit) {}

    Minimised find() {
        const auto whole = m_failure(m_model);
        ++m_trials;
        if (!whole) throw Error(ErrorKind::Refused, Message("edit.nothing_fails"));
        m_cause = causeOf(*whole);
        for (const Node& node : m_model.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output && node.op() != Op::GetAttr)
                m_best.push_back(node.id());
        m_calls = m_best.size();
        if (m_best.empty() || !fails(m_best))
            throw Error(ErrorKind::Refused, Message("edit.fails_as_a_whole", {{"reason", whole->what()}}));
        shorten(
            [](const Nodes& nodes, std::size_t count) { return Nodes(nodes.begin(), nodes.begin() + offset(count)); });
        shorten([](const Nodes& nodes, std::size_t count) { return Nodes(nodes.end() - offset(count), nodes.end()); });
        thin();
        return {std::move(*m_part), std::move(*m_problem), m_best.size(), m_trials};
    }

private:
    static std::ptrdiff_t offset(std::size_t count) { return static_cast<std::ptrdiff_t>(count); }

    bool fails(const Nodes& nodes) {
        if (m_trials >= m_limit || nodes.empty()) return false;
        m_progress.check();
        m_progress.report(std::to_string(nodes.size()) + " nodes",
                          1 - static_cast<double>(m_best.size()) / static_cast<double>(m_calls + 1));
        ++m_trials;
        Extracted part = extractNodes(m_model, nodes);
        auto problem = m_failure(part.model);
        if (!problem || causeOf(*problem) != m_cause) return false;
        m_best = nodes;
        m_part = std::move(part), m_problem = std::move(problem);
        return true;
    }

    /// The smallest number of nodes of which `part` fails, by bisection.
    template<class Part> void shorten(const Part& part) {
        const Nodes all = m_best;
        std::size_t good = 0, bad = all.size();
        while (bad - good > 1) {
            const std::size_t middle = good + (bad - good) / 2;
            (fails(part(all, middle)) ? bad : good) = middle;
        }
    }

    /// Leaves out runs of nodes within what is left: half of them, a quarter, ..., single ones.
    void thin() {
        for (std::size_t run = m_best.size() / 2; run > 0; run /= 2)
            for (std::size_t at = 0; at + run <= m_best.size() && m_trials < m_limit;) {
                Nodes fewer = m_best;
                fewer.erase(fewer.begin() + offset(at), fewer.begin() + offset(at + run));
                if (!fails(fewer)) at += run;
            }
    }

    const GraphModule& m_model;
    const ModelFailure& m_failure;
    const Progress& m_progress;
    const std::size_t m_limit;
    std::string m_cause;
    Nodes m_best;
    std::size_t m_calls = 0, m_trials = 0;
    std::optional<Extracted> m_part;
    std::optional<Error> m_problem;
};

} // namespace

Minimised minimise(const GraphModule& model, const ModelFailure& failure, const Progress& progress, std::size_t limit) {
    return Search(model, failure, progress, limit).find();
}

} // namespace fx
