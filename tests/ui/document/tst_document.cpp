// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/document.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestDocument : public QObject {
    Q_OBJECT

    static QString sample(const char* name) { return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name); }

private Q_SLOTS:
    void load_sample_everythingArrives() {
        Document document(sample("resnet.pt"));
        QSignalSpy states(&document, &Document::stateChanged);
        document.load();
        QCOMPARE(document.state(), Document::State::Loading);
        QTRY_COMPARE(document.state(), Document::State::Ready);
        QTRY_VERIFY(document.code());
        QTRY_VERIFY(document.findIndex());
        QTRY_VERIFY(document.picture().scene());
        QTRY_VERIFY(document.info());
        QCOMPARE(states.size(), 2);
        QVERIFY(document.code()->text.find("def forward(self, x") != std::string::npos);
        QVERIFY(document.info()->totals.parameters.elements > 0);
    }

    void load_notAModel_errorWithFile() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("bad.pt"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("PK\3\4 this is no archive");
        file.close();
        Document document(path);
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Failed);
        QCOMPARE(document.error().kind(), fx::ErrorKind::File);
        QCOMPARE(QString::fromStdString(document.error().file), path);
    }

    void cancelLoading_running_failsAsCancelled() {
        Document document(sample("densenet.pt"));
        document.load();
        document.cancelLoading();
        QCOMPARE(document.state(), Document::State::Failed);
        QCOMPARE(document.error().kind(), fx::ErrorKind::Cancelled);
        QTest::qWait(100); // what still arrives must be dropped
        QCOMPARE(document.state(), Document::State::Failed);
    }

    void select_nodes_toldOnceWithSource() {
        Document document({});
        const auto net = testing::smallNet();
        document.adopt(net, QStringLiteral("small"));
        QSignalSpy told(&document, &Document::selectionChanged);
        const fx::NodeId relu = net->graph.find("relu");
        document.select({relu}, this);
        document.select({relu}, this);
        QCOMPARE(told.size(), 1);
        QCOMPARE(told.first().first().value<QObject*>(), this);
        QVERIFY(document.isSelected(relu));
        document.selectAll();
        QCOMPARE(document.selection().size(), std::size_t(5));
        document.select({static_cast<fx::NodeId>(1'000'000)}, nullptr);
        QVERIFY(document.selection().empty());
        QVERIFY(!document.isSelected(relu));
    }

    void selectModule_path_itsNodes() {
        Document document({});
        const auto net = testing::chain(20);
        document.adopt(net, QStringLiteral("chain"));
        document.selectModule(QStringLiteral("blocks.1"), nullptr);
        QCOMPARE(document.selection(), std::vector<fx::NodeId>{net->graph.find("blocks_1_linear")});
        QCOMPARE(document.selectedModule(), std::optional(QStringLiteral("blocks.1")));
        document.selectModule(QStringLiteral("blocks"), nullptr);
        QCOMPARE(document.selection().size(), std::size_t(9));
        document.select({}, nullptr);
        QVERIFY(!document.selectedModule());
    }

    void reveal_nodeInClosedGroup_opensIt() {
        Document document({});
        document.adopt(testing::chain(40), QStringLiteral("chain"));
        QTRY_VERIFY(document.picture().scene());
        document.picture().collapseAll();
        const fx::NodeId node = document.module()->graph.find("blocks_3_linear");
        QTRY_VERIFY(!document.picture().shows(node));
        QSignalSpy revealed(&document, &Document::revealRequested);
        document.goTo(node, nullptr);
        QTRY_COMPARE(revealed.size(), 1);
        QVERIFY(document.picture().shows(node));
    }

    void hide_nodes_goneUntilShowAll() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        document.picture().expandAll();
        const fx::NodeId relu = document.module()->graph.find("relu");
        QTRY_VERIFY(document.picture().shows(relu));
        document.picture().hide({relu});
        QTRY_VERIFY(!document.picture().shows(relu));
        document.picture().showAll();
        QTRY_VERIFY(document.picture().shows(relu));
    }
};

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
