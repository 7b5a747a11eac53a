// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pattern/pattern_search.h"

#include "core/edit/steps/pattern_step.h"
#include "core/match/near_miss.h"
#include "core/match/overlapped.h"
#include "core/ops/nn_modules.h"
#include "core/python/tracing/trace_definition.h"
#include "ui/widgets/core_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <chrono>

namespace ui {

namespace {

/// Traces a source as the step replace_pattern does for `model`: a function or a class; what is wrong with it goes to
/// `error`, and the line of that, from 0, to `line`.
std::optional<fx::GraphModule> traced(const fx::GraphModule& model, const QByteArray& source, const char* preferred,
                                      bool needsValues, std::optional<fx::Error>& error, int& line,
                                      const fx::Progress& progress, const fx::Readers& readers) {
    const std::string_view text(source.data(), static_cast<std::size_t>(source.size()));
    fx::DefinitionSettings settings;
    settings.needsValues = needsValues;
    settings.known = fx::functionNames(model);
    settings.progress = progress;
    settings.reader = readers.python.get();
    try {
        return fx::traceDefinition(text, fx::mainDefinition(text, preferred), settings);
    } catch (const fx::Error& failure) {
        if (failure.kind() == fx::ErrorKind::Cancelled) throw;
        error = failure;
        if (failure.textPlace.line > 0) line = static_cast<int>(failure.textPlace.line) - 1;
        return std::nullopt;
    }
}

/// The pattern's inputs by name, typed ones with their type: what a replacement has to have too.
std::size_t inputCount(const fx::GraphModule& module) {
    std::size_t count = 0;
    for (const fx::Node& node : module.graph.nodes()) count += node.op() == fx::Op::Placeholder;
    return count;
}

PatternMatch shown(const fx::GraphModule& module, const fx::GraphModule& pattern, const fx::InternalMatch& match) {
    PatternMatch result;
    std::vector<std::pair<fx::NodeId, fx::NodeId>> pairs;
    for (const auto& [node, bound] : match.nodesMap) {
        const fx::Op op = pattern.graph.node(node).op();
        if (op != fx::Op::Placeholder && op != fx::Op::Output && bound.value.isNode())
            pairs.emplace_back(node, bound.value.node());
    }
    std::sort(pairs.begin(), pairs.end(),
              [&](const auto& a, const auto& b) { return pattern.graph.isBefore(a.first, b.first); });
    for (const auto& [node, found] : pairs) result.nodes.push_back(found);
    for (const fx::NodeId anchor : match.anchors)
        if (const auto* bound = match.find(anchor); bound && bound->value.isNode()) {
            result.anchor = module.graph.node(bound->value.node()).name();
            break;
        }
    return result;
}

fx::MatcherOptions optionsOf(const PatternQuery& query, const fx::GraphModule& pattern) {
    fx::MatcherOptions options;
    options.ignoreLiterals = query.ignoreLiterals;
    options.relaxations.commutative = query.commutative;
    options.removeOverlapping = !query.keepOverlapping;
    for (const std::string& text : query.relaxations) fx::relax(options, fx::parseRelaxations(pattern.graph, text));
    return options;
}

/// "torch.nn.modules.batchnorm.BatchNorm2d" as users write it: "nn.BatchNorm2d"; "_operator.add" as "operator.add".
QString asWritten(const QString& name) {
    if (name.startsWith(QLatin1String("_operator."))) return name.mid(1);
    const auto module = fx::ops::findModule(name.toStdString());
    const QString path = module ? fromCore(module->publicPath()) : name;
    return module && path.startsWith(QLatin1String("torch.nn.")) ? path.mid(6) : path;
}

QString wordsOf(const fx::Graph& pattern, const fx::Relaxation& relaxation) {
    using Kind = fx::Relaxation::Kind;
    const auto say = [](const char* text) { return QCoreApplication::translate("PatternSearch", text); };
    const QString node =
        relaxation.patternNode == fx::kNoNode ? QString() : fromCore(pattern.node(relaxation.patternNode).name());
    const QString value = inWords(relaxation.value);
    switch (relaxation.kind) {
    case Kind::Target: return say("Accept %2 for %1").arg(node, value);
    case Kind::Argument: return say("Accept any argument %2 of %1").arg(node, value);
    case Kind::OutsideUsers: return say("Allow other users of %1").arg(node);
    case Kind::Optional: return say("Make %1 optional").arg(node);
    case Kind::Commutative: return say("Accept operands in any order");
    case Kind::Literals: return say("Ignore literals");
    case Kind::Overlap: return say("Allow overlap");
    case Kind::AnyInput: return say("Accept any value for inputs");
    case Kind::AnyOutput: return say("Accept results that are not model outputs");
    }
    return {};
}

/// Says it is one match for another's nodes: what the list of matches tells already.
bool onlyOverlaps(const fx::NearMiss& miss) {
    return miss.mismatches.size() == 1 && miss.mismatches.front().rule == fx::MatchRule::Overlap;
}

void search(const fx::GraphModule& module, const fx::GraphModule& pattern, const fx::MatcherOptions& options,
            PatternResult& result, const fx::Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const fx::SubgraphMatcher matcher(pattern, options);
    const std::vector<fx::InternalMatch> found = matcher.match(module, progress, &result.givenUp);
    std::vector<char> taken(module.graph.idLimit(), 0);
    std::vector<std::size_t> shownAs; // by match: its index in the result
    for (const auto& match : found) {
        shownAs.push_back(result.matches.size());
        PatternMatch each = shown(module, pattern, match);
        if (each.nodes.empty()) continue; // inputs alone: nothing to show or go to
        for (const fx::NodeId node : each.nodes) result.nodes += !std::exchange(taken[fx::index(node)], 1);
        result.matches.push_back(std::move(each));
    }
    result.millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    for (const auto& dropped : fx::overlappedMatches(module, matcher, found, kMostOverlapped, progress))
        result.overlapped.push_back({shown(module, pattern, dropped.match), shownAs[dropped.with], dropped.shared});
}

} // namespace

QString fitInWords(std::size_t matched, std::size_t of) {
    return QCoreApplication::translate("PatternSearch", "%1 of %2 nodes fit").arg(matched).arg(of);
}

QString inWords(const std::string& text) {
    static const QRegularExpression dotted(QStringLiteral("[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)+"));
    const QString whole = fromCore(text);
    QString words;
    qsizetype done = 0;
    for (auto each = dotted.globalMatch(whole); each.hasNext();) {
        const QRegularExpressionMatch name = each.next();
        words += whole.mid(done, name.capturedStart() - done) + asWritten(name.captured());
        done = name.capturedEnd();
    }
    return words + whole.mid(done);
}

PatternResult searchPattern(const fx::GraphModule& module, const PatternQuery& query, const fx::Progress& progress,
                            const fx::Readers& readers) {
    PatternResult result;
    const auto pattern =
        traced(module, query.pattern, "pattern", false, result.patternError, result.patternLine, progress, readers);
    if (!query.replacement.trimmed().isEmpty())
        if (const auto replacement = traced(module, query.replacement, "replacement", true, result.replacementError,
                                            result.replacementLine, progress, readers);
            replacement && pattern && inputCount(*replacement) != inputCount(*pattern))
            result.replacementError =
                fx::Error(fx::ErrorKind::Refused,
                          fx::Message("window.replacement_inputs",
                                      {{"expected", inputCount(*pattern)}, {"got", inputCount(*replacement)}}));
    if (!pattern) return result;
    try {
        search(module, *pattern, optionsOf(query, *pattern), result, progress);
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        result.patternError = error;
    }
    return result;
}

std::vector<PatternNearMiss> explainPattern(const fx::GraphModule& module, const PatternQuery& query, std::size_t limit,
                                            const fx::Progress& progress, const fx::Readers& readers) {
    std::vector<PatternNearMiss> result;
    std::optional<fx::Error> unusable;
    int line = -1;
    const auto pattern = traced(module, query.pattern, "pattern", false, unusable, line, progress, readers);
    if (!pattern) return result;
    try {
        for (const fx::NearMiss& miss : fx::explain(module, *pattern, optionsOf(query, *pattern), limit, progress)) {
            if (onlyOverlaps(miss)) continue;
            PatternNearMiss shown{miss.anchor,
                                  miss.anchor == fx::kNoNode ? std::string() : module.graph.node(miss.anchor).name(),
                                  inWords(miss.mismatches.front().why.text()),
                                  miss.matched,
                                  miss.of,
                                  {}};
            for (const auto& list : miss.relax) {
                QStringList words;
                bool overlaps = false; // matches that share nodes cannot be replaced
                for (const auto& each : list)
                    words << wordsOf(pattern->graph, each), overlaps |= each.kind == fx::Relaxation::Kind::Overlap;
                if (!overlaps)
                    shown.remedies.push_back(
                        {words.join(QStringLiteral(", ")), fx::relaxationText(pattern->graph, list)});
            }
            result.push_back(std::move(shown));
        }
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
    }
    return result;
}

fx::StepList replaceStep(const PatternQuery& query, const std::vector<std::string>& anchors) {
    fx::StepList::PatternOptions options{query.ignoreLiterals, query.commutative, query.relaxations, anchors};
    return fx::StepList().replacePattern(query.pattern.toStdString(), query.replacement.toStdString(), options);
}

} // namespace ui
