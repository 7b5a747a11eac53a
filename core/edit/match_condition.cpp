// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/match_condition.h"

#include "core/base/glob.h"
#include "core/base/plain_number.h"
#include "core/edit/argument_json.h"
#include "core/match/node_comparison.h"
#include "core/match/python_equality.h"
#include "core/module/constructor_settings.h"
#include "core/ops/nn_modules.h"

#include <algorithm>

namespace fx {
namespace {

using Answer = MatchCondition::Answer;
using ValueTest = std::function<Answer(const Argument&)>;

constexpr int kMaxNesting = 100;

Answer answer(bool holds) { return holds ? Answer::Yes : Answer::No; }
Answer negated(Answer a) { return a == Answer::Unknown ? a : answer(a == Answer::No); }
Answer both(Answer a, Answer b) {
    return a == Answer::No || b == Answer::No ? Answer::No : a == Answer::Unknown ? a : b;
}
Answer either(Answer a, Answer b) { return negated(both(negated(a), negated(b))); }

Error wrong(const JsonValue& json, const Message& what) { return Error(ErrorKind::Refused, what).at(json.path()); }

/// `{"min": 1, "max": 8}`, `{"in": [1, 2]}`: conditions on a value where a value can stand too.
bool isRange(const JsonValue& json) {
    return json.isObject() && json.size() > 0 && std::all_of(json.begin(), json.end(), [](const JsonValue& part) {
               return part.key() == "min" || part.key() == "max" || part.key() == "in";
           });
}

ValueTest readValue(const JsonValue& json) {
    if (!isRange(json))
        return [wanted = argumentFromJson(json, Graph())](const Argument& value) {
            return answer(!value.isNode() && pythonEquals(value, wanted));
        };
    std::vector<ValueTest> tests;
    for (const JsonValue part : json) {
        if (part.key() == "in") {
            std::vector<Argument> wanted;
            for (const JsonValue item : part.needArray()) wanted.push_back(argumentFromJson(item, Graph()));
            tests.push_back([wanted](const Argument& value) {
                return answer(!value.isNode() && std::any_of(wanted.begin(), wanted.end(), [&](const Argument& each) {
                    return pythonEquals(value, each);
                }));
            });
        } else {
            tests.push_back([bound = part.asDouble(), isMin = part.key() == "min"](const Argument& value) {
                const auto number = value.number();
                return answer(number && (isMin ? *number >= bound : *number <= bound));
            });
        }
    }
    return [tests](const Argument& value) {
        Answer all = Answer::Yes;
        for (const auto& test : tests) all = both(all, test(value));
        return all;
    };
}

/// A glob, or a list of them of which one has to hold.
std::function<bool(const std::string&)> readGlobs(const JsonValue& json) {
    const std::vector<std::string> globs = json.isArray() ? json.texts() : std::vector{std::string(json.asText())};
    return [globs](const std::string& text) {
        return std::any_of(globs.begin(), globs.end(),
                           [&](const std::string& glob) { return globMatches(glob, text); });
    };
}

/// The module that a match calls at this place, null for others.
const Module* moduleOf(const Binding& bound, const Node* node, PathResolver& paths) {
    const std::string* path = !bound.modulePath.empty()              ? &bound.modulePath
                              : node && node->op() == Op::CallModule ? &node->target()
                                                                     : nullptr;
    return path ? paths.resolve(*path).module : nullptr;
}

/// What is known of the tensor that a node gives: from the graph's metadata, or from the tensor that it reads.
std::optional<ValueInfo> valueOf(const Node& node, PathResolver& paths) {
    if (node.meta().values.size() == 1) return node.meta().values[0];
    if (node.op() != Op::GetAttr) return std::nullopt;
    const TensorPtr tensor = paths.resolve(node.target()).tensor;
    if (!tensor) return std::nullopt;
    ValueInfo info;
    info.dtype = dtypeName(tensor->dtype);
    for (const auto size : tensor->sizes) info.sizes.push_back(std::to_string(size));
    return info;
}

} // namespace

/// Reads conditions.
class MatchCondition::Reader {
public:
    explicit Reader(const GraphModule& pattern) : m_pattern(pattern) {}

    MatchCondition read(const JsonValue& json, int depth) {
        if (depth > kMaxNesting) throw wrong(json, Message("filter.too_deep", {{"limit", kMaxNesting}}));
        if (!json.isObject() || json.size() == 0) throw wrong(json, Message("filter.expected_object"));
        for (const auto& [word, kind] :
             {std::pair("all", Kind::All), std::pair("any", Kind::Any), std::pair("not", Kind::Not)})
            if (const JsonValue parts = json.find(word); parts.exists()) return combination(json, parts, kind, depth);
        return ofNode(json);
    }

private:
    MatchCondition combination(const JsonValue& json, const JsonValue& parts, Kind kind, int depth) {
        if (json.size() != 1) throw wrong(json, Message("filter.mixed"));
        MatchCondition condition;
        condition.m_kind = kind;
        if (kind == Kind::Not) condition.m_parts.push_back(read(parts, depth + 1));
        else
            for (const JsonValue part : parts.needArray()) condition.m_parts.push_back(read(part, depth + 1));
        return condition;
    }

    MatchCondition ofNode(const JsonValue& json) {
        const JsonValue name = json.find("node");
        if (!name.exists()) throw wrong(json, Message("filter.no_node"));
        MatchCondition condition;
        condition.m_kind = Kind::Node;
        condition.m_node = m_pattern.graph.find(name.asText());
        if (condition.m_node == kNoNode || m_pattern.graph.node(condition.m_node).op() == Op::Output)
            throw wrong(name, Message("filter.unknown_node", {{"name", name.asText()}, {"known", nodeNames()}}));
        for (const JsonValue part : json)
            if (part.key() != "node") condition.m_tests.push_back(test(part));
        return condition;
    }

    std::string nodeNames() const {
        std::string names;
        for (const Node& node : m_pattern.graph.nodes())
            if (node.op() != Op::Output) names += (names.empty() ? "" : ", ") + node.name();
        return names;
    }

    static Test test(const JsonValue& json) {
        const std::string_view key = json.key();
        if (key == "literal") return literal(json);
        if (key == "args") return args(json);
        if (key == "op" || key == "target" || key == "name") return text(key, readGlobs(json));
        if (key == "module_type") return moduleType(readGlobs(json));
        if (key == "settings") return settings(json);
        if (key == "dtype") return dtype(readGlobs(json));
        if (key == "shape") return shape(json);
        if (key == "users")
            return [users = readValue(json)](const Subject& s) {
                return s.node ? users(Argument(static_cast<std::int64_t>(s.node->users().size()))) : Answer::No;
            };
        throw wrong(json, Message("filter.unknown_condition", {{"key", key}}));
    }

    static Test literal(const JsonValue& json) {
        return [value = readValue(json)](const Subject& s) {
            return s.node || !s.bound.modulePath.empty() ? Answer::No : value(s.bound.value);
        };
    }

    static Test args(const JsonValue& json) {
        std::vector<std::pair<std::string, ValueTest>> wanted;
        for (const JsonValue each : json.needObject()) wanted.emplace_back(each.key(), readValue(each));
        return [wanted](const Subject& s) {
            Answer all = answer(s.node != nullptr);
            for (const auto& [key, test] : wanted) {
                const Argument* given = s.node ? argument(*s.node, key) : nullptr;
                all = both(all, given ? test(*given) : Answer::No);
            }
            return all;
        };
    }

    static const Argument* argument(const Node& node, const std::string& key) {
        const auto place = plainNumber<std::size_t>(key);
        if (!place) return node.kwarg(key);
        return *place < node.args().size() ? &node.args()[*place] : nullptr;
    }

    static Test text(std::string_view key, std::function<bool(const std::string&)> globs) {
        if (key == "op")
            return [globs](const Subject& s) { return answer(s.node && globs(std::string(opName(s.node->op())))); };
        if (key == "name") return [globs](const Subject& s) { return answer(s.node && globs(s.node->name())); };
        return [globs](const Subject& s) {
            return answer(s.node ? globs(s.node->target()) : !s.bound.modulePath.empty() && globs(s.bound.modulePath));
        };
    }

    static Test moduleType(std::function<bool(const std::string&)> globs) {
        return [globs](const Subject& s) {
            const Module* module = moduleOf(s.bound, s.node, s.paths);
            if (!module) return Answer::No;
            const std::string type = module->qualifiedType();
            const auto known = ops::findModule(type);
            return answer(globs(type) ||
                          (known && (globs(std::string(known->publicPath())) || globs(std::string(known->path())))));
        };
    }

    static Test settings(const JsonValue& json) {
        std::vector<std::pair<std::string, ValueTest>> wanted;
        for (const JsonValue each : json.needObject()) wanted.emplace_back(each.key(), readValue(each));
        return [wanted](const Subject& s) {
            const Module* module = moduleOf(s.bound, s.node, s.paths);
            if (!module) return Answer::No;
            const auto settings = constructorSettings(*module);
            Answer all = Answer::Yes;
            for (const auto& [key, test] : wanted) {
                const auto found =
                    std::find_if(settings.begin(), settings.end(),
                                 [&, name = std::string_view(key)](const Setting& each) { return each.name == name; });
                all = both(all, found == settings.end() ? Answer::No : test(found->value));
            }
            return all;
        };
    }

    static Test dtype(std::function<bool(const std::string&)> globs) {
        return [globs](const Subject& s) {
            if (!s.node) return Answer::No;
            const auto info = valueOf(*s.node, s.paths);
            if (!info || info->dtype.empty()) return Answer::Unknown;
            const std::string_view name = info->dtype;
            return answer(globs(info->dtype) || (name.starts_with("torch.") && globs(std::string(name.substr(6)))));
        };
    }

    static Test shape(const JsonValue& json) {
        std::vector<ValueTest> wanted;
        for (const JsonValue size : json.needArray())
            wanted.push_back(size.isNull() ? [](const Argument&) { return Answer::Yes; } : readValue(size));
        return [wanted](const Subject& s) {
            if (!s.node) return Answer::No;
            const auto info = valueOf(*s.node, s.paths);
            if (!info || (info->dtype.empty() && info->sizes.empty())) return Answer::Unknown;
            if (!info->isTensor || info->sizes.size() != wanted.size()) return Answer::No;
            Answer all = Answer::Yes;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                const Argument size = sizeOf(info->sizes[i]);
                const Answer found = wanted[i](size);
                all = both(all, size.as<std::string>() && found == Answer::No ? Answer::Unknown
                                                                              : found); // s77 may be anything
            }
            return all;
        };
    }

    /// A number, or a symbolic size as it is written.
    static Argument sizeOf(const std::string& text) {
        const auto number = plainNumber(text);
        return number ? Argument(*number) : Argument(text);
    }

    const GraphModule& m_pattern;
};

MatchCondition MatchCondition::parse(const JsonValue& json, const GraphModule& pattern) {
    try {
        return Reader(pattern).read(json, 0);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File) throw;
        throw Error(ErrorKind::Refused,
                    Message("edit.filter", {{"reason", error.what()}, {"cause", error.message().code()}}))
            .at(error.where); // a value of another kind
    }
}

MatchCondition MatchCondition::parseText(std::string text, const GraphModule& pattern) {
    std::shared_ptr<const JsonDocument> document;
    try {
        document = JsonDocument::parse(std::move(text));
    } catch (const Error& error) {
        throw Error(ErrorKind::Refused,
                    Message("edit.filter_json", {{"reason", error.what()}, {"cause", error.message().code()}}))
            .at(error.where);
    }
    return parse(document->root(), pattern);
}

Warning MatchCondition::unknownWarning(std::size_t unknown) {
    return {Message("edit.filter_unknown", {{"count", unknown}}), {}, {}, {}};
}

Answer MatchCondition::combined(Kind kind, Answer a, Answer b) { return kind == Kind::Any ? either(a, b) : both(a, b); }

Answer MatchCondition::holds(const InternalMatch& match, const GraphModule& target) const {
    PathResolver paths(*target.root);
    return holds(match, target.graph, paths);
}

Answer MatchCondition::holds(const InternalMatch& match, const Graph& graph, PathResolver& paths) const {
    if (m_kind == Kind::Not) return negated(m_parts[0].holds(match, graph, paths));
    Answer all = answer(m_kind != Kind::Any);
    for (const MatchCondition& part : m_parts) all = combined(m_kind, all, part.holds(match, graph, paths));
    if (m_kind != Kind::Node) return all;
    const Binding* bound = match.find(m_node);
    if (!bound) return Answer::No;
    const Node* node = bound->value.isNode() ? &graph.node(bound->value.node()) : nullptr;
    for (const Test& test : m_tests) all = both(all, test({*bound, node, paths}));
    return all;
}

MatchFilter MatchCondition::filter(std::shared_ptr<std::size_t> unknown) const {
    /// The module tree that is asked, kept so that an edit makes a copy, and its index.
    struct Tree {
        explicit Tree(std::shared_ptr<const Module> module) : root(std::move(module)), paths(*root) {}
        std::shared_ptr<const Module> root;
        PathResolver paths;
    };
    return [condition = *this, unknown, tree = std::shared_ptr<Tree>()](
               const InternalMatch& match, const GraphModule& target, const GraphModule&) mutable {
        if (!tree || tree->root != target.root) tree = std::make_shared<Tree>(target.root);
        const Answer found = condition.holds(match, target.graph, tree->paths);
        *unknown += found == Answer::Unknown ? 1 : 0;
        return found == Answer::Yes;
    };
}

} // namespace fx
