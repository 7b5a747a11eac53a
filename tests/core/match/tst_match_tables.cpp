// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/rewriter.h"
#include "tests/table_models.h"

using namespace fx;

namespace {

/// "match x=y relu=relu_1", pattern nodes in the order of their graph.
QString matchLine(const InternalMatch& match, const Graph& pattern, const Graph& net) {
    QString out = "match";
    for (const Node& node : pattern.nodes()) {
        const Binding* bound = match.find(node.id());
        if (!bound) continue;
        const std::string value =
            bound->value.isNode() ? net.node(bound->value.node()).name() : reprOf(net, bound->value);
        out += QString::fromStdString(" " + node.name() + "=" + value);
    }
    return out + "\n";
}

/// Matches, and the graph after the replacement if there is one.
QString matched(const TableCase& given) {
    const std::string program = table::programOf(given);
    const table::Request request(given);
    const auto net = table::tracedIn(program, "net"), pattern = table::tracedIn(program, "pattern");
    MatcherOptions options;
    options.matchOutput = request.flag("match_output");
    options.matchPlaceholder = request.flag("match_placeholder");
    options.ignoreLiterals = request.flag("ignore_literals");
    if (const JsonValue removes = request.json->root().find("remove_overlapping_matches"); removes.exists())
        options.removeOverlapping = removes.asBool();
    QString text;
    try {
        for (const InternalMatch& match : SubgraphMatcher(*pattern, options).match(*net))
            text += matchLine(match, pattern->graph, net->graph);
        if (!table::defines(program, "replacement")) return text.isEmpty() ? "no match" : text;
        RewriteOptions rewrites;
        rewrites.ignoreLiterals = options.ignoreLiterals;
        rewrites.replacementIsModule = program.find("class Replacement") != std::string::npos;
        replacePattern(*net, *pattern, *table::tracedIn(program, "replacement"), rewrites);
        return text + table::graphLines(net->graph);
    } catch (const Error&) { return text + "refused"; }
}

} // namespace

/// tests/data/match: patterns, and the matches and replacements of torch.fx.
class TestMatchTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pattern_matchesAsInTorchFx_data() { table::addRows("match", "*.txt"); }
    void pattern_matchesAsInTorchFx() {
        QFETCH(const TableCase, given);
        table::compare(given, matched(given));
    }
};

QTEST_APPLESS_MAIN(TestMatchTables)
#include "tst_match_tables.moc"
