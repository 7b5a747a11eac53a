// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_definition.h"
#include "ui/partition/operator_model.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace ui;

class TestSupportDraft : public QObject {
    Q_OBJECT

    fx::GraphModule m_net = fx::traceFunctionSource(
        "def f(x):\n    a = torch.relu(x)\n    b = torch.relu(a + 1).view(-1)\n    return torch.tanh(b)\n");
    const MetOperator& op(const std::vector<MetOperator>& all, const char* name) const {
        for (const MetOperator& each : all)
            if (each.name == name) return each;
        qFatal("no operator %s", name);
    }
    std::string supported(const SupportDraft& draft) const {
        const PartitionOutcome outcome = runPartition(m_net, {draft.rules(), {}, true, false, false, {}}, {});
        std::string names;
        for (const fx::Node& node : m_net.graph.nodes())
            if (outcome.partition(node.id()) >= 0) names += (names.empty() ? "" : " ") + node.name();
        return outcome.error ? std::string("error: ") + outcome.error->what() : names;
    }

private Q_SLOTS:
    void operators_byKindThenCount() {
        const auto all = operatorsOf(m_net);
        QCOMPARE(all.size(), 4u);
        QCOMPARE(all[0].name, std::string("torch.relu"));
        QCOMPARE(all[0].nodes.size(), 2u);
        QCOMPARE(all[3].kind, MetOperator::Kind::Method);
    }

    void whatWasTicked_remembered_isThereAgain() {
        const auto all = operatorsOf(m_net);
        SupportDraft draft, again;
        draft.setBase("{\"supported\": [{\"target\": \"torch.relu\"}]}", QStringLiteral("mine.json"));
        draft.setOperator(op(all, "torch.tanh"), Support::Supported);
        draft.setOperator(op(all, "torch.relu"), Support::Unsupported);
        again.recall(draft.remembered());
        QVERIFY(again == draft);
        QCOMPARE(supported(again), std::string("tanh"));
        draft.setNode("view", Support::Supported);
        again.recall(draft.remembered());
        QCOMPARE(again.ofNode("view"), Support::Supported);
        again.recall({});
        QVERIFY(again.isEmpty());
    }

    void rules_ofTicks_supportJustThose() {
        const auto all = operatorsOf(m_net);
        SupportDraft draft;
        QVERIFY(draft.isEmpty());
        QCOMPARE(supported(draft), std::string());
        draft.setOperator(op(all, "torch.relu"), Support::Supported);
        draft.setOperator(op(all, "view"), Support::Supported);
        QCOMPARE(supported(draft), std::string("relu relu_1 view"));
        draft.setOperator(op(all, "view"), Support::ByRule);
        QCOMPARE(supported(draft), std::string("relu relu_1"));
    }

    void nodes_goBeforeOperators_andOperatorsBeforeTheFile() {
        const auto all = operatorsOf(m_net);
        SupportDraft draft;
        draft.setBase(R"({"supported": [{"target": "*"}]})", QStringLiteral("all.json"));
        QCOMPARE(supported(draft), std::string("relu add relu_1 view tanh"));
        draft.setOperator(op(all, "torch.relu"), Support::Unsupported);
        QCOMPARE(supported(draft), std::string("add view tanh"));
        draft.setNode("relu_1", Support::Supported);
        draft.setNode("tanh", Support::Unsupported);
        QCOMPARE(supported(draft), std::string("add relu_1 view"));
        for (const char* name : {"relu_1", "tanh"}) draft.setNode(name, Support::ByRule);
        QCOMPARE(supported(draft), std::string("add view tanh"));
    }

    void malformedRules_sayLineAndColumn() {
        const PartitionOutcome outcome =
            runPartition(m_net, {"{\"supported\":\n  [{\"targit\": 1}]}", {}, false, false, false, {}}, {});
        QVERIFY(outcome.error);
        QVERIFY2(QString::fromStdString(outcome.error->where).startsWith(QStringLiteral("line 2, column")),
                 outcome.error->where.c_str());
    }

    void difference_inWords() {
        const auto all = operatorsOf(m_net);
        SupportDraft before, after;
        for (const char* name : {"torch.relu", "view", "torch.tanh"})
            before.setOperator(op(all, name), Support::Supported);
        after = before;
        after.setOperator(op(all, "operator.add"), Support::Supported);
        const auto run = [&](const SupportDraft& draft) {
            return runPartition(m_net, {draft.rules(), {}, true, false, false, {}}, {});
        };
        QCOMPARE(differenceInWords(run(before), run(after)),
                 QStringLiteral("2 partitions → 1: 0 and 1 merge; 1 more node"));
        QCOMPARE(differenceInWords(run(after), run(before)),
                 QStringLiteral("1 partition → 2: 0 splits into 2; 1 fewer node"));
        QCOMPARE(differenceInWords(run(after), run(after)), QStringLiteral("no change"));
        QCOMPARE(differenceInWords(run(before), run(SupportDraft())),
                 QStringLiteral("2 partitions → 0: 0 and 1 disappear; 4 fewer nodes"));
    }

    void model_ticks() {
        OperatorModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setOperators(operatorsOf(m_net));
        SupportDraft draft;
        connect(&model, &OperatorModel::ticked, this,
                [&](const std::vector<const MetOperator*>& operators, Support support) {
                    for (const MetOperator* each : operators) draft.setOperator(*each, support);
                    model.setDraft(draft, {});
                });
        const QModelIndex functions = model.index(0, 0), relu = model.index(0, 0, functions);
        QCOMPARE(relu.data().toString(), QStringLiteral("torch.relu"));
        model.setData(relu, {}, Qt::CheckStateRole);
        QCOMPARE(relu.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        QCOMPARE(functions.data(Qt::CheckStateRole).toInt(), int(Qt::PartiallyChecked));
        model.setData(functions, {}, Qt::CheckStateRole);
        QCOMPARE(functions.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        // Rules of a file decide for all nodes of an operator, or tell them apart.
        const auto follow = [&](const char* rules) {
            draft.setBase(rules, QStringLiteral("r"));
            model.setDraft(draft, {});
            model.setOutcome(runPartition(m_net, {draft.rules(), {}, true, false, false, {}}, {}));
            return relu.data(Qt::CheckStateRole).toInt();
        };
        QCOMPARE(follow(R"({"supported": [{"target": "torch.*"}]})"), int(Qt::Checked));
        QCOMPARE(follow(R"({"supported": [{"target": "torch.tanh"}]})"), int(Qt::Unchecked));
        QCOMPARE(follow(R"({"supported": [{"name": "relu"}]})"), int(Qt::PartiallyChecked));
        // A click turns what is seen around, and is said to be set here.
        for (const auto state : {Qt::Checked, Qt::Unchecked, Qt::Checked}) {
            model.setData(relu, {}, Qt::CheckStateRole);
            QCOMPARE(relu.data(Qt::CheckStateRole).toInt(), int(state));
            QVERIFY(relu.siblingAtColumn(1).data().toString().contains(QStringLiteral("set here")));
        }
    }
};

QTEST_MAIN(TestSupportDraft)
#include "tst_support_draft.moc"
