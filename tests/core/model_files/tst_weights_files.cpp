// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/io/tensors/choose_state_dict.h"
#include "core/io/trust.h"
#include "core/io/zip/zip_writer.h"
#include "core/model_files/load_weights.h"
#include "core/model_files/open.h"
#include "core/tensor/elements.h"

#include <QtTest>

using namespace fx;

/// What people keep weights in, loaded into the Net of tests/data/weights/net.py.
class TestWeightsFiles : public QObject {
    Q_OBJECT

    static std::string fixture(const QString& name) {
        return LANCET_SOURCE_DIR "/tests/data/weights/" + name.toStdString();
    }
    static std::shared_ptr<GraphModule> open(const QStringList& files, bool strict = true) {
        OpenOptions options;
        for (const QString& file : files) options.source.weightsFiles.push_back(fixture(file));
        options.source.strictWeights = strict;
        return openModel(fixture("net.py"), options);
    }
    static std::vector<double> values(const GraphModule& model, const char* path) {
        return elementValues(*resolvePath(*model.root, path).tensor);
    }
    static QStringList codes(const GraphModule& model) {
        QStringList out;
        for (const Warning& warning : model.warnings) out << QString::fromStdString(warning.what.code());
        return out;
    }
    static QString refusal(const QStringList& files, bool strict = true) {
        try {
            open(files, strict);
            return "loaded";
        } catch (const Error& error) { return QString::fromStdString(error.message().code() + ": ") + error.what(); }
    }

private Q_SLOTS:
    void weights_areFound_data() {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<double>("first");
        QTest::addColumn<QStringList>("warnings");
        const auto row = [](const QStringList& files, double first = 1, const QStringList& warnings = {}) {
            QTest::newRow(qPrintable(files.join(' '))) << files << first << warnings;
        };
        row({"whole.pth"}), row({"whole_old.pth"}), row({"state_dict_old.pth"}), row({"graph_module_old.pt"});
        row({"modules.pth"}), row({"list.pth"}), row({"same.pth"}), row({"others.pth"});
        row({"cuda.pth"}), row({"cuda_old.pth"}), row({"no_counter.pth"});
        row({"nested.pth"}, 1, {"make.state_dict_prefix"});
        row({"ema.pth#model"}), row({"ema.pth#ema"}, 11);
        row({"whole.pth", "ema.pth#ema"}, 11), row({"ema.pth#ema", "whole.pth"}, 1);
    }
    void weights_areFound() {
        QFETCH(QStringList, files);
        QFETCH(double, first);
        const auto model = open(files);
        QCOMPARE(values(*model, "fc.weight"), (std::vector<double>{first, first + 1}));
        QCOMPARE(values(*model, "fc.bias"), std::vector<double>{first + 2});
        QCOMPARE(resolvePath(*model->root, "fc.weight").tensor->device, std::string("cpu"));
        QTEST(codes(*model), "warnings");
    }

    void otherWeights_areRefused_data() {
        QTest::addColumn<QStringList>("files");
        QTest::addColumn<QString>("why");
        const auto row = [](const QStringList& files, const char* why) {
            QTest::newRow(qPrintable(files.join(' '))) << files << QString(why);
        };
        row({"ema.pth"}, "make.several_dicts: the state dicts 'model', 'ema' fit");
        row({"ema.pth#best"}, "make.unknown_dict: unknown state dict 'best'; the file has 'model', 'ema'");
        row({"fc.pth"}, "make.state_dict");
        row({"fc.pth", "bn.pth"}, "Unexpected key(s) in state_dict: \"extra\"");
        row({"meta.pth"}, "no values: \"fc.weight\"");
        row({"optimizer.pth"}, "tensors.not_weights: expected weights, got a dict of 2 entries");
        row({"sizes.pth"}, "make.state_dict_misfits: Error(s) in loading state_dict for Net: other shape: \"fc.bias\"");
        row({"complex.pth"}, "make.state_dict_misfits: Error(s) in loading state_dict for Net: other kind of values: "
                             "\"fc.bias\"");
        row({"net.py"}, "tensors.unreadable");
        row({"../torchscript/traced.ts"}, "tensors.of_script");
    }
    void otherWeights_areRefused() {
        QFETCH(QStringList, files);
        QFETCH(QString, why);
        const QString got = refusal(files);
        QVERIFY2(got.contains(why), qPrintable(got));
    }

    void notStrict_loadsWhatFits_andListsTheRest() {
        const auto model = open({"fc.pth"}, false);
        QCOMPARE(values(*model, "fc.bias"), std::vector<double>{3});
        QCOMPARE(values(*model, "bn.running_var"), std::vector<double>{1});
        QCOMPARE(codes(*model), QStringList({"make.weights_missing", "make.weights_left"}));
        QCOMPARE(model->warnings[0].what.argument("names"),
                 std::string(R"("bn.weight", "bn.bias", "bn.running_mean", "bn.running_var")"));
        QCOMPARE(model->warnings[1].what.argument("names"), std::string("\"extra\""));
        QVERIFY(refusal({"others.pth#discriminator"}, false).startsWith("loaded")); // nothing of it fits
        for (const char* file : {"meta.pth", "sizes.pth"}) { // which strict=False does not change
            const QString got = refusal({file}, false);
            QVERIFY2(got.startsWith("make.state_dict_misfits"), qPrintable(got));
        }
    }

    /// Models that have weights get others, as by `load_state_dict`.
    void models_takeOtherWeights_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("outcome");
        QTest::newRow("state dict") << "no_counter.pth"
                                    << "";
        QTest::newRow("module in a checkpoint") << "modules.pth"
                                                << "";
        QTest::newRow("wrapped") << "nested.pth"
                                 << "make.state_dict_prefix";
        QTest::newRow("several") << "ema.pth"
                                 << "make.several_dicts";
        QTest::newRow("part") << "fc.pth"
                              << "make.state_dict";
    }
    void models_takeOtherWeights() {
        QFETCH(QString, file);
        const auto model = openModel(fixture("graph_module_old.pt"));
        const std::shared_ptr<const Module> before = model->root;
        const auto weight = resolvePath(*before, "fc.weight").tensor;
        QString outcome;
        try {
            loadWeights(*model, {{fixture(file)}, true});
            outcome = codes(*model).join(' ');
            QCOMPARE(values(*model, "fc.weight"), (std::vector<double>{1, 2}));
            QVERIFY(resolvePath(*model->root, "fc.weight").tensor->isParameter);
        } catch (const Error& error) { outcome = QString::fromStdString(error.message().code()); }
        QTEST(outcome, "outcome");
        QCOMPARE(resolvePath(*before, "fc.weight").tensor, weight); // other versions keep theirs
    }

    void namesBesideAPrefix_areLeftOver() {
        const auto named = [](const char* name, std::int64_t size) {
            auto tensor = std::make_shared<TensorRef>();
            tensor->sizes = {size}, tensor->strides = {1};
            return std::pair<std::string, TensorPtr>(name, tensor);
        };
        const NamedTensors wanted{named("fc.weight", 2), named("fc.bias", 1)};
        const auto prefix = [&](NamedTensors given) {
            std::vector<StateDict> found(1);
            found[0].tensors = std::move(given);
            return chooseStateDict(found, {"w.pth", {}}, wanted).prefix;
        };
        QCOMPARE(prefix({named("model.fc.weight", 2), named("model.fc.bias", 1), named("loss.scale", 1)}),
                 std::string("model."));
        QCOMPARE(prefix({named("a.fc.weight", 2), named("a.fc.bias", 1), named("b.fc.weight", 2)}), std::string("a."));
        QCOMPARE(prefix({named("a.fc.weight", 2), named("b.fc.weight", 2)}), std::string()); // either
        QCOMPARE(prefix({named("model.fc.weight", 2), named("fc.bias", 1)}), std::string());
    }

    void modelsWithoutTensors_areRefused() {
        GraphModule model;
        try {
            loadWeights(model, {{fixture("fc.pth")}, true});
            QFAIL("loaded");
        } catch (const Error& error) { QCOMPARE(error.message().code(), std::string("make.no_own_tensors")); }
    }

    void damagedOldFile_isRefused() {
        QFile whole(QString::fromStdString(fixture("whole_old.pth")));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray bytes = whole.readAll();
        QTemporaryDir folder;
        const QString path = folder.filePath("cut.pth");
        const auto fails = [&](const QByteArray& content) {
            QFile file(path);
            if (!file.open(QIODevice::WriteOnly)) return false;
            file.write(content);
            file.close();
            try {
                readStateDicts(path.toStdString());
                return false;
            } catch (const Error& error) { return error.kind() == ErrorKind::File; }
        };
        for (qsizetype length = 40; length < bytes.size(); length += 97) QVERIFY(fails(bytes.left(length)));
        QByteArray other = bytes;
        other.replace("little_endian\x71", "little_indian\x71"); // not said: it is little-endian
        QVERIFY(!fails(other));
        int failures = 0;
        for (qsizetype at = bytes.size() - 40; at < bytes.size(); ++at) { // elements, and the counts before them
            other = bytes;
            other[at] = '\x7f';
            failures += fails(other);
        }
        QVERIFY(failures > 7);
        QVERIFY(failures < 40);
    }

    void trustCard_ofFiles_data() {
        QTest::addColumn<bool>("loads");
        QTest::addColumn<QString>("outside");
        QTest::addColumn<int>("texts");
        QTest::newRow("no_counter.pth") << true << "" << 0;
        QTest::newRow("state_dict_old.pth") << true << "" << 0;
        QTest::newRow("ema.pth") << true << "" << 0;
        QTest::newRow("whole.pth") << false << "net.Net" << 0;
        QTest::newRow("whole_old.pth") << false << "net.Net" << 0;
        QTest::newRow("graph_module_old.pt") << false << "" << 1;
    }
    void trustCard_ofFiles() {
        const TrustCard card = trustCard(fixture(QTest::currentDataTag()));
        QTEST(!card.refusal, "loads");
        QStringList outside;
        for (const std::string& name : card.outsideTorch) outside << QString::fromStdString(name);
        QTEST(outside.join(' '), "outside");
        QTEST(static_cast<int>(card.texts), "texts");
        QVERIFY(!card.imports.empty());
    }

    /// Methods that Python calls without a REDUCE, and what comes before a problem.
    void methods_areCalls_data() {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QString>("calls");
        QTest::addColumn<bool>("isRead");
        const auto row = [](const char* name, const QByteArray& pickle, const char* calls, bool isRead = true) {
            QTest::newRow(name) << pickle << calls << isRead;
        };
        const QByteArray made("cnet\nOwn\n)\x81");
        row("append", made + "K\1a.", "net.Own, net.Own(…).extend or append");
        row("items", made + "(NNNNu.", "net.Own, net.Own(…).__setitem__");
        row("nothing", made + "(u.", "net.Own");
        row("state", made + "}b}b.", "net.Own, net.Own(…).__setstate__");
        row("slots", made + "N}\x86" + "b.", "net.Own, net.Own(…).__setstate__, net.Own(…).__setattr__");
        row("set", made + "(N\x90.", "net.Own, net.Own(…).add");
        row("key", "}" + made + "\x85Ns.", "net.Own, net.Own(…).__hash__");
        row("imported", "csys\npath\nNa.", "sys.path.extend or append");
        row("environment", "cos\nenviron\nNNs.", "os.environ.__setitem__");
        row("old class", "(inet\nOwn\n}b.", "net.Own, net.Own(…).__setstate__");
        row("garbage", "cos\nsystem\nN\x85R\xff", "os.system", false);
        row("extension", "cos\nsystem\nN\x85R\x82\1.", "os.system", false);
    }
    void methods_areCalls() {
        QFETCH(QByteArray, pickle);
        const QTemporaryDir folder;
        QFile file(folder.filePath("model.pt")); // torch.load unpickles a file without a header, too
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(pickle);
        file.close();
        const TrustCard card = trustCard(file.fileName().toStdString());
        QStringList calls;
        for (const std::string& call : card.calls) calls << QString::fromStdString(call);
        QTEST(calls.join(", "), "calls");
        QTEST(card.unread.empty(), "isRead");
        QVERIFY(card.refusal);
    }

    void folders_areCode_andTheirFiles() {
        const QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& content) {
            QFile file(folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
            file.write(content);
        };
        write("module.py", "import torch\n"), write("b.pt", "cos\nsystem\n)R."), write("a.pt", "N.");
        const TrustCard card = trustCard(folder.path().toStdString());
        QCOMPARE(card.pickles, (std::vector<std::string>{"a.pt: pickle", "b.pt: pickle"}));
        QCOMPARE(card.calls, std::vector<std::string>{"os.system"});
        QCOMPARE(card.texts, 1u);
        QCOMPARE(card.refusal->code(), std::string("trust.folder"));
    }

    void otherFiles_areNoPickles_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("code");
        QByteArray tar(512, '\0');
        tar.replace(0, 6, "pickle"), tar.replace(148, 8, QByteArray(8, ' '));
        int sum = 0;
        for (const char c : tar) sum += static_cast<unsigned char>(c);
        tar.replace(148, 7, QByteArray::number(sum, 8).rightJustified(6, '0') + '\0');
        QTest::newRow("tar") << tar << "trust.tar";
        QTest::newRow("source") << QByteArray("import torch\nclass A:\n    pass\n") << "io.not_a_model";
        QTest::newRow("json") << QByteArray("{\"a\": 1}") << "trust.not_loaded";
    }
    void otherFiles_areNoPickles() {
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        QFile file(folder.filePath("file.bin"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QString code;
        try {
            trustCard(file.fileName().toStdString());
        } catch (const Error& error) { code = QString::fromStdString(error.message().code()); }
        QTEST(code, "code");
    }

    /// What PyTorch would read otherwise than it looks.
    void hiddenPickles_areSeenOrRefused_data() {
        QTest::addColumn<QList<QByteArray>>("members"); // names and contents
        QTest::addColumn<QString>("outside");
        QTest::addColumn<QString>("refused");
        const QByteArray plain("\x80\x02}q\0.", 6);
        const auto pickle = [](const char* module, const char* name) { // protocol 4: STACK_GLOBAL of two texts
            const auto text = [](const char* each) {
                return QByteArray("\x8c") + static_cast<char>(qstrlen(each)) + each;
            };
            return QByteArray("\x80\x04") + text(module) + text(name) + "\x93.";
        };
        using Members = QList<QByteArray>;
        QTest::newRow("plain") << Members{"a/data.pkl", plain, "a/version", "3"} << ""
                               << "";
        QTest::newRow("out of torch") << Members{"a/data.pkl", pickle("torch.serialization", "os.system"), "a/version",
                                                 "3"}
                                      << "torch.serialization.os.system"
                                      << "";
        QTest::newRow("of torch") << Members{"a/data.pkl", pickle("torch.nn.modules.linear", "Linear"), "a/version",
                                             "3"}
                                  << ""
                                  << "";
        QTest::newRow("of a project") << Members{"lancet.json", "{}", "data.pkl", pickle("os", "system")} << "os.system"
                                      << "";
        QTest::newRow("two") << Members{"a/data.pkl", plain, "a/data.pkl", plain, "a/version", "3"} << ""
                             << "zip.refused";
        QTest::newRow("other letters") << Members{"a/DATA.pkl", plain, "a/data.pkl", plain, "a/version", "3"} << ""
                                       << "zip.refused";
        QTest::newRow("payload")
            << Members{"a/archive_format", "pt2", "a/models/model.json", "{}", "a/data/sample_inputs/model.pt", plain}
            << ""
            << "trust.payload";
    }
    void hiddenPickles_areSeenOrRefused() {
        QFETCH(const QList<QByteArray>, members);
        QTemporaryDir folder;
        const QString path = folder.filePath("model.pt");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        ZipWriter zip([&](std::string_view part) { file.write(part.data(), static_cast<qint64>(part.size())); });
        for (qsizetype i = 0; i < members.size(); i += 2)
            zip.add(members[i].toStdString(), {members[i + 1].data(), static_cast<std::size_t>(members[i + 1].size())});
        zip.finish();
        file.close();
        QStringList outside;
        QString refused;
        try {
            for (const std::string& name : trustCard(path.toStdString()).outsideTorch)
                outside << QString::fromStdString(name);
        } catch (const Error& error) { refused = QString::fromStdString(error.message().code()); }
        QTEST(refused, "refused");
        QTEST(outside.join(' '), "outside");
    }
};

QTEST_GUILESS_MAIN(TestWeightsFiles)
#include "tst_weights_files.moc"
