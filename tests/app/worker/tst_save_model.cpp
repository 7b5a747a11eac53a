// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_archive.h"
#include "core/model_files/open.h"
#include "core/remote/save_model.h"
#include "core/tensor/elements.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

const std::string kSamples = LANCET_SOURCE_DIR "/resources/samples/";

/// Gives the weight of the embedding "tokens" the value of an expression, as the code of a pattern does.
std::shared_ptr<const GraphModule> withExpression(const GraphModule& exported) {
    auto model = std::make_shared<GraphModule>(exported);
    model->root = std::make_shared<Module>(*exported.root);
    auto tokens = std::make_shared<Module>(*exported.root->child("tokens"));
    TensorRef weight = *tokens->parameter("weight")->tensor;
    weight.offset = 0;
    weight.storage = Storage::expression("torch.full((100, 32), 3.0)", 100 * 32 * 4);
    tokens->parameters.front().tensor = std::make_shared<const TensorRef>(weight);
    for (auto& child : model->root->children)
        if (child.name == "tokens") child.module = tokens;
    return model;
}

} // namespace

/// One way to save for the window and the command line.
class TestSaveModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void exports_computeTheirConstants() {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("net.pt2").toStdString();
        const auto model = withExpression(*openModel(kSamples + "transformer.pt2"));
        SaveOptions options;
        options.worker = {{LANCET_WORKER}, true, 0};
        QVERIFY(saveModel(model, path, options).verified);
        const auto back = openModel(path);
        for (const double value : elementValues(*back->root->child("tokens")->parameter("weight")->tensor))
            QCOMPARE(value, 3.0);
    }

    void descriptions_leaveForeignWeightsAlone() {
        const QTemporaryDir folder;
        const QString weights = folder.filePath("net.safetensors");
        QFile foreign(weights);
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        foreign.write("somebody else's");
        foreign.close();
        const auto model = openModel(kSamples + "simple_net.pt");
        const std::string path = folder.filePath("net.json").toStdString();
        try {
            saveModel(model, path, {});
            QFAIL("the file was replaced");
        } catch (const Error& error) { QVERIFY(error.message().is("ir.foreign_weights")); }
        QVERIFY(foreign.open(QIODevice::ReadOnly));
        QCOMPARE(foreign.readAll(), QByteArray("somebody else's"));
        SaveOptions options;
        options.overForeignWeights = true;
        QVERIFY(saveModel(model, path, options).verified);
    }

    void sources_areReadBack() {
        const QTemporaryDir folder;
        SaveOptions options;
        options.note = "from a test";
        const std::string path = folder.filePath("net.py").toStdString();
        QVERIFY(saveModel(openModel(kSamples + "simple_net.pt"), path, options).verified);
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(file.readAll().contains("from a test"));
        options.verify = false;
        QVERIFY(!saveModel(openModel(kSamples + "simple_net.pt"), path, options).verified);
    }

    void wrongChecksums_areWarnedOf() {
        const QTemporaryDir folder;
        const QString damaged = folder.filePath("damaged.pt");
        QVERIFY(QFile::copy(QString::fromStdString(kSamples + "simple_net.pt"), damaged));
        const auto archive = ZipArchive::open(DataFile::open(damaged.toStdString()));
        const auto weights = std::ranges::find_if(
            archive.members(), [](const ZipMember& member) { return member.name.find("/data/") != std::string::npos; });
        QVERIFY(weights != archive.members().end());
        QFile bytes(damaged);
        QVERIFY(bytes.open(QIODevice::ReadWrite));
        QVERIFY(bytes.seek(static_cast<qint64>(archive.dataOffset(*weights)) + 1));
        char byte = 0;
        QCOMPARE(bytes.peek(&byte, 1), 1);
        byte = static_cast<char>(byte ^ 0x10);
        QCOMPARE(bytes.write(&byte, 1), 1);
        bytes.close();
        const SaveReport report =
            saveModel(openModel(damaged.toStdString()), folder.filePath("copy.pt").toStdString(), {});
        QVERIFY(!report.warnings.empty());
        QVERIFY(report.warnings.front().what.is("zip.wrong_sums"));
    }
};

QTEST_GUILESS_MAIN(TestSaveModel)
#include "tst_save_model.moc"
