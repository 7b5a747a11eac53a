// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.h"
#include "tests/app/cli/quantize_fixture.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

/// quantize: what is written, compared and warned of.
class TestCliQuantize : public QuantizeFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { startUp(); }

    void batchThatDoesNotFit_isExplained() {
        const auto refused = [&](const char* input) {
            const Run run = lancet({"quantize", m_folder.filePath("net.py:Net"), "--input", input, "-o",
                                    m_folder.filePath("refused.json"), "--json"});
            return run.exit == 5 ? run.json()["error"].toObject()["hint"].toString() : QString("accepted");
        };
        QCOMPARE(
            refused("x=4x8:float64"),
            QString("input 'x' is torch.float64 and the weights are torch.float32: give batches of torch.float32"));
        QCOMPARE(refused("x=4x8:int64<9>"),
                 QString("input 'x' is torch.int64 and the weights are torch.float32: give batches of torch.float32"));
        // A shape that the model does not take
        QCOMPARE(refused("x=4x9"), QString("the batch is x torch.float32[4, 9]: give batches of the shapes and "
                                           "values that the model takes"));
    }

    void misnamedInputs_areNamed() {
        const QString file = m_folder.filePath("batches.safetensors");
        const auto refused = [&](const QByteArray& name) { // one tensor of 4 × 8 zeros
            const QByteArray header = "{\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[4,8],\"data_offsets\":[0,128]}}";
            QByteArray size(8, '\0');
            size[0] = static_cast<char>(header.size());
            QFile out(file);
            if (!out.open(QIODevice::WriteOnly)) return QString("cannot write");
            out.write(size + header + QByteArray(128, '\0'));
            out.close();
            const Run run = lancet({"quantize", m_folder.filePath("net.py:Net"), "--inputs", file, "-o",
                                    m_folder.filePath("named.json"), "--json"});
            return run.exit == 0 ? QString("accepted") : run.json()["error"].toObject()["code"].toString();
        };
        QCOMPARE(refused("x"), QString("accepted"));
        QCOMPARE(refused("y"), QString("worker.unknown_input"));
        put(m_folder.filePath("words.npy"), "hello");
        const Run run = lancet({"quantize", m_folder.filePath("net.py:Net"), "--inputs", m_folder.filePath("words.npy"),
                                "-o", m_folder.filePath("named.json"), "--json"});
        QCOMPARE(run.json()["error"].toObject()["code"].toString(), QString("tensors.unreadable"));
    }

    void recordingObserver_isRefused_andPreservedLayersStayQuantised() {
        const QString debug = R"({"base": "none", "": "default_debug_qconfig"})";
        const Run refused = lancet(net({"--qconfig", debug}));
        QCOMPARE(refused.exit, 4);
        QCOMPARE(refused.json()["error"].toObject()["code"].toString(), QString("quant.recording"));
        QCOMPARE(lancet(net({"--qconfig", debug, "--prepared"})).exit, 0);
        // As without the setting: the graph calls "a", which conversion has replaced.
        const Run kept = lancet(net({"--qconfig", R"({"prepare_custom_config": {"preserved_attributes": ["a"]}})"}));
        QVERIFY2(kept.exit == 0, kept.error);
        for (const auto& module : kept.json()["modules"].toArray())
            if (module.toObject()["path"] == "a") QVERIFY(module.toObject()["type"].toString().contains("quantized"));
    }

    void rulesInline_areErrorsOfTheCommandLine() {
        const Run cut = lancet(net({"--qconfig", "{bad"}));
        QCOMPARE(cut.exit, 2);
        QVERIFY2(cut.json()["error"].toObject()["where"].toString().startsWith("--qconfig, line 1"), cut.error);
        QCOMPARE(lancet(net({"--qconfig", "[]"})).exit, 2);
        QVERIFY(codes(lancet(net({"--qconfig", "null"}))).contains("quant.nothing_quantised"));
        const Run unknown = lancet(net({"--qconfig", R"({"": "no_qconfig"})"}));
        QCOMPARE(unknown.exit, 2);
        QCOMPARE(unknown.json()["error"].toObject()["code"].toString(), QString("quant.unknown_qconfig"));
        put(m_folder.filePath("bad.json"), "{bad");
        QCOMPARE(lancet(net({"--qconfig", m_folder.filePath("bad.json")})).exit, 3);
    }

    void trainedWeights_areConvertedInEvalMode() {
        const QString source = m_folder.filePath("drop.py:Net"), prepared = m_folder.filePath("prepared.json");
        put(m_folder.filePath("drop.py"), "import torch\nfrom torch import nn\n"
                                          "class Net(nn.Module):\n"
                                          "    def __init__(self):\n"
                                          "        super().__init__()\n"
                                          "        self.a = nn.Linear(8, 16); self.drop = nn.Dropout(0.5)\n"
                                          "    def forward(self, x):\n"
                                          "        return torch.sin(self.drop(torch.sin(self.a(x))))\n");
        const Run first = lancet({"quantize", source, "--mode", "qat", "--prepared", "-o", prepared, "--json"});
        QVERIFY2(first.exit == 0, first.error);
        const QString state = m_folder.filePath("prepared.safetensors"), converted = m_folder.filePath("trained.json");
        const QStringList convert{"quantize", source, "--weights", state, "-o", converted, "--json"};
        const Run second = lancet(convert + QStringList{"--mode", "qat", "--input", "x=4x8", "--report",
                                                        m_folder.filePath("trained_report.json")});
        QVERIFY2(second.exit == 0, second.error);
        QVERIFY(!codes(second).contains("quant.was_eval"));
        QVERIFY(!codes(second).contains("quant.ignored_inputs"));
        QVERIFY(!codes(second).contains("quant.untrained"));
        // against the weights that were trained, not those of the source
        const QJsonObject report =
            QJsonDocument::fromJson(contentOf(m_folder.filePath("trained_report.json"))).object();
        QVERIFY(!report["layers"].toArray().isEmpty());
        QVERIFY(report["output"].isObject());
        QVERIFY(contentOf(converted).contains("\"training\": false"));
        QVERIFY(!contentOf(prepared).contains("\"training\": false"));
        // State dicts that would have no effect
        QCOMPARE(lancet(convert).json()["error"].toObject()["code"].toString(), QString("quant.trained_mode"));
        const Run file = lancet({"quantize", prepared, "--mode", "qat", "--weights",
                                 m_folder.filePath("batches.safetensors"), "-o", converted, "--json"});
        QCOMPARE(file.json()["error"].toObject()["code"].toString(), QString("make.state_dict"));
    }

    /// What saw its data elsewhere is converted as what is calibrated here, from the state dict or the prepared model.
    void calibratedWeights_areConverted_data() {
        QTest::addColumn<QString>("weights");
        QTest::newRow("state dict") << "seen.safetensors";
        QTest::newRow("model") << "seen.pt";
    }
    void calibratedWeights_areConverted() {
        QFETCH(QString, weights);
        for (const char* file : {"seen.json", "seen.pt"}) {
            const Run seen = lancet(net({"--prepared", "-o", m_folder.filePath(file)}));
            QVERIFY2(seen.exit == 0, seen.error);
            QCOMPARE(codes(seen).contains("quant.prepared_file"), QString(file).endsWith(".pt"));
        }
        const Run direct = lancet(net({"-o", m_folder.filePath("direct.json")}));
        QVERIFY2(direct.exit == 0, direct.error);
        const QStringList convert{"quantize", m_folder.filePath("net.py:Net"), "--weights", m_folder.filePath(weights),
                                  "--json"};
        const Run run = lancet(convert + QStringList{"-o", m_folder.filePath("converted.json")});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(!codes(run).contains("quant.random_inputs"));
        QCOMPARE(contentOf(m_folder.filePath("converted.safetensors")),
                 contentOf(m_folder.filePath("direct.safetensors")));
        // A scan would measure the layers of the source, which has none of these weights.
        const Run scan = lancet(convert + QStringList{"--scan"});
        QCOMPARE(scan.exit, 4);
        QCOMPARE(scan.json()["error"].toObject()["code"].toString(), QString("quant.scan_form"));
        const Run other = lancet(convert + QStringList{"--qconfig", R"({"base": "none", "": null})"});
        QCOMPARE(other.json()["error"].toObject()["code"].toString(), QString("quant.trained_other"));
    }

    void warnings_nameRulesAndDataWithoutEffect() {
        const QByteArray header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[4,8],\"data_offsets\":[0,128]}}";
        QByteArray size(8, '\0');
        size[0] = static_cast<char>(header.size());
        put(m_folder.filePath("zeros.safetensors"), size + header + QByteArray(128, '\0'));
        const Run run = lancet(
            {"quantize", m_folder.filePath("net.py:Net"), "--inputs", m_folder.filePath("zeros.safetensors"),
             "--qconfig", R"({"module_name": [["d", null]]})", "--report", m_folder.filePath("zeros.json"), "--json"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(codes(run).contains("quant.idle_rule"));
        QVERIFY(codes(run).contains("quant.saw_one_value"));
        const Run nothing = lancet({"quantize", m_folder.filePath("net.py:Net"), "--mode", "weight-only", "--json"});
        QVERIFY(codes(nothing).contains("quant.nothing_quantised"));
        const Run dynamic = lancet(net({"--mode", "dynamic", "--report", m_folder.filePath("dynamic.json")}));
        QVERIFY(codes(dynamic).contains("quant.random_comparison"));
    }

    /// A prepared model that saw nothing is converted with scales of 1, in the modes with observers.
    void uncalibratedModel_isWarnedOf_data() {
        QTest::addColumn<QString>("mode");
        QTest::newRow("static") << "static";
        QTest::newRow("qat") << "qat";
    }
    void uncalibratedModel_isWarnedOf() {
        QFETCH(QString, mode);
        const QString source = m_folder.filePath("net.py:Net"), prepared = m_folder.filePath("unseen.pt"),
                      report = m_folder.filePath("unseen_report.json");
        const Run first = lancet({"quantize", source, "--mode", mode, "--prepared", "-o", prepared, "--json"});
        QVERIFY2(first.exit == 0, first.error);
        QStringList convert{"quantize", source, "--mode", mode, "--weights", prepared, "--json"};
        QVERIFY(codes(lancet(convert)).contains("quant.saw_nothing"));
        if (mode == "qat") return; // is not compared
        convert += {"--input", "x=4x8", "--report", report};
        QVERIFY(codes(lancet(convert)).contains("quant.lost_output"));
    }

    /// What rules ask for decides, not the mode.
    void staticRules_ofTheModeDynamic_areCalibrated() {
        const Run run =
            lancet(net({"--mode", "dynamic", "--qconfig", "default_qconfig", "-o", m_folder.filePath("dynamic.ts")}));
        QVERIFY2(run.exit == 0, run.error);
        QCOMPARE(run.json()["batches"].toInt(), 8);
        QVERIFY(run.json()["verified"].toBool());
        QVERIFY(!codes(run).contains("quant.saw_nothing"));
        const Run plain = lancet(net({"--mode", "dynamic"}));
        QVERIFY(!plain.json().contains("batches"));
    }

    void model_isNotOverwritten() {
        const QString model = m_folder.filePath("kept.json"), link = m_folder.filePath("link.json");
        const Run traced = lancet({"trace", m_folder.filePath("net.py:Net"), "-o", model});
        QVERIFY2(traced.exit == 0, traced.error);
        QVERIFY(QFile::link(model, link));
        const QByteArray graph = contentOf(model), weights = contentOf(m_folder.filePath("kept.safetensors"));
        for (const QStringList& files : {QStringList{model, model}, {link, model}, {model, link}}) {
            const Run run = lancet({"quantize", files[0], "--mode", "dynamic", "-o", files[1], "--json"});
            QCOMPARE(run.exit, 2);
            QCOMPARE(run.json()["error"].toObject()["code"].toString(), QString("cli.output_is_model"));
        }
        QCOMPARE(contentOf(model), graph);
        QCOMPARE(contentOf(m_folder.filePath("kept.safetensors")), weights);
    }

    /// A written program is run with the first batch of the calibration.
    void writtenProgram_isComparedOnTheDataGiven() {
        const QString file = m_folder.filePath("one.safetensors");
        const QByteArray header = "{\"x\":{\"dtype\":\"F32\",\"shape\":[4,8],\"data_offsets\":[0,128]}}";
        QByteArray size(8, '\0');
        size[0] = static_cast<char>(header.size());
        put(file, size + header + QByteArray(128, '\0'));
        const QStringList start{"quantize", m_folder.filePath("net.py:Net"), "--json"};
        for (const QStringList& inputs : {QStringList{"--inputs", file}, {"--input", "x=4x8"}}) {
            const Run run = lancet(start + inputs + QStringList{"-o", m_folder.filePath("compared.ts")});
            QVERIFY2(run.exit == 0, run.error);
            QVERIFY(run.json()["verified"].toBool());
            QVERIFY(!codes(run).contains("script.not_compared"));
        }
        // An option is named where the verb has it
        const QString image = m_folder.filePath("image.py:Net");
        put(m_folder.filePath("image.py"), "import torch\nfrom torch import nn\n"
                                           "class Net(nn.Module):\n"
                                           "    def __init__(self):\n"
                                           "        super().__init__()\n"
                                           "        self.a = nn.Conv2d(3, 4, 3)\n"
                                           "    def forward(self, x):\n"
                                           "        return torch.relu(self.a(x))\n");
        const Run without = lancet({"quantize", image, "--mode", "dynamic", "-o", m_folder.filePath("other.ts")});
        QVERIFY2(without.error.contains("give inputs with --inputs"), without.error);
        const Run edited =
            lancet({"edit", image, "--step", R"({"step": "set_target", "node": "relu", "target": "torch.abs"})", "-o",
                    m_folder.filePath("edited.ts")});
        QVERIFY2(edited.exit == 0, edited.error);
        QVERIFY2(edited.error.contains("its results were not compared"), edited.error);
        QVERIFY2(!edited.error.contains("--inputs"), edited.error);
    }

    void qatWithoutTraining_isWarnedOfAndMeasured() {
        put(m_folder.filePath("norm.py"), "import torch\nfrom torch import nn\n"
                                          "class Net(nn.Module):\n"
                                          "    def __init__(self):\n"
                                          "        super().__init__()\n"
                                          "        self.a = nn.Conv1d(4, 8, 1); self.n = nn.BatchNorm1d(8)\n"
                                          "        self.b = nn.Linear(8, 4)\n"
                                          "    def forward(self, x):\n"
                                          "        return self.b(self.n(self.a(x)))\n");
        const QString report = m_folder.filePath("norm_report.json");
        const Run run = lancet({"quantize", m_folder.filePath("norm.py:Net"), "--mode", "qat", "--input", "x=4x4x8",
                                "-o", m_folder.filePath("norm.json"), "--report", report, "--json"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(codes(run).contains("quant.untrained"));
        QVERIFY(codes(run).contains("quant.statistics_changed"));
        QVERIFY(run.json()["output"].toObject()["sqnr_db"].isDouble());
        const Run prepared =
            lancet({"quantize", m_folder.filePath("norm.py:Net"), "--mode", "qat", "--prepared", "--json"});
        QVERIFY(!codes(prepared).contains("quant.untrained"));
    }

    /// `allclose` knows no quantised tensors.
    void quantisedOutputs_areComparedToo() {
        const Run run = lancet(net({"--qconfig", R"({"prepare_custom_config": {"output_quantized_idxs": [0]}})", "-o",
                                    m_folder.filePath("quantised_output.ts")}));
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(run.json()["verified"].toBool());
        QVERIFY(!codes(run).contains("script.not_compared"));
    }

    void quantisedInputs_areTheReasonWhyNothingIsCompared() {
        const Run run = lancet({"quantize", m_folder.filePath("net.py:Net"), "--inputs",
                                written("some.safetensors", "[4,8]", QByteArray(128, '\0')), "--qconfig",
                                R"({"prepare_custom_config": {"input_quantized_idxs": [0]}})", "-o",
                                m_folder.filePath("quantised_input.ts")});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY2(run.error.contains("it takes quantised inputs"), run.error);
        QVERIFY2(!run.error.contains("give inputs"), run.error);
    }

    void summary_tellsWhatWasQuantised() {
        put(m_folder.filePath("words.py"), "import torch\nfrom torch import nn\n"
                                           "class Net(nn.Module):\n"
                                           "    def __init__(self):\n"
                                           "        super().__init__()\n"
                                           "        self.e = nn.Embedding(9, 4); self.a = nn.Linear(4, 4)\n"
                                           "    def forward(self, x):\n"
                                           "        return self.a(self.e(x))\n");
        const Run run = lancet({"quantize", m_folder.filePath("words.py:Net"), "--mode", "weight-only"});
        QCOMPARE(run.out, QByteArray("1 layer with weights is quantised; 1 node stays in floating point\n"));
    }

    void packedWeights_areCountedAmongWhatSourceLoses() {
        const Run run = lancet(net({"--mode", "dynamic", "-o", m_folder.filePath("source.py")}));
        QVERIFY2(run.exit == 0, run.error);
        for (const auto& each : run.json()["warnings"].toArray())
            if (each.toObject()["code"].toString() == "foresee.no_weights")
                QCOMPARE(each.toObject()["arguments"].toObject()["count"].toInt(), 6); // three layers, each with a bias
        QVERIFY(codes(run).contains("foresee.no_weights"));
    }

    /// Constants that the trace computed may read what nothing else uses, and norms that are folded.
    void constantsOfBuffers_areKept_data() {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("dynamic") << QStringList{"--mode", "dynamic"};
        QTest::newRow("static") << QStringList{"--mode", "static"};
        QTest::newRow("nothing quantised") << QStringList{"--mode", "weight-only"};
        QTest::newRow("reference") << QStringList{"--reference"};
    }
    void constantsOfBuffers_areKept() {
        QFETCH(QStringList, options);
        put(m_folder.filePath("constant.py"),
            "import torch\nfrom torch import nn\n"
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.register_buffer('pos', torch.arange(8).float()); self.a = nn.Linear(8, 8)\n"
            "        self.n = nn.BatchNorm1d(8)\n"
            "    def forward(self, x):\n"
            "        return self.n(self.a(x + torch.sin(self.pos))) * torch.cos(self.n.running_mean)\n");
        for (const char* file : {"constant.json", "constant.pt"}) {
            const Run made = lancet(QStringList{"quantize", m_folder.filePath("constant.py:Net"), "--input", "x=4x8",
                                                "-o", m_folder.filePath(file), "--json"} +
                                    options);
            QVERIFY2(made.exit == 0, made.error + made.out);
            const Run run = lancet({"run", m_folder.filePath(file), "--input", "x=4x8"});
            QVERIFY2(run.exit == 0, run.error);
        }
    }

    /// PyTorch keeps packed weights of functions as attributes, which are no modules, in any order.
    void functionalLayers_areWrittenForPyTorch() {
        const QString source = m_folder.filePath("functional.py:Net");
        put(m_folder.filePath("functional.py"),
            "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.w = nn.Parameter(torch.randn(8, 3, 3, 3)); self.lw = nn.Parameter(torch.randn(4, 8))\n"
            "        self.m = nn.Linear(4, 4)\n"
            "    def forward(self, x):\n"
            "        y = F.relu(F.conv2d(x, self.w, None, (1, 1), (1, 1), (1, 1), 1)).mean((2, 3))\n"
            "        return self.m(F.linear(y, self.lw))\n");
        for (const char* mode : {"static", "dynamic"})
            for (const char* file : {"functional.pt", "functional.ts", "functional.json"}) {
                const Run run = lancet({"quantize", source, "--mode", mode, "--input", "x=2x3x8x8", "-o",
                                        m_folder.filePath(file), "--json"});
                QVERIFY2(run.exit == 0, run.error + run.out);
                QVERIFY(run.json()["verified"].toBool() || QString(file) != "functional.ts");
            }
        // The relu is part of the layer: a rule for the convolution alone would quantise both, or neither.
        const Run scan = lancet({"quantize", source, "--input", "x=2x3x8x8", "--error-budget", "500", "--json"});
        QVERIFY2(scan.exit == 0, scan.error + scan.out);
        const QJsonArray rows = scan.json()["sensitivity"].toArray();
        QCOMPARE(rows.size(), 3);
        for (const auto& row : rows) QVERIFY(row.toObject()["noise"].toDouble() > 0);
        QCOMPARE(scan.json()["proposal"].toObject()["quantised"].toArray().size(), 0);
        QVERIFY(codes(scan).contains("quant.below_budget"));
    }

    /// torch.ao's prepacking operators take no defaults.
    void functionWithDefaults_isNamedWithTheRemedy() {
        put(m_folder.filePath("defaults.py"),
            "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
            "class Net(nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.w = nn.Parameter(torch.randn(8, 3, 3, 3)); self.b = nn.Parameter(torch.zeros(8))\n"
            "    def forward(self, x):\n"
            "        return torch.relu(F.conv2d(x, self.w, self.b, padding=1))\n");
        const Run run = lancet({"quantize", m_folder.filePath("defaults.py:Net"), "--input", "x=2x3x8x8", "-o",
                                m_folder.filePath("defaults.json"), "--json"});
        QCOMPARE(run.exit, 4);
        const QJsonObject error = run.json()["error"].toObject();
        QCOMPARE(error["code"].toString(), QString("quant.lowered_argument"));
        QCOMPARE(error["node"].toString(), QString("conv2d"));
        QVERIFY(error["hint"].toString().contains("input, weight, bias, stride, padding, dilation, groups"));
    }

    /// torch.load reads what torch.save writes of packed recurrent layers.
    void dynamicRecurrentLayers_areWrittenAsPt() {
        put(m_folder.filePath("recurrent.py"), "import torch\nfrom torch import nn\n"
                                               "class Net(nn.Module):\n"
                                               "    def __init__(self):\n"
                                               "        super().__init__()\n"
                                               "        self.l = nn.LSTM(4, 3, num_layers=2, bidirectional=True)\n"
                                               "        self.g = nn.GRU(6, 5); self.c = nn.GRUCell(5, 2)\n"
                                               "    def forward(self, x):\n"
                                               "        return self.c(self.g(self.l(x)[0])[0][-1])\n");
        const QString made = m_folder.filePath("recurrent.pt"), again = m_folder.filePath("recurrent.json");
        const Run run =
            lancet({"quantize", m_folder.filePath("recurrent.py:Net"), "--mode", "dynamic", "-o", made, "--json"});
        QVERIFY2(run.exit == 0, run.error + run.out);
        QVERIFY(run.json()["verified"].toBool());
        for (const auto& module : run.json()["modules"].toArray()) // of PyTorch: packed weights are no modules
            QVERIFY(!module.toObject()["type"].toString().startsWith("__torch__"));
        QCOMPARE(lancet({"convert", made, "-o", again}).exit, 0);
        const Run same = lancet({"verify", made, again, "--input", "x=3x2x4"});
        QVERIFY2(same.exit == 0, same.error + same.out);
    }

    void dataWithoutUse_isWarnedOf() {
        const QString prepared = m_folder.filePath("used.pt"), out = m_folder.filePath("used.json");
        QCOMPARE(lancet(net({"--prepared", "-o", prepared})).exit, 0);
        QVERIFY(codes(lancet(net({"--weights", prepared, "-o", out}))).contains("quant.ignored_inputs"));
        QVERIFY(codes(lancet(net({"--mode", "dynamic", "-o", out}))).contains("quant.unused_inputs"));
        QVERIFY(!codes(lancet(net({"-o", out}))).contains("quant.unused_inputs"));
        const Run twice = lancet(net({"--inputs", prepared, "-o", out}));
        QCOMPARE(twice.exit, 2);
        QCOMPARE(twice.json()["error"].toObject()["code"].toString(), QString("cli.inputs_twice"));
    }

    void misspeltMode_isGuessed() {
        const Run run = lancet(net({"--mode", "weight_only"}));
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.error.contains("did you mean 'weight-only'?"), run.error);
    }
};

QTEST_APPLESS_MAIN(TestCliQuantize)
#include "tst_cli_quantize.moc"
