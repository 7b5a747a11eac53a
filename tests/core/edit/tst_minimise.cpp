// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/minimise.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Small parts of models that fail.
class TestMinimise : public QObject {
    Q_OBJECT

    static bool calls(const GraphModule& model, std::string_view target) {
        for (const Node& node : model.graph.nodes())
            if (node.op() == Op::CallFunction && node.target().ends_with(target)) return true;
        return false;
    }
    static Error problem() { return Error(ErrorKind::Refused, Message("edit.nothing_to_do", {{"pass", "test"}})); }
    static GraphModule model() {
        return traceFunctionSource("def net(x):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    c = torch.exp(b)\n"
                                   "    d = torch.tanh(c)\n    e = torch.abs(d)\n    return torch.sin(e) + a");
    }

private Q_SLOTS:
    void oneCall_isAllThatIsLeft() {
        const Minimised found = minimise(model(), [](const GraphModule& each) {
            return calls(each, "tanh") ? std::optional(problem()) : std::nullopt;
        });
        QCOMPARE(found.nodes, 1u);
        QVERIFY(calls(found.part.model, "tanh"));
        QVERIFY(!calls(found.part.model, "exp"));
        QCOMPARE(found.part.inputs.size(), 1u);
    }

    void twoCalls_withAGapBetweenThem() {
        const Minimised found = minimise(model(), [](const GraphModule& each) {
            return calls(each, "neg") && calls(each, "abs") ? std::optional(problem()) : std::nullopt;
        });
        QCOMPARE(found.nodes, 2u);
        QVERIFY(!calls(found.part.model, "exp"));
    }

    void otherFailures_doNotCount() {
        const Minimised found = minimise(model(), [](const GraphModule& each) -> std::optional<Error> {
            if (calls(each, "exp") && calls(each, "tanh")) return problem();
            return Error(ErrorKind::Refused, Message("edit.no_output"));
        });
        QCOMPARE(found.nodes, 2u);
        QCOMPARE(found.problem.message().code(), std::string("edit.nothing_to_do"));
    }

    void modelThatDoesNotFail_isRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, minimise(model(), [](const GraphModule&) { return std::nullopt; }));
    }

    void trials_areLimited() {
        std::size_t asked = 0;
        (void)minimise(
            model(),
            [&](const GraphModule& each) {
                ++asked;
                return calls(each, "neg") && calls(each, "sin") ? std::optional(problem()) : std::nullopt;
            },
            {}, 5);
        QVERIFY(asked <= 5);
    }
};

QTEST_APPLESS_MAIN(TestMinimise)
#include "tst_minimise.moc"
