// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs that change, compare and cut models: what they answer, and with which exit code.
#include "program.h"

#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

class TestCliEdits : public QObject {
    Q_OBJECT
private:
    static QStringList keys(const QJsonObject& object) { return object.keys(); } // sorted
    static QStringList texts(const QJsonValue& array) {
        QStringList list;
        for (const auto& value : array.toArray()) list << value.toString();
        return list;
    }

private Q_SLOTS:
    void asPython_isAScript() {
        const Run run = lancet({"apply", sample("simple_net.pt"), sample("recipe.json"), "--as-python"});
        QCOMPARE(run.exit, 0);
        QVERIFY(
            run.out.contains("graph.create_node(\"call_function\", torch.clamp, (node(\"relu\"),), {\"max\": 6.0})"));
        const Run json =
            lancet({"edit", sample("simple_net.pt"), "--step", R"({"step": "dead_code"})", "--as-python", "--json"});
        QVERIFY(json.json()["python"].toString().contains("graph.eliminate_dead_code()\n"));
        QCOMPARE(lancet({"apply", sample("simple_net.pt"), sample("recipe.json"), "--as-python", "-o", "x.pt"}).exit,
                 2);
        QCOMPARE(
            lancet({"edit", sample("simple_net.pt"), "--step", R"({"step": "erase", "node": "conv"})", "--as-python"})
                .exit,
            4);
    }

    void refusals_leaveWhatIsThere_andJsonTellsWhatStderrDoes() {
        const QTemporaryDir folder;
        const QString export_ = LANCET_SOURCE_DIR "/tests/data/pt2/tied.pt2";
        QCOMPARE(lancet({"edit", export_, "--step", R"({"step": "set_training", "value": true})", "-o",
                         folder.filePath("x.pt2")})
                     .exit,
                 4);
        QVERIFY(!QFile::exists(folder.filePath("x.pt2")));
        // A file that defines no replacement replaces nothing by nothing.
        QFile pattern(folder.filePath("p.py"));
        QVERIFY(pattern.open(QIODevice::WriteOnly));
        pattern.write("import torch\n\ndef pattern(x):\n    return torch.flatten(x, 1)\n");
        pattern.close();
        const Run alone = lancet(
            {"replace", sample("simple_net.pt"), "--pattern", pattern.fileName(), "-o", folder.filePath("x.pt")});
        QCOMPARE(alone.exit, 2);
        QVERIFY2(alone.error.contains("unknown function or class 'replacement' in the file"), alone.error);
        const Run shape = lancet({"edit", sample("simple_net.pt"), "--step",
                                  R"({"step": "set_tensor", "path": "linear.bias", "value": [1, 2]})", "-o",
                                  folder.filePath("x.pt"), "--json"});
        QVERIFY2(shape.exit == 0, shape.error);
        QVERIFY(shape.json()["warnings"].toArray()[0].toObject()["what"].toString().contains(
            "had shape [10] and now has [2]"));
    }

    void diff_answers() {
        const QTemporaryDir folder;
        const QString other = folder.filePath("other.json");
        const Run same = lancet({"diff", sample("resnet.pt"), sample("resnet.pt"), "--json"});
        QCOMPARE(same.exit, 0);
        QCOMPARE(keys(same.json()),
                 (QStringList{"added", "changed", "modules", "no_counterpart", "removed", "tensors"}));
        for (const auto& value : same.json()) QVERIFY(value.toArray().isEmpty());
        QCOMPARE(lancet({"edit", sample("simple_net.pt"), "--step",
                         R"({"step": "rename", "node": "relu", "name": "act"})", "-o", other})
                     .exit,
                 0);
        const Run differs = lancet({"diff", sample("simple_net.pt"), other, "--json"});
        QCOMPARE(differs.exit, 1);
        const QJsonObject change = differs.json()["changed"].toArray().at(0).toObject();
        QCOMPARE(change["a"].toString(), "relu");
        QCOMPARE(change["b"].toString(), "act");
        QCOMPARE(texts(change["what"]), QStringList("name"));
        QVERIFY(lancet({"diff", sample("simple_net.pt"), other}).out.contains("~ relu -> act: name\n"));
        QCOMPARE(lancet({"diff", sample("simple_net.pt")}).exit, 2);
        QCOMPARE(lancet({"diff", sample("simple_net.pt"), "nowhere.pt"}).exit, 3);
    }

    void warnings_ofOneFileTwice_areToldOnce() {
        const QString path = LANCET_SOURCE_DIR "/tests/data/graphmodule/deflated.pt";
        const Run run = lancet({"diff", path, path});
        QCOMPARE(run.exit, 0);
        QCOMPARE(run.error.count("lancet: warning: "), 1);
    }

    void weights_ofSeveralFiles_areLoaded() {
        const QString folder = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/weights/");
        const auto info = [&](const QStringList& options) {
            return lancet(QStringList{"info", folder + "net.py:Net", "--json"} << options);
        };
        QCOMPARE(info({"--weights", folder + "whole_old.pth"}).exit, 0);
        const Run several = info({"--weights", folder + "ema.pth"});
        QCOMPARE(several.exit, 4);
        QCOMPARE(several.json()["error"].toObject()["code"].toString(), QStringLiteral("make.several_dicts"));
        QCOMPARE(info({"--weights", folder + "ema.pth#ema"}).exit, 0);
        const Run parts = info({"--weights", folder + "bn.pth", "--weights", folder + "fc.pth"});
        QCOMPARE(parts.json()["error"].toObject()["code"].toString(), QStringLiteral("make.state_dict"));
        const Run loose = info({"--weights", folder + "bn.pth", "--weights", folder + "fc.pth", "--no-strict"});
        QCOMPARE(loose.exit, 0);
        QCOMPARE(loose.json()["warnings"].toArray()[0].toObject()["code"].toString(),
                 QStringLiteral("make.weights_left"));
        QCOMPARE(info({"--no-strict"}).exit, 2);
    }

    /// The sandbox that follows the source may read this file of the folder.
    void weights_ofAFolder_areLoadedIntoSource() {
        const QString folder = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/weights/");
        const QTemporaryDir place;
        const QString saved = place.filePath("saved/");
        QCOMPARE(lancet({"convert", folder + "graph_module_old.pt", "-o", saved}).exit, 0);
        const Run loaded = lancet({"info", folder + "net.py:Net", "--weights", saved, "--json"});
        QVERIFY2(loaded.exit == 0, loaded.error + loaded.out);
    }

    /// A hint names no option that would not help.
    void weights_thatFitInNoWay_haveNoHintOfStrict() {
        const QString folder = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/weights/");
        const auto refused = [&](const char* file) {
            return lancet({"info", folder + "net.py:Net", "--weights", folder + QLatin1String(file)}).error;
        };
        QVERIFY(refused("fc.pth").contains("--no-strict"));
        QVERIFY2(!refused("sizes.pth").contains("--no-strict"), refused("sizes.pth"));
        QVERIFY2(!refused("optimizer.pth").contains("symbolic_trace"), refused("optimizer.pth"));
    }

    void weights_areLoadedIntoFiles() {
        const QString folder = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/weights/");
        const QString model = folder + "graph_module_old.pt";
        const auto code = [](const Run& run) { return run.json()["error"].toObject()["code"].toString(); };
        QCOMPARE(code(lancet({"info", model, "--weights", folder + "fc.pth", "--json"})), QString("make.state_dict"));
        QCOMPARE(code(lancet({"run", model, "--weights", folder + "fc.pth", "--json"})), QString("make.state_dict"));
        const QString ema = folder + "ema.pth#ema", whole = folder + "whole.pth";
        QCOMPARE(lancet({"diff", model, model, "--weights", ema}).exit, 0); // both have them
        const Run other = lancet({"diff", model, folder + "net.py:Net", "--weights", ema, "--json"});
        QCOMPARE(other.exit, 1); // only the source has them
        QVERIFY2(other.error.contains("those of --weights are loaded into Python source only"), other.error);
        QCOMPARE(lancet({"match", model, "--pattern", model, "--weights", whole, "--json"}).exit, 0);
    }

    void tables_ofOtherOutputs_areKept() {
        const QTemporaryDir folder;
        const QString net = sample("simple_net.pt"), table = folder.filePath("bug.names.json");
        const auto anonymize = [&](const char* output) {
            return lancet({"anonymize", net, "-o", folder.filePath(output), "--json"});
        };
        QCOMPARE(anonymize("bug.pt").exit, 0);
        const QByteArray first = contentOf(table);
        QVERIFY(first.contains("\"of\": \"bug.pt\""));
        QCOMPARE(anonymize("bug.pt").exit, 0); // again
        const Run other = anonymize("bug.json");
        QCOMPARE(other.exit, 2);
        QCOMPARE(other.json()["error"].toObject()["code"].toString(), QStringLiteral("cli.table_exists"));
        QVERIFY(QFile::copy(folder.filePath("bug.pt"), folder.filePath("bug.json"))); // it exists: still not its table
        QCOMPARE(anonymize("bug.json").exit, 2);
        QVERIFY(contentOf(table).contains("\"of\": \"bug.pt\""));
    }

    void extract_writesAModel() {
        const QTemporaryDir folder;
        const QString part = folder.filePath("part.pt");
        const Run run = lancet({"extract", sample("resnet.pt"), "--nodes", "layer1_0_conv1,layer1_0_bn1", "--nodes",
                                "layer1_0_relu", "-o", part, "--json"});
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(keys(run.json()), (QStringList{"inputs", "nodes", "outputs", "verified", "warnings", "written"}));
        QCOMPARE(texts(run.json()["inputs"]), QStringList("maxpool"));
        QCOMPARE(texts(run.json()["outputs"]), QStringList("layer1_0_relu"));
        QVERIFY(run.json()["verified"].toBool());
        QCOMPARE(lancet({"info", part, "--json"}).json()["modules"].toInt(),
                 5); // layer1, layer1.0 and three of its children
        QCOMPARE(lancet({"extract", sample("resnet.pt"), "--nodes", "nope", "--json"}).exit, 4);
        QCOMPARE(lancet({"extract", sample("resnet.pt")}).exit, 2);
    }

    void pass_answers() {
        const QTemporaryDir folder;
        const QString out = folder.filePath("out.pt");
        const Run run = lancet({"pass", sample("simple_net.pt"), "normalize_args={\"only_kwargs\": true}", "dead_code",
                                "-o", out, "--json"});
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(keys(run.json()), (QStringList{"changed", "created", "erased", "verified", "warnings", "written"}));
        QVERIFY(QFile::exists(out));
        QVERIFY(run.json()["verified"].toBool());
        const QString other = folder.filePath("other.pt");
        const Run nothing = lancet({"pass", sample("simple_net.pt"), "cse", "-o", other, "--json"});
        QCOMPARE(nothing.exit, 1);
        QVERIFY(nothing.json()["written"].isNull());
        QVERIFY(!QFile::exists(other));
        QVERIFY(
            lancet({"pass", sample("simple_net.pt"), "normalise_args"}).error.contains("did you mean normalize_args"));
        QCOMPARE(lancet({"pass", sample("simple_net.pt"), "normalise_args"}).exit, 2);
        QCOMPARE(lancet({"pass", sample("simple_net.pt"), "cse={"}).exit, 2);
        QCOMPARE(
            lancet({"pass", sample("simple_net.pt"), "optimize_for_inference={\"mkldnn_layout_optimize\": true}"}).exit,
            4);
        QCOMPARE(lancet({"pass", sample("simple_net.pt")}).exit, 2);
        const Run cycle = lancet({"pass", sample("simple_net.pt"), "cse", "dead_code", "--constraint", "cse:dead_code",
                                  "--constraint", "dead_code:cse"});
        QCOMPARE(cycle.exit, 4);
        QVERIFY2(cycle.error.contains("before dead_code before cse") ||
                     cycle.error.contains("before cse before dead_code"),
                 qPrintable(cycle.error));
        const Run limited =
            lancet({"pass", sample("simple_net.pt"), "normalize_args", "--rewrites", "1", "--trace", "rewrites"});
        QCOMPARE(limited.error.count("normalize_args, rewrite 1"), 1);
        QVERIFY2(limited.error.contains(", 1 rewrite,"), qPrintable(limited.error));
        const QJsonArray passes = lancet({"passes", "--json"}).json()["passes"].toArray();
        QVERIFY(passes.size() >= 10);
        QCOMPARE(keys(passes[1].toObject()), (QStringList{"about", "available", "name", "settings"}));
    }
};

QTEST_APPLESS_MAIN(TestCliEdits)
#include "tst_cli_edits.moc"
