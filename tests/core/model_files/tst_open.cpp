// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "tests/failure.h"

#include <QTemporaryDir>
#include <QTest>

using namespace fx;

class TestOpen : public QObject {
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

    void findModel_contentAndName_decide_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("part");
        const auto row = [](const char* model, FileKind kind, const char* part = "") {
            QTest::newRow(model) << QStringLiteral(LANCET_SOURCE_DIR "/") + QLatin1String(model)
                                 << static_cast<int>(kind) << QString::fromLatin1(part);
        };
        row("resources/samples/my_module.pt", FileKind::TorchSave);
        row("resources/samples/transformer.pt2", FileKind::Pt2);
        row("resources/samples/transformer.pt2#other", FileKind::Pt2, "other");
        row("tests/data/torchscript/traced.ts", FileKind::TorchScript);
        row("resources/samples/compilation", FileKind::Dump);
        row("resources/samples/compilation#0/0:stage", FileKind::Dump, "0/0:stage");
        row("docs", FileKind::Folder);
        row("CMakePresets.json", FileKind::IrJson);
        row("tools/nn_modules.py", FileKind::Source);
        row("tools/nn_modules.py:Net", FileKind::Source, "Net");
        row("README.md", FileKind::Other);
    }
    void findModel_contentAndName_decide() {
        QFETCH(QString, model);
        QFETCH(int, kind);
        QFETCH(QString, part);
        const ModelFile found = findModel(model.toStdString());
        QCOMPARE(static_cast<int>(found.kind), kind);
        QCOMPARE(QString::fromStdString(found.part), part);
        QCOMPARE(QString::fromStdString(found.path), model.chopped(part.isEmpty() ? 0 : part.size() + 1));
        QCOMPARE(kindOfModel(model.toStdString()), found.kind);
    }

    void kindOfModel_missingFile_isOther() {
        for (const char* name : {"/nowhere/net.pt", "/nowhere/net.py", "/nowhere/net.py:Net"})
            QCOMPARE(kindOfModel(name), FileKind::Other);
    }

    void findModel_recipe_isNoDescription() {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("recipe.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"lancet_recipe": 1, "steps": []})");
        file.close();
        const std::string path = file.fileName().toStdString();
        QCOMPARE(kindOfModel(path), FileKind::Recipe);
        QVERIFY(failure([&] { openModel(path); }).message().is("ir.not_ir"));
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

QTEST_APPLESS_MAIN(TestOpen)
#include "tst_open.moc"
