// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/input_spec.h"
#include "core/io/values/value_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace fx;

class TestInputSpec : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void json_andBack_keepsEverything() {
        InputDescription sent;
        sent.seed = ~0ull;
        sent.inputs = {
            {"x", {2, 3, 8}, "torch.float16", 0, Generator::Uniform, 0, -1.5, std::numeric_limits<double>::infinity()},
            {"ids", {2, 7}, "torch.int64", 30000, Generator::Integers, -5},
            {"n", {}, "int", 0, Generator::Constant, 0, 0, 1, 3},
            {"f", {}, "torch.float32", 0, Generator::File, 0, 0, 1, 0, "/tmp/a \"b\".pt", "key", -1}};
        sent.inputs[0].batchDim = 0;
        const InputDescription got = inputsFromJson(inputsJson(sent));
        QCOMPARE(got.seed, sent.seed);
        QCOMPARE(inputsJson(got), inputsJson(sent));
        QCOMPARE(got.inputs[0].to, sent.inputs[0].to);
        QCOMPARE(got.inputs[1].low, std::int64_t{-5});
        QCOMPARE(got.inputs[2].value, 3.0);
        QCOMPARE(got.inputs[3].entry, std::string("key"));
    }

    void json_withoutTheRest_hasDefaults_andNonsenseIsRefused() {
        const InputDescription got = inputsFromJson(
            R"({"seed": "1", "inputs": [{"name": "x", "sizes": [2], "dtype": "torch.float32", "batch_dim": )"
            R"(7}]})");
        QCOMPARE(got.inputs[0].generator, Generator::Normal);
        QCOMPARE(got.inputs[0].to, 1.0);
        QCOMPARE(got.inputs[0].batchDim, 0); // no further than the sizes go
        QVERIFY_THROWS_EXCEPTION(
            Error, inputsFromJson(R"({"seed": "1", "inputs": [{"name": "x", "sizes": [2], "dtype": "torch.float32", )"
                                  R"("generator": "dice"}]})"));
        QVERIFY_THROWS_EXCEPTION(Error, inputsFromJson(R"({"inputs": []})"));
    }

    void batch_isOneNumberForAllInputs() {
        InputDescription description{{{"x", {1, 3}}, {"h", {16, 1, 5}}, {"scale", {7}}}, 0};
        description.inputs[0].batchDim = 0, description.inputs[1].batchDim = 1;
        QCOMPARE(batchSize(description), std::optional<std::int64_t>(1));
        setBatchSize(description, 8);
        QCOMPARE(batchSize(description), std::optional<std::int64_t>(8));
        QVERIFY((description.inputs[1].sizes == std::vector<std::int64_t>{16, 8, 5}));
        QVERIFY((description.inputs[2].sizes == std::vector<std::int64_t>{7}));
        description.inputs[0].sizes[0] = 2;
        QVERIFY(!batchSize(description));
    }

    void text_saysShapeTypeAndValues() {
        QCOMPARE(inputText({"x", {1, 3, 8}}), std::string("1×3×8 float32, normal"));
        QCOMPARE(inputText({"x", {4}, "torch.int64", 10}), std::string("4 int64, integers 0 to 9"));
        QCOMPARE(inputText({"x", {}, "torch.float64", 0, Generator::Constant, 0, 0, 1, 0.5}),
                 std::string("scalar float64, constant 0.5"));
    }

    void files_areReadByEntry() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("in.pt").toStdString();
        ValueTree dict;
        dict.kind = ValueTree::Kind::Dict;
        dict.items = {ValueTree::of(Argument("x")), ValueTree::of(Argument(1)), ValueTree::of(Argument("other")),
                      ValueTree::of(Argument(2))};
        writeValueFile(dict, path);
        InputSpec x{"x"};
        x.generator = Generator::File, x.file = path;
        InputSpec y = x;
        y.name = "y", y.entry = "other";
        std::vector<InputSpec> inputs = {x, y};
        readInputFiles(inputs);
        QVERIFY(inputs[0].given->plain == Argument(1));
        QVERIFY(inputs[1].given->plain == Argument(2));
        inputs[1].entry = "nobody";
        QVERIFY_THROWS_EXCEPTION(Error, readInputFiles(inputs));
    }
};

QTEST_APPLESS_MAIN(TestInputSpec)
#include "tst_input_spec.moc"
