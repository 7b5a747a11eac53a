// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/model_files/open.h"
#include "core/model_files/save_description.h"

#include <QtTest>

#include <array>
#include <bit>

using namespace fx;

/// State dicts for models from Python source.
class TestLoadWeights : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::string write(const char* name, const QByteArray& content) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(content);
        return file.fileName().toStdString();
    }
    std::string weights(const QByteArray& header, const std::array<float, 5>& numbers) {
        const auto size = static_cast<quint64>(header.size());
        return write("w.safetensors", QByteArray(reinterpret_cast<const char*>(&size), 8) + header +
                                          QByteArray(reinterpret_cast<const char*>(numbers.data()), 20));
    }
    std::shared_ptr<GraphModule> open(const std::string& weightsFile) {
        const auto file = write("net.py", "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                                          "        super().__init__()\n        self.a = nn.Linear(2, 1)\n"
                                          "        self.b = nn.Linear(2, 1, bias=False)\n"
                                          "        self.b.weight = self.a.weight\n"
                                          "    def forward(self, x):\n        return self.a(x) + self.b(x)\n");
        OpenOptions options;
        options.source.weightsFiles = {weightsFile};
        return openModel(file, options);
    }

private Q_SLOTS:
    void stateDict_isLoaded_tiedTensorsStayOne() {
        const auto made = open(weights(R"({"a.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},)"
                                       R"( "b.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]},)"
                                       R"( "a.bias": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}})",
                                       {1, 2, 3, 4, 5}));
        const auto weight = resolvePath(*made->root, "a.weight").tensor;
        QCOMPARE(resolvePath(*made->root, "b.weight").tensor, weight);
        QVERIFY(weight->isParameter);
        QVERIFY(weight->requiresGrad);
        std::array<float, 2> read{};
        weight->storage->read(0, std::as_writable_bytes(std::span(read)));
        QCOMPARE(read[1], 4.0F);
    }

    void tiedTensors_thatTheFileShares_stayInTheFile() {
        const auto first = open(weights(R"({"a.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},)"
                                        R"( "b.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]},)"
                                        R"( "a.bias": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}})",
                                        {1, 2, 3, 4, 5}));
        const std::string tied = m_folder.filePath("tied.json").toStdString();
        saveDescription(*first, tied, true);
        const auto made = open(tied);
        const auto weight = resolvePath(*made->root, "a.weight").tensor;
        QCOMPARE(resolvePath(*made->root, "b.weight").tensor, weight);
        QVERIFY(weight->storage->file() != nullptr);
    }

    void otherTypes_areConverted() {
        const auto halves = std::bit_cast<std::array<float, 2>>(2.5); // a double
        const auto made = open(weights(R"({"a.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},)"
                                       R"( "b.weight": {"dtype": "F16", "shape": [1, 2], "data_offsets": [8, 12]},)"
                                       R"( "a.bias": {"dtype": "F64", "shape": [1], "data_offsets": [12, 20]}})",
                                       {1, 2, std::bit_cast<float>(0xC0003C00U), halves[0], halves[1]}));
        std::array<float, 2> weight{};
        std::array<float, 1> bias{};
        resolvePath(*made->root, "a.weight").tensor->storage->read(0, std::as_writable_bytes(std::span(weight)));
        resolvePath(*made->root, "a.bias").tensor->storage->read(0, std::as_writable_bytes(std::span(bias)));
        QCOMPARE(weight[0], 1.0F);
        QCOMPARE(weight[1], -2.0F);
        QCOMPARE(bias[0], 2.5F);
    }

    void namesOfAWrapper_areThoseAfterItsPrefix() {
        const auto made =
            open(weights(R"({"module._orig_mod.a.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},)"
                         R"( "module._orig_mod.b.weight": {"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 16]},)"
                         R"( "module._orig_mod.a.bias": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}})",
                         {1, 2, 3, 4, 5}));
        std::array<float, 1> read{};
        resolvePath(*made->root, "a.bias").tensor->storage->read(0, std::as_writable_bytes(std::span(read)));
        QCOMPARE(read[0], 5.0F);
        QCOMPARE(made->warnings.size(), 1u);
        QVERIFY(made->warnings[0].what.is("make.state_dict_prefix"));
        QCOMPARE(made->warnings[0].what.argument("prefix"), std::string("module._orig_mod."));
    }

    void otherKeys_areRefused() {
        try {
            open(weights(R"({"a.weight": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},)"
                         R"( "c": {"dtype": "F32", "shape": [3], "data_offsets": [8, 20]}})",
                         {1, 2, 3, 4, 5}));
            QFAIL("loaded");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            const QString text = error.what();
            for (const char* each : {"loading state_dict for Net", "Missing key(s) in state_dict: ", "\"a.bias\"",
                                     "Unexpected key(s) in state_dict: \"c\"", "other shape: \"a.weight\""})
                QVERIFY2(text.contains(each), qPrintable(text));
        }
    }
};

QTEST_GUILESS_MAIN(TestLoadWeights)
#include "tst_load_weights.moc"
