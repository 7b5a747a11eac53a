// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/edit/rehearsal.h"
#include "core/ir/print.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/json_steps.h"

#include <QtTest>

using namespace fx;
using State = TriedStep::State;

/// How each step of a list goes, told before any of them is done for good.
class TestRehearsal : public QObject {
    Q_OBJECT

    static GraphModule net() {
        return traceFunctionSource("def net(x, y):\n    return torch.neg(torch.relu(x)) + y\n");
    }

private Q_SLOTS:
    void steps_allDone_countWhatEachDid() {
        const GraphModule model = net();
        const std::string before = graphText(model.graph);
        const StepList steps =
            "[{\"step\": \"insert_after\", \"node\": \"relu\", \"op\": \"call_function\", \"target\": \"torch.tanh\", "
            "\"args\": [{\"node\": \"relu\"}], \"rewire_users\": true},\n            {\"step\": \"rename\", \"node\": "
            "\"neg\", \"name\": \"minus\"}, {\"step\": \"replace_pattern\", \"pattern\": \"def "
            "pattern(a, b):\\n    return a + b\\n\", \"replacement\": \"def replacement(a, b):\\n    return "
            "torch.sub(a, "
            "b)\\n\"}]"_steps;
        const Rehearsal tried = rehearse(model, steps);
        QVERIFY(tried.after);
        QVERIFY(!tried.refusal);
        QCOMPARE(graphText(tried.after->graph), graphText(History::edited(model, steps)->graph));
        QCOMPARE(graphText(model.graph), before);
        QCOMPARE(tried.steps.size(), 3u);
        QCOMPARE(tried.steps[0].words,
                 std::string("insert_after relu, op call_function, target torch.tanh, args [relu], rewire_users True"));
        QCOMPARE(tried.steps[0].created, 1u);
        QCOMPARE(tried.steps[0].changed, 1u);
        QCOMPARE(tried.steps[1].words, std::string("rename neg, name minus"));
        QCOMPARE(tried.steps[1].changed, 1u);
        QCOMPARE(tried.steps[2].words,
                 std::string("replace_pattern pattern return a + b, replacement return torch.sub(a, b)"));
        QCOMPARE(tried.steps[2].erased, 1u);
    }

    void steps_oneRefused_saysWhichAndWhy() {
        const Rehearsal tried = rehearse(net(), "[{\"step\": \"rename\", \"node\": \"neg\", \"name\": \"minus\"}, "
                                                "{\"step\": \"erase\", \"node\": \"relu\"}, "
                                                "{\"step\": \"lint\"}]"_steps);
        QVERIFY(!tried.after);
        QVERIFY(tried.refusal);
        QCOMPARE(tried.steps[0].state, State::Done);
        QCOMPARE(tried.steps[1].state, State::Refused);
        QCOMPARE(tried.steps[2].state, State::NotTried);
        QVERIFY2(QByteArray(tried.refusal->what()).contains("relu"), tried.refusal->what());
    }

    void result_refused_allStepsAreDone() {
        const Rehearsal tried =
            rehearse(net(), "[{\"step\": \"move\", \"node\": \"relu\", \"after\": \"neg\"}]"_steps); // neg uses relu
        QCOMPARE(tried.steps[0].state, State::Done);
        QVERIFY(!tried.after);
        QVERIFY(tried.refusal);
    }

    void words_anything_stayShort() {
        const auto document = JsonDocument::parse("[{\"step\": \"set_args\", \"node\": \"a\", \"args\": [{\"node\": "
                                                  "\"x\"}, 2, 0.5, null, true, [1], {\"dtype\": "
                                                  "\"y\"}], \"kwargs\": {}}, {\"node\": \"x\"}, 7]");
        std::vector<std::string> words;
        for (const JsonValue step : document->root().needArray()) words.push_back(stepWords(step));
        QCOMPARE(words[0], std::string("set_args a, args [x, 2, 0.5, None, True, […], {…}]"));
        QCOMPARE(words[1], std::string("? x"));
        QCOMPARE(words[2], std::string("7"));
    }
};

QTEST_APPLESS_MAIN(TestRehearsal)
#include "tst_rehearsal.moc"
