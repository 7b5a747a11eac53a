// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/version_facts.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestVersionFacts : public QObject {
    Q_OBJECT

    static Problem problem(const char* text, bool isShape) {
        Problem made;
        made.what = QString::fromLatin1(text);
        made.isShape = isShape;
        return made;
    }
    static QStringList texts(const VersionFacts& facts) {
        QStringList out;
        for (const Problem& each : facts.problems()) out << each.what;
        return out;
    }

private Q_SLOTS:
    void compute_version_everythingArrives() {
        VersionFacts facts;
        QSignalSpy code(&facts, &VersionFacts::codeChanged), index(&facts, &VersionFacts::indexChanged);
        const auto net = testing::smallNet();
        facts.compute({net, net, net});
        QVERIFY(!facts.code());
        QTRY_VERIFY(facts.code());
        QTRY_VERIFY(facts.index());
        QTRY_VERIFY(facts.info());
        QCOMPARE(code.size(), 1);
        QCOMPARE(index.size(), 1);
        QCOMPARE(facts.index()->size(), net->graph.size());
        QVERIFY(!facts.calls().empty());
        facts.clear();
        QVERIFY(!facts.code());
        QVERIFY(!facts.index());
        QVERIFY(!facts.info());
        QVERIFY(facts.calls().empty());
    }

    void compute_project_hasTheFormatOfTheFile() {
        VersionFacts facts;
        const auto net = testing::smallNet();
        facts.compute({net, net, net, fx::Format::Lancet});
        QTRY_VERIFY(facts.info());
        auto asProject = *net;
        asProject.format = fx::Format::Lancet;
        QCOMPARE(facts.info()->dialect, fx::dialectOf(asProject));
    }

    void clear_keepsTheProblemsThatAreKnown() {
        VersionFacts facts;
        facts.addProblem(problem("old", false));
        QSignalSpy told(&facts, &VersionFacts::problemsChanged);
        facts.clear({problem("journal", false)});
        QVERIFY(told.isEmpty());
        QCOMPARE(texts(facts), QStringList{QStringLiteral("journal")});
    }

    void shapeProblems_replaceThoseBefore() {
        VersionFacts facts;
        QSignalSpy told(&facts, &VersionFacts::problemsChanged);
        facts.setShapeProblems({});
        QVERIFY(told.isEmpty());
        facts.addProblem(problem("lint", false));
        facts.setShapeProblems({problem("first", true)});
        facts.setShapeProblems({problem("second", true)});
        QCOMPARE(told.size(), 3);
        QCOMPARE(texts(facts), (QStringList{QStringLiteral("lint"), QStringLiteral("second")}));
        facts.setShapeProblems({});
        QCOMPARE(texts(facts), QStringList{QStringLiteral("lint")});
        QCOMPARE(told.size(), 4);
    }
};

QTEST_MAIN(TestVersionFacts)
#include "tst_version_facts.moc"
