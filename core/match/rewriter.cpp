// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/rewriter.h"

#include "core/match/inherited_path.h"
#include "core/match/new_paths.h"
#include "core/match/python_equality.h"
#include "core/module/module_editor.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

Error refused(const Message& what) { return Error(ErrorKind::Refused, what); }

std::string counts(std::size_t a, std::size_t b) { return std::to_string(a) + " vs " + std::to_string(b); }

std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Replaces one match after the other.
class Rewriter {
public:
    Rewriter(GraphModule& target, const GraphModule& pattern, const GraphModule& replacement,
             const RewriteOptions& options)
        : m_graph(target.graph), m_pattern(pattern), m_replacement(replacement.graph), m_options(options) {
        if (!options.newModules.empty()) m_newPaths.emplace(target);
        findInputs();
    }

    /// Takes the `nodesMap` of the match.
    ReplacedPattern replace(InternalMatch& match) {
        if (m_options.makeReplacement) {
            m_replacement = m_options.makeReplacement(match);
            findInputs();
        }
        m_values.assign(m_replacement.idLimit(), std::nullopt);
        bindInputs(match);
        if (m_newPaths) m_newPaths->begin(match, m_pattern.graph);
        m_graph.setInsertPoint({InsertPoint::Side::Before, insertPoint(match)});
        ReplacedPattern result{match.anchors[0], {}, {}};
        m_idsBefore = m_graph.idLimit();
        copyReplacement(match, result.replacements);
        m_graph.setInsertPoint({});
        inheritPath(match, result.replacements);
        rewire(match, m_results);
        eraseMatched(match);
        if (m_newPaths) placeModules(match);
        result.nodesMap = std::move(match.nodesMap);
        return result;
    }

private:
    void findInputs() {
        m_inputs.clear();
        for (const Node& node : m_replacement.nodes())
            if (node.op() == Op::Placeholder) m_inputs.push_back(node.id());
    }

    void bindInputs(InternalMatch& match) {
        if (match.placeholderNodes.size() != m_inputs.size())
            throw refused(
                Message("match.input_count", {{"pattern", counted(match.placeholderNodes.size(), "input")},
                                              {"replacement", m_inputs.size()},
                                              {"counts", counts(match.placeholderNodes.size(), m_inputs.size())}}));
        for (std::size_t i = 0; i < m_inputs.size(); ++i) {
            Binding& bound = match.placeholderNodes[i];
            if (bound.value.isNode() && index(bound.value.node()) < m_changed.size()) {
                const NodeId changed = m_changed[index(bound.value.node())];
                if (changed != kNoNode) replaceBound(match, bound.value.node(), changed);
            }
            m_values[index(m_inputs[i])] = bound;
        }
    }

    /// An earlier match put `now` in the place of `node`, an input of this one.
    static void replaceBound(InternalMatch& match, NodeId node, const Argument& now) {
        const auto is = [&](const Binding& binding) { return binding.value == Argument(node); };
        const auto input = std::find_if(match.placeholderNodes.begin(), match.placeholderNodes.end(), is);
        const auto entry = std::find_if(match.nodesMap.begin(), match.nodesMap.end(),
                                        [&](const auto& item) { return is(item.second); });
        if (input != match.placeholderNodes.end()) input->value = now;
        if (entry != match.nodesMap.end()) entry->second.value = now;
    }

    /// The first user of what the match returns; without users what follows the last of them.
    NodeId insertPoint(const InternalMatch& match) const {
        NodeId first = kNoNode, last = kNoNode;
        for (const Binding& returned : match.returningNodes) {
            if (!returned.value.isNode()) throw refused(Message("match.literal_returned"));
            const NodeId id = returned.value.node();
            if (last == kNoNode || m_graph.isBefore(last, id)) last = id;
            for (const NodeId user : m_graph.node(id).users())
                if (first == kNoNode || m_graph.isBefore(user, first)) first = user;
        }
        if (first != kNoNode) return first;
        const NodeId next = last == kNoNode ? kNoNode : m_graph.next(last);
        if (next == kNoNode) throw refused(Message("match.no_insert_point"));
        return next;
    }

    /// torch.fx `graph_copy`; `m_results` are then the values that the replacement returns.
    void copyReplacement(const InternalMatch& match, std::vector<NodeId>& created) {
        const auto isInput = [&](const Argument& value) {
            return std::any_of(match.placeholderNodes.begin(), match.placeholderNodes.end(),
                               [&](const Binding& b) { return b.value.isNode() && b.value.node() == value.node(); });
        };
        // torch.fx reports all values of its map that are no inputs of the match, in the order of the map.
        for (const NodeId input : m_inputs)
            if (const Argument& value = m_values[index(input)]->value; value.isNode() && !isInput(value))
                created.push_back(value.node());
        for (const Node& node : m_replacement.nodes()) {
            if (node.op() == Op::Placeholder) continue;
            if (node.op() == Op::Output) return setResults(node.args().empty() ? Argument() : mapped(node.args()[0]));
            const NodeId copy = copyNode(node);
            m_values[index(node.id())] = Binding{copy, {}};
            created.push_back(copy);
        }
        throw refused(Message("match.replacement_without_output"));
    }

    Argument mapped(const Argument& argument) const {
        if (argument.isNode())
            if (const Binding& value = *m_values[index(argument.node())]; value.modulePath.empty()) return value.value;
        return mapNodes(argument, [&](NodeId id) {
            const Binding& value = *m_values[index(id)];
            if (!value.modulePath.empty())
                throw refused(Message("match.module_input_used", {{"name", m_replacement.node(id).target()}}));
            return value.value;
        });
    }

    void setResults(const Argument& value) {
        const auto* sequence = value.as<Sequence>();
        if (value.isNode()) m_results.assign(1, value);
        else if (sequence) m_results = sequence->items;
        else throw refused(Message("match.returned_value"));
    }

    /// The module path that a value of the replacement stands for, null for others.
    const std::string* moduleOf(const Argument& value) const {
        if (!value.isNode() || !m_values[index(value.node())]) return nullptr;
        const std::string& path = m_values[index(value.node())]->modulePath;
        return path.empty() ? nullptr : &path;
    }

    NodeId copyNode(const Node& node) {
        const std::string* module = node.args().empty() ? nullptr : moduleOf(node.args()[0]);
        const bool callsModule = module && node.op() == Op::CallMethod && node.target() == "__call__";
        const bool readsModule = module && node.op() == Op::CallFunction && node.target() == "getattr" &&
                                 node.args().size() == 2 && node.args()[1].as<std::string>();
        std::vector<Argument> args;
        args.reserve(node.args().size());
        if (!readsModule)
            for (std::size_t i = callsModule ? 1 : 0; i < node.args().size(); ++i)
                args.push_back(mapped(node.args()[i]));
        Kwargs kwargs;
        for (const auto& [key, value] : node.kwargs()) kwargs.emplace_back(key, mapped(value));
        NodeId copy;
        if (callsModule) copy = m_graph.createNode(Op::CallModule, *module, std::move(args), std::move(kwargs));
        else if (readsModule) copy = m_graph.createNode(Op::GetAttr, *module + "." + *node.args()[1].as<std::string>());
        else if (node.op() == Op::CallFunction)
            copy = m_graph.callFunction(node.callable(), std::move(args), std::move(kwargs), node.name(), node.type());
        else
            copy = m_graph.createNode(node.op(), node.target(), std::move(args), std::move(kwargs), node.name(),
                                      node.type());
        if (node.sharedMeta()) m_graph.setMeta(copy, node.sharedMeta());
        return copy;
    }

    void inheritPath(const InternalMatch& match, const std::vector<NodeId>& replacements) {
        m_replaced.clear(), m_created.clear();
        for (const auto& [id, bound] : match.nodesMap)
            if (m_pattern.graph.node(id).isCall() && bound.value.isNode()) m_replaced.push_back(bound.value.node());
        std::copy_if(replacements.begin(), replacements.end(), std::back_inserter(m_created),
                     [&](NodeId id) { return index(id) >= m_idsBefore; }); // inputs are among the replacements
        inheritModulePath(m_graph, m_replaced, m_created);
    }

    void rewire(const InternalMatch& match, const std::vector<Argument>& results) {
        if (match.returningNodes.size() != results.size())
            throw refused(
                Message("match.output_count", {{"pattern", counted(match.returningNodes.size(), "value")},
                                               {"replacement", results.size()},
                                               {"counts", counts(match.returningNodes.size(), results.size())}}));
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (!results[i].isNode()) throw refused(Message("match.literal_for_value"));
            const NodeId old = match.returningNodes[i].value.node();
            m_graph.replaceAllUses(old, results[i].node());
            if (index(old) >= m_changed.size()) m_changed.resize(m_graph.idLimit(), kNoNode);
            m_changed[index(old)] = results[i].node();
        }
    }

    void eraseMatched(const InternalMatch& match) {
        const Graph& pattern = m_pattern.graph;
        m_boundTo.assign(pattern.idLimit(), kNoNode);
        m_inside.clear();
        for (const auto& [id, bound] : match.nodesMap)
            if (bound.value.isNode()) m_inside.push_back(m_boundTo[index(id)] = bound.value.node());
        std::sort(m_inside.begin(), m_inside.end());
        for (NodeId id = pattern.last(); id != kNoNode; id = pattern.prev(id)) {
            const Op op = pattern.node(id).op();
            if (op == Op::Placeholder || op == Op::Output) continue;
            // Relaxed matches have pattern nodes that matched nothing, and nodes that others use too.
            const NodeId node = m_boundTo[index(id)];
            if (node == kNoNode) continue;
            const auto isInside = [&](NodeId user) {
                return std::binary_search(m_inside.begin(), m_inside.end(), user);
            };
            const auto& users = m_graph.node(node).users();
            if (users.empty() || std::any_of(users.begin(), users.end(), isInside)) m_graph.erase(node);
        }
    }

    /// Makes the modules that the copied nodes call, now that it is known which paths are free.
    void placeModules(const InternalMatch& match) {
        m_newPaths->end();
        bool mayTake = m_options.newModules.size() == 1;
        for (std::size_t i = 0; i < m_inputs.size(); ++i) // the module that was there is called again
            mayTake = mayTake &&
                      (match.placeholderNodes[i].modulePath.empty() || m_replacement.node(m_inputs[i]).users().empty());
        std::unordered_map<std::string, std::string> places;
        for (const Node& node : m_replacement.nodes()) {
            if (node.op() != Op::CallModule || !m_options.newModules.contains(node.target())) continue;
            auto& path = places[node.target()];
            if (path.empty()) {
                path = m_newPaths->pathFor(withoutNumber(node.target()), mayTake);
                m_newPaths->put(path, m_options.makeModule(node.target(), path));
            }
            m_graph.setTarget(m_values[index(node.id())]->value.node(), path);
        }
    }
    /// "relu6" of "relu6_1", the second one in the replacement.
    static std::string withoutNumber(const std::string& name) {
        const std::size_t end = name.find_last_not_of("0123456789");
        return end != std::string::npos && end + 1 < name.size() && name[end] == '_' ? name.substr(0, end) : name;
    }

    Graph& m_graph;
    const GraphModule& m_pattern;
    Graph m_replacement; ///< of the current match
    const RewriteOptions& m_options;
    std::optional<NewPaths> m_newPaths; ///< if the replacement creates modules
    std::size_t m_idsBefore = 0;        ///< the ids of nodes before the current match was replaced are below it
    std::vector<NodeId> m_inputs;
    std::vector<std::optional<Binding>> m_values; ///< by replacement node
    std::vector<NodeId> m_changed;                ///< by node: what stands for it since it was replaced
    std::vector<Argument> m_results;              ///< of the current replacement
    std::vector<NodeId> m_boundTo, m_inside;      ///< of the current match: by pattern node; sorted
    std::vector<NodeId> m_replaced, m_created;    ///< of the current match: calls that it had, and the new ones
};

/// torch.fx `_replace_attributes`: what the replacement's nodes refer to and the target lacks is copied.
void takeAttributes(GraphModule& target, const GraphModule& replacement) {
    ModuleEditor editor(target);
    editor.removeUnused();
    const std::shared_ptr<const Module> before = target.root; // kept, so that the editor leaves it as it is
    PathResolver there(*before);
    std::unordered_set<std::string> seen;
    for (const Node& node : target.graph.nodes()) {
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const std::string& path = node.target();
        if (!seen.insert(path).second || there.resolve(path).kind != PathTarget::Kind::Missing) continue;
        if (resolvePath(*target.root, path).kind != PathTarget::Kind::Missing)
            continue; // in a module that was added here
        const auto source = resolvePath(*replacement.root, path);
        switch (source.kind) {
        case PathTarget::Kind::Module: editor.add(path, deepCopy(*source.module)); break;
        case PathTarget::Kind::Parameter: {
            if (path.find('.') != std::string::npos)
                throw refused(Message("match.parameter_name", {{"path", path}})).onNode(node.name());
            editor.writable("")->parameters.push_back({path, deepCopy(source.tensor), true});
            break;
        }
        case PathTarget::Kind::Buffer:
        case PathTarget::Kind::Tensor:
            editor.writable("")->attributes.emplace_back(path, deepCopy(source.tensor));
            break;
        case PathTarget::Kind::Attribute: editor.writable("")->attributes.emplace_back(path, *source.value); break;
        case PathTarget::Kind::Missing:
            throw refused(Message("match.missing_attribute", {{"op", opName(node.op())}, {"target", path}}))
                .onNode(node.name());
        }
    }
}

} // namespace

std::vector<ReplacedPattern> replacePattern(GraphModule& target, const GraphModule& pattern,
                                            const GraphModule& replacement, const RewriteOptions& options,
                                            const Progress& progress) {
    const SubgraphMatcher matcher(
        pattern, {false, false, true, options.ignoreLiterals, options.nodeNameMatch, options.relaxations, 0});
    std::vector<InternalMatch> matches = matcher.match(target, progress, options.givenUp);
    std::erase_if(matches, [&](const InternalMatch& match) {
        return !std::all_of(options.filters.begin(), options.filters.end(),
                            [&](const MatchFilter& filter) { return filter(match, target, pattern); });
    });
    std::vector<ReplacedPattern> replaced;
    replaced.reserve(matches.size());
    {
        Rewriter rewriter(target, pattern, replacement, options);
        for (auto& match : matches) {
            if (replaced.size() % 256 == 0) progress.check();
            if (options.mayReplace && !options.mayReplace(match)) continue;
            replaced.push_back(rewriter.replace(match));
            if (options.afterReplacing) options.afterReplacing(replaced.back());
        }
    } // the tree is whole again
    if (options.replacementIsModule) takeAttributes(target, replacement);
    return replaced;
}

} // namespace fx
