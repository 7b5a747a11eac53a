// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/model_files/open.h"

#include <QTest>

using namespace fx;

class tst_Open : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void openModel_samples_graphAndModules_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("modules");
        QTest::newRow("simple_net") << "simple_net.pt" << 3;
        QTest::newRow("my_module") << "my_module.pt" << 1;
        QTest::newRow("resnet") << "resnet.pt" << 51;
    }

    void openModel_samples_graphAndModules() {
        QFETCH(QString, file);
        QFETCH(int, modules);
        const auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/" + file.toStdString());
        QVERIFY(model->graph.size() > 3);
        QCOMPARE(model->className, std::string("GraphModule"));
        QCOMPARE(totals(*model->root).modules, std::int64_t{modules});
        QCOMPARE(model->format, Format::GraphModule);
        for (const Node& node : model->graph.nodes())
            if (node.op() == Op::CallModule)
                QVERIFY(resolvePath(*model->root, node.target()).kind == PathTarget::Kind::Module);
    }

    void openModel_exportedProgram_recognised() {
        const auto model = openModel(LANCET_SOURCE_DIR "/resources/samples/transformer.pt2");
        QCOMPARE(model->format, Format::Pt2);
        QVERIFY(!model->lifted.empty());
    }

    void openModel_otherJson_refusedWithItsPath() {
        const std::string path = LANCET_SOURCE_DIR "/CMakePresets.json";
        try {
            (void)openModel(path);
            QFAIL("opened");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::File);
            QCOMPARE(error.file, path);
        }
    }
};

QTEST_APPLESS_MAIN(tst_Open)
#include "tst_open.moc"
