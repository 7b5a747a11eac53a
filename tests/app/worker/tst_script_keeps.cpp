// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip/zip_archive.h"
#include "core/make/module_factory.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_project.h"
#include "core/remote/save_script.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"
#include "core/torchscript/torchscript.h"
#include "tests/app/worker/open_script.h"
#include "tests/failure.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

std::string file(const char* name) { return std::string(LANCET_SOURCE_DIR "/tests/data/torchscript/") + name; }
WorkerOptions options() { return {{LANCET_WORKER}, true, 0}; }

QByteArray content(const std::string& path) {
    QFile in(QString::fromStdString(path));
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

/// The text of a member of an archive, by its path below the root.
QByteArray member(const std::string& path, const std::string& name) {
    const auto archive = ZipArchive::open(DataFile::open(path));
    const ZipMember* found = archive.find(archive.root() + name);
    return found ? QByteArray::fromStdString(archive.readText(*found, 1 << 20)) : QByteArray();
}

std::shared_ptr<GraphModule> edited(const std::string& path) {
    auto module = openScript(path);
    module->graph.setNameUnchecked(module->graph.order().front(), "renamed");
    return module;
}

std::map<std::string, std::string> foreseen(const GraphModule& module, const std::string& path) {
    std::map<std::string, std::string> out;
    for (const Foreseen& point : foresee(module, savedAs(path)))
        out[std::string(point.what.code())] =
            point.what.argument(point.what.is("foresee.method_is_forward") ? "name" : "names");
    return out;
}

} // namespace

/// What a TorchScript file has beside its graph: it is written, too, or a warning names it.
class TestScriptKeeps : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string target(const char* name) const { return m_folder.filePath(QLatin1String(name)).toStdString(); }

private Q_SLOTS:
    void trainingMode_isReadWhenTheScriptRuns() {
        const std::string path = target("modes.ts");
        WorkerClient worker(options());
        RunRequest inputs;
        inputs.random = {{"x", {1, 2, 4}, "torch.float32", 0}};
        QVERIFY(saveScript(worker, edited(file("modes.ts")), path, inputs, true).verified);
        QVERIFY(member(path, "code/__torch__/torch/fx/graph_module.py").contains("x: Tensor")); // not "renamed"
        for (const char* code : {"batchnorm", "instancenorm", "rnn", "dropout"}) {
            const QByteArray text = member(path, std::string("code/__torch__/torch/nn/modules/") + code + ".py");
            QVERIFY2(text.contains("self.training"), code + QByteArray(": ") + text);
        }
        QVERIFY(member(path, "code/__torch__/torch/nn/modules/batchnorm.py").contains("torch.div(1., "));
        const auto again = openScript(path); // the settings are attributes, by which modules are recognised
        for (const char* module : {"conv", "average", "instance", "drop.0", "drop.1", "rnn"})
            QVERIFY2(resolvePath(*again->root, module).module->classModule.starts_with("torch.nn.modules."), module);
    }

    void encoderLayer_isOneOperatorWherePyTorchHasOne_data() {
        QTest::addColumn<QString>("masks");
        QTest::newRow("without masks") << QString();
        QTest::newRow("padding") << QStringLiteral("src_key_padding_mask");
        QTest::newRow("mask") << QStringLiteral("src_mask");
        QTest::newRow("both") << QStringLiteral("src_mask src_key_padding_mask");
    }
    void encoderLayer_isOneOperatorWherePyTorchHasOne() {
        QFETCH(QString, masks);
        TorchGenerator random(0);
        const Kwargs settings = {{"d_model", Argument(std::int64_t{8})},
                                 {"nhead", Argument(std::int64_t{2})},
                                 {"dim_feedforward", Argument(std::int64_t{16})},
                                 {"batch_first", Argument(true)}};
        auto module = std::make_shared<GraphModule>();
        module->root->children.push_back(
            {"layer", makeModule("torch.nn.TransformerEncoderLayer", {settings, {}}, random)});
        module->root->children[0].module->training = false;
        RunRequest inputs;
        inputs.random = {{"x", {2, 3, 8}, "torch.float32", 0}};
        const NodeId x = module->graph.placeholder("x");
        Kwargs given;
        for (const QString& mask : masks.split(u' ', Qt::SkipEmptyParts)) {
            const std::string name = mask.toStdString();
            given.emplace_back(name, Argument(module->graph.placeholder(name)));
            inputs.random.push_back({name, {mask == u"src_mask" ? 3 : 2, 3}, "torch.float32", 0});
        }
        module->graph.output(module->graph.createNode(Op::CallModule, "layer", {Argument(x)}, given));
        const std::string path = target("encoder.ts");
        WorkerClient worker(options());
        QVERIFY(saveScript(worker, module, path, inputs, true).verified);
        const QByteArray code = member(path, "code/__torch__/torch/nn/modules/transformer.py");
        QVERIFY2(code.contains("torch._transformer_encoder_layer_fwd("), code);
        QVERIFY2(code.contains("torch.scaled_dot_product_attention("), code); // while it learns
    }

    void fixedModes_areNamed() {
        QCOMPARE(foreseen(*edited(file("modes.ts")), "x.ts")["foresee.mode_fixed"], std::string("dropout_default"));
        QCOMPARE(foreseen(*edited(file("modes.ts")), "x.json")["foresee.mode_fixed"], std::string("dropout_default"));
        auto without = edited(file("modes.ts"));
        const NodeId dropout = without->graph.find("dropout_default");
        without->graph.replaceAllUses(dropout, without->graph.prev(dropout));
        without->graph.erase(dropout);
        QVERIFY(!foreseen(*without, "x.ts").contains("foresee.mode_fixed"));
    }

    void attributes_areWritten_orNamed() {
        const auto before = openScript(file("modes.ts"));
        const std::string path = target("attributes.ts");
        WorkerClient worker(options());
        saveScript(worker, edited(file("modes.ts")), path, {}, false);
        const auto after = openScript(path);
        for (const char* name : {"classes", "scale", "nothing", "sizes", "pairs", "table", "tag"}) {
            const Argument *a = before->root->setting(name), *b = after->root->setting(name);
            QVERIFY2(a, name);
            QVERIFY2(b, name);
            QVERIFY2(*a == *b, name);
        }
        QCOMPARE(foreseen(*edited(file("modes.ts")), "x.ts")["foresee.attributes_lost"], std::string("listed"));
        auto other = edited(file("modes.ts"));
        other->root->attributes.emplace_back("mixed", Argument::list({Argument(1), Argument("a")}));
        QCOMPARE(foreseen(*other, "x.ts")["foresee.attributes_lost"], std::string("mixed, listed"));
        QCOMPARE(foreseen(*other, "x.json")["foresee.attributes_lost"], std::string("listed"));
        QVERIFY(foresee(*before, savedAs("x.ts")).empty()); // all is copied
    }

    void methods_areNamedInEveryFormat() {
        for (const char* path : {"x.ts", "x.json", "x.pt", "x/", "x.py", "x.lancet"})
            QCOMPARE(foreseen(*openScript(file("modes.ts") + "#second"), path)["foresee.methods_lost"],
                     std::string("forward"));
        QCOMPARE(foreseen(*openScript(file("modes.ts")), "x.json")["foresee.methods_lost"], std::string("second"));
        OpenOptions fixed;
        fixed.source.concrete = {{"by", Argument(3.0)}};
        QVERIFY(foreseen(*openScript(file("methods.ts") + "#encode", fixed), "x.ts").contains("foresee.methods_lost"));
    }

    void chosenMethod_isTheForwardOfTheFile() {
        const auto second = openScript(file("modes.ts") + "#second");
        QCOMPARE(foreseen(*second, "x.ts")["foresee.method_is_forward"], std::string("second"));
        const std::string path = target("second.ts");
        WorkerClient worker(options());
        saveScript(worker, second, path, {}, false);
        const auto again = openScript(path);
        QCOMPARE(again->modelNames, (std::vector<std::string>{"forward", "forward (operators only)"}));
        QCOMPARE(again->graph.size(), second->graph.size());
        const Error error = failure([&] { openScript(path + "#second"); });
        QVERIFY(error.message().is("script.no_method"));
    }

    void fileThatIsALayer_isWrittenByItsOperators() {
        const auto module = edited(file("conv_root.ts"));
        for (const Node& node : module->graph.nodes()) QVERIFY(node.op() != Op::CallModule);
        QVERIFY(foreseen(*module, "x.ts").empty()); // torch.nn's own methods are nobody's loss
        WorkerClient worker(options());
        RunRequest inputs;
        inputs.random = {{"input", {1, 2, 4}, "torch.float32", 0}};
        QVERIFY(saveScript(worker, module, target("conv.ts"), inputs, true).verified);
    }

    void traceWithSettings_givesWhatItReturns() {
        const auto module = edited(file("mixed.ts"));
        QCOMPARE(module->graph.node(module->graph.prev(module->graph.outputNode())).target(),
                 std::string("_operator.getitem")); // of what LSTM returns
        WorkerClient worker(options());
        RunRequest inputs;
        inputs.random = {{"x", {2, 1, 3}, "torch.float32", 0}};
        QVERIFY(saveScript(worker, module, target("mixed.ts"), inputs, true).verified);
    }

    void cellWithoutState_isAModule() {
        const auto module = edited(file("cell.ts"));
        const PathTarget cell = resolvePath(*module->root, "cell");
        QCOMPARE(cell.module->qualifiedType(), std::string("torch.nn.modules.rnn.LSTMCell"));
        WorkerClient worker(options());
        RunRequest inputs;
        inputs.random = {{"x", {4, 3}, "torch.float32", 0}};
        QVERIFY(saveScript(worker, module, target("cell.ts"), inputs, true).verified);
    }

    void removedFile_isStillCopied() {
        const std::string path = target("gone.ts"), copy = target("copy.ts");
        const QByteArray whole = content(file("modes.ts"));
        QVERIFY(QFile::copy(QString::fromStdString(file("modes.ts")), QString::fromStdString(path)));
        const auto module = openScript(path);
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        WorkerClient worker(options());
        saveScript(worker, module, copy, {}, true);
        QCOMPARE(content(copy), whole);
    }

    void fileWrittenOver_isNotCopiedInPart() {
        const std::string path = target("over.ts"), copy = target("none.ts");
        QVERIFY(QFile::copy(QString::fromStdString(file("modes.ts")), QString::fromStdString(path)));
        const auto module = openScript(path);
        QFile out(QString::fromStdString(path));
        QVERIFY(out.open(QIODevice::ReadWrite));
        QVERIFY(out.seek(out.size() - 1));
        QVERIFY(out.write("xx") == 2);
        out.close();
        WorkerClient worker(options());
        const Error error = failure([&] { saveScript(worker, module, copy, {}, true); });
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY(error.message().is("script.content_gone"));
        QVERIFY(!QFile::exists(QString::fromStdString(copy)));
    }

    void calledFile_isWhatItWasAtOpening() {
        const std::string path = target("called.ts"), other = target("calls.ts");
        const auto copyOf = [&](const char* name) {
            QFile::remove(QString::fromStdString(path));
            QVERIFY(QFile::copy(QString::fromStdString(file(name)), QString::fromStdString(path)));
        };
        copyOf("assigns.ts");
        const auto module = edited(path);
        QVERIFY(script::isScriptFile(*module->root->child("script")));
        QCOMPARE(foreseen(*module, "x.ts").count("foresee.file_is_module"), std::size_t{1});
        QCOMPARE(foreseen(*openScript(path), "x.ts").count("foresee.file_is_module"), std::size_t{0});
        WorkerClient worker(options());
        const auto save = [&](const std::string& to) { saveScript(worker, module, to, {}, false); };
        save(other);
        const Error over = failure([&] { save(path); }); // the model would call itself
        QCOMPARE(over.kind(), ErrorKind::Refused);
        QVERIFY(over.message().is("script.replaces_called"));
        QCOMPARE(content(path), content(file("assigns.ts")));
        RunRequest run;
        run.model = std::shared_ptr<const GraphModule>(module);
        run.random = {{"renamed", {3}, "torch.float32", 0}};
        worker.run(run);
        copyOf("traced.ts");
        for (const Error& error : {failure([&] { save(other); }), failure([&] { worker.run(run); })}) {
            QVERIFY2(error.message().is("script.called_file_changed"), error.what());
            QCOMPARE(error.file, path);
        }
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        QVERIFY(failure([&] { worker.run(run); }).message().is("script.called_file_gone"));
        copyOf("assigns.ts");
        worker.run(run);
    }

    /// Saved by a relative path, from another current folder; then with the folder moved; then alone.
    void calledFile_isFoundFromTheSavedModel_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("script");
        QTest::newRow("description") << "saved.json"
                                     << "assigns.ts";
        QTest::newRow("project") << "saved.lancet"
                                 << "assigns.ts";
        QTest::newRow("description with an object") << "saved.json"
                                                    << "sparse.ts";
        QTest::newRow("project with an object") << "saved.lancet"
                                                << "sparse.ts";
    }
    void calledFile_isFoundFromTheSavedModel() {
        QFETCH(QString, name);
        QFETCH(QString, script);
        const QTemporaryDir folder;
        const QString nets = folder.filePath("nets"), moved = folder.filePath("moved"), before = QDir::currentPath();
        QVERIFY(QDir().mkpath(nets));
        QVERIFY(QFile::copy(QString::fromStdString(file(script.toUtf8().constData())), nets + "/net.ts"));
        QVERIFY(QDir::setCurrent(nets));
        const auto back = qScopeGuard([&] { QDir::setCurrent(before); });
        const std::shared_ptr<const GraphModule> module = edited("net.ts");
        const std::string saved = name.toStdString();
        if (name.endsWith(".json")) saveDescription(*module, saved, true);
        else saveProject(projectOf(module), *module, saved, true);
        const auto namedFile = [](const GraphModule& model) {
            std::string path;
            forEachModule(*model.root, [&](const std::string&, const Module& each) {
                if (!script::isScriptFile(each) && !script::isFileObject(each)) return;
                path = script::scriptFilePath(each);
                QVERIFY(!each.attribute("relative_path")); // only in the file
            });
            return path;
        };
        QCOMPARE(namedFile(*module), (nets + "/net.ts").toStdString());
        QVERIFY(QDir::setCurrent("/"));
        QCOMPARE(namedFile(*openScript(nets.toStdString() + "/" + saved)), (nets + "/net.ts").toStdString());
        QVERIFY(QFile::rename(nets, moved));
        QVERIFY(QDir::setCurrent(moved));
        QCOMPARE(namedFile(*openScript(saved)), (moved + "/net.ts").toStdString());
        QVERIFY(QDir::setCurrent("/"));
        QVERIFY(QFile::rename(moved, nets));
        // Another file of that name beside the saved one is not it.
        QVERIFY(QDir().mkpath(moved));
        for (const QString& one : QDir(nets).entryList({"saved.*"}))
            QVERIFY(QFile::copy(nets + "/" + one, moved + "/" + one));
        QVERIFY(QFile::copy(QString::fromStdString(file("traced.ts")), moved + "/net.ts"));
        QCOMPARE(namedFile(*openScript(moved.toStdString() + "/" + saved)), (nets + "/net.ts").toStdString());
    }

    void scriptAsA_isJudgedByItsGraph_data() {
        QTest::addColumn<QByteArray>("a");
        QTest::addColumn<QByteArray>("b");
        QTest::addColumn<Verdict>("verdict");
        QTest::newRow("other small values")
            << QByteArray("root.ts") << QByteArray("root_epsilon.ts") << Verdict::Inconclusive;
        QTest::newRow("itself") << QByteArray("root.ts") << QByteArray("root.ts") << Verdict::Equal;
        QTest::newRow("changes its input")
            << QByteArray("overwrites.ts") << QByteArray("overwrites.ts") << Verdict::Equal;
        QTest::newRow("no graph") << QByteArray("assigns.ts") << QByteArray("assigns.ts") << Verdict::Equal;
    }
    void scriptAsA_isJudgedByItsGraph() {
        QFETCH(QByteArray, a);
        QFETCH(QByteArray, b);
        QFETCH(Verdict, verdict);
        WorkerClient worker(options());
        VerifyRequest request;
        request.run.model = file(a.constData()), request.other = file(b.constData());
        request.run.random = {{"x", {2, 8}, "torch.float32", 0}};
        const VerifyReport report = verify(worker, request, {}, {});
        QVERIFY2(report.verdict == verdict, report.reason.text().c_str());
        QVERIFY(report.nodesCompared > 0);
        request.run.model = std::shared_ptr<const GraphModule>(openScript(file(a.constData())));
        const VerifyReport graph = verify(worker, request, {}, {}); // as a .json of it
        QCOMPARE(report.verdict, graph.verdict);
        QCOMPARE(report.reason.text(), graph.reason.text());
    }

    void project_hasOneGraph() {
        const std::string path = target("modes.lancet");
        const std::shared_ptr<const GraphModule> module = openScript(file("modes.ts"));
        saveProject(projectOf(module), *module, path, true);
        QVERIFY(openScript(path)->modelNames.empty());
        QVERIFY(failure([&] { openScript(path + "#second"); }).message().is("open.project_has_one"));
    }
};

QTEST_GUILESS_MAIN(TestScriptKeeps)
#include "tst_script_keeps.moc"
