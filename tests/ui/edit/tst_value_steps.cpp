// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/document.h"
#include "ui/edit/value_steps.h"

#include <QTest>

using namespace ui;

/// Values changed in place, as steps that the document applies.
class TestValueSteps : public QObject {
    Q_OBJECT

    std::unique_ptr<Document> m_document;

    const fx::Graph& graph() const { return m_document->module()->graph; }
    const fx::Node& node(const char* name) const { return graph().node(graph().find(name)); }
    void apply(const fx::StepList& steps) { QVERIFY(m_document->versions().edit(QStringLiteral("Change"), steps)); }
    /// What the call refuses; empty: nothing.
    template<typename Call> static std::string refusal(const Call& call) {
        try {
            call();
        } catch (const fx::Error& error) { return error.message().code(); }
        return {};
    }

private Q_SLOTS:
    void init() {
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(testing::smallNet(), QStringLiteral("small"));
    }

    void rename_ofANode() {
        apply(renameSteps("relu", "act"));
        QVERIFY(graph().find("act") != fx::kNoNode);
        QVERIFY(graph().find("relu") == fx::kNoNode);
    }

    void argument_byPlace_isReplacedOrRemoved() {
        const std::size_t before = node("view").args().size();
        QVERIFY(before > 1);
        const QString last = QString::number(before - 1);
        apply(argumentSteps(graph(), node("view"), last, QStringLiteral("7")));
        QCOMPARE(*node("view").args().back().as<std::int64_t>(), 7);
        apply(argumentSteps(graph(), node("view"), last, {}));
        QCOMPARE(node("view").args().size(), before - 1);
    }

    void argument_thatIsNotThere_isRefused() {
        const auto change = [&](const char* place, const char* text) {
            return refusal([&] { argumentSteps(graph(), node("view"), QLatin1String(place), QLatin1String(text)); });
        };
        QCOMPARE(change("99", "1"), std::string("window.argument_gone"));
        QCOMPARE(change("memory", "1"), std::string("window.argument_gone"));
        QCOMPARE(change("0", ""), std::string("window.omitted_argument")); // others come after it
        QVERIFY(!change("1", "no value (").empty());
    }

    void call_argumentsAndKeywords_asPython() {
        apply(callSteps(graph(), node("view"), QStringLiteral("(relu, -1)"), {}));
        QCOMPARE(node("view").args().size(), std::size_t(2));
        apply(callSteps(graph(), node("view"), {}, QStringLiteral("{'size': 3}")));
        QCOMPARE(node("view").kwargs().size(), std::size_t(1));
        const auto call = [&](std::optional<QString> args, std::optional<QString> kwargs) {
            return refusal([&] { callSteps(graph(), node("view"), args, kwargs); });
        };
        QCOMPARE(call(QStringLiteral("3"), {}), std::string("window.expected_arguments"));
        QCOMPARE(call({}, QStringLiteral("3")), std::string("window.expected_keywords"));
        QCOMPARE(call({}, QStringLiteral("{3: 4}")), std::string("window.expected_keyword"));
    }

    void setting_ofAModule_replacesIt() {
        const fx::StepList steps =
            settingSteps(*m_document->module(), "first.conv", QStringLiteral("stride"), QStringLiteral("(2, 2)"));
        QVERIFY(steps.has("replace_module"));
        QCOMPARE(fx::textIn(steps[0], "path"), std::string_view("first.conv"));
        QVERIFY(steps[0].at("module").at("settings").find("stride").exists());
        QCOMPARE(refusal([&] {
                     settingSteps(*m_document->module(), "no.module", QStringLiteral("stride"), QStringLiteral("1"));
                 }),
                 std::string("window.module_gone"));
    }
};

QTEST_MAIN(TestValueSteps)
#include "tst_value_steps.moc"
