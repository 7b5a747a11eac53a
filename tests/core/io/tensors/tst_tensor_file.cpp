// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/io/tensors/tensor_file.h"
#include "core/module/module_editor.h"
#include "core/python/tracing/trace_definition.h"
#include "core/tensor/elements.h"

#include <QtTest>

using namespace fx;

class TestTensorFile : public QObject {
    Q_OBJECT

    static QByteArray npy(const QByteArray& header, const QByteArray& data, char version = 1) {
        QByteArray file("\x93NUMPY", 6);
        file += version, file += '\0';
        file += static_cast<char>(header.size()), file += '\0';
        if (version > 1) file += QByteArray(2, '\0');
        return file + header + data;
    }
    template<class... Numbers> static QByteArray floats(Numbers... numbers) {
        const float values[] = {static_cast<float>(numbers)...};
        return {reinterpret_cast<const char*>(values), sizeof values};
    }
    static QByteArray safetensors(const QByteArray& header, const QByteArray& data) {
        const auto size = static_cast<quint64>(header.size());
        return QByteArray(reinterpret_cast<const char*>(&size), 8) + header + data;
    }
    QString write(const char* name, const QByteArray& content) {
        QFile file(m_folder.filePath(name));
        file.open(QIODevice::WriteOnly);
        file.write(content);
        return file.fileName();
    }
    /// A model with a parameter `w` of 2 × 2 and a buffer `b` of 2.
    static GraphModule model() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x)\n");
        auto tensor = std::make_shared<TensorRef>();
        tensor->sizes = tensor->strides = {2};
        tensor->strides = {1};
        tensor->storage = Storage::inMemory(std::vector<std::byte>(8));
        auto parameter = std::make_shared<TensorRef>(*tensor);
        parameter->sizes = {2, 2}, parameter->strides = {2, 1};
        parameter->storage = Storage::inMemory(std::vector<std::byte>(16));
        parameter->isParameter = parameter->requiresGrad = true;
        model.root->parameters.push_back({"w", parameter, true});
        model.root->buffers.push_back({"b", tensor, true});
        return model;
    }
    static void apply(GraphModule& model, const QByteArray& step) {
        applySteps(model, parseRecipe("{\"lancet_recipe\": 1, \"steps\": [" + step.toStdString() + "]}"));
    }

    QTemporaryDir m_folder;

private Q_SLOTS:
    void npyIsRead_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("values");
        QTest::addColumn<QString>("sizes");
        QTest::newRow("row-major") << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }  \n",
                                          floats(1, 2, 3, 4))
                                   << "1 2 3 4"
                                   << "2 2";
        QTest::newRow("column-major") << npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }\n",
                                             floats(1, 3, 2, 4))
                                      << "1 2 3 4"
                                      << "2 2";
        QTest::newRow("one dimension, version 2")
            << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", floats(1, 2, 3), 2) << "1 2 3"
            << "3";
        QTest::newRow("number") << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }\n", floats(7)) << "7"
                                << "";
        QTest::newRow("bytes") << npy("{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }\n", "\x01\xff")
                               << "1 -1"
                               << "2";
        QTest::newRow("empty") << npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5), }\n", "") << ""
                               << "0 5";
    }
    void npyIsRead() {
        QFETCH(QByteArray, file);
        const TensorInFile read = readTensorFile(write("a.npy", file).toStdString(), "", "w");
        QCOMPARE(read.kind, TensorInFile::Kind::Npy);
        QStringList values, sizes;
        for (const double value : elementValues(*read.tensor)) values << QString::number(value);
        for (const auto size : read.tensor->sizes) sizes << QString::number(size);
        QTEST(values.join(' '), "values");
        QTEST(sizes.join(' '), "sizes");
    }

    void damagedFile_isRefused_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("why");
        QTest::newRow("nothing") << QByteArray() << "";
        QTest::newRow("cut in the data") << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n",
                                                floats(1, 2, 3))
                                         << "too short";
        QTest::newRow("cut in the header") << npy("{'descr': '<f4'", "").left(14) << "longer than the file";
        QTest::newRow("no shape") << npy("{'descr': '<f4', 'fortran_order': False}\n", "") << "missing key 'shape'";
        QTest::newRow("huge shape")
            << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (9000000000000000000, 9000000000000000000), }\n",
                   "")
            << "too large";
        QTest::newRow("negative shape") << npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }\n", "")
                                        << "invalid shape";
        QTest::newRow("big-endian") << npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }\n", floats(1))
                                    << "big-endian";
        QTest::newRow("text") << npy("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }\n", floats(1))
                              << "no element type";
        QTest::newRow("records") << npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n",
                                        floats(1))
                                 << "records";
        QTest::newRow("unknown version") << npy("{}", "", 9) << "unknown version";
        QTest::newRow("no tensor file") << QByteArray("hello, this is text and no tensor") << "";
    }
    void damagedFile_isRefused() {
        QFETCH(QByteArray, file);
        QFETCH(QString, why);
        const QString path = write("bad", file);
        try {
            readTensorFile(path.toStdString(), "", "w");
            QFAIL("it was read");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::File);
            QCOMPARE(QString::fromStdString(error.file), path);
            QVERIFY2(QString(error.what()).contains(why), error.what());
        }
    }

    void stateDict_inACheckpoint_isFound() {
        const std::string data = LANCET_SOURCE_DIR "/tests/data/graphmodule/refused/";
        const auto named = readNamedTensors(data + "checkpoint.pt");
        QCOMPARE(named.size(), std::size_t{2});
        QCOMPARE(named[0].first, std::string("weight"));
        try {
            readNamedTensors(data + "settings.pt");
            QFAIL("it has no state dict");
        } catch (const Error& error) {
            QVERIFY(error.message().is("tensors.no_state_dict"));
            QCOMPARE(QString::fromStdString(error.message().argument("keys")), QStringLiteral("'a', 'b'"));
        }
    }

    void formBeforePyTorch16_isRead() {
        const TensorInFile bias =
            readTensorFile(LANCET_SOURCE_DIR "/tests/data/weights/state_dict_old.pth", "fc.bias", "");
        QCOMPARE(elementValues(*bias.tensor), std::vector<double>{3});
    }

    void tensorIsChosen() {
        const std::string data = LANCET_SOURCE_DIR "/tests/data/graphmodule/refused/";
        QCOMPARE(elementValues(*readTensorFile(data + "tensor.pt", "", "any").tensor), (std::vector<double>{1, 1}));
        const TensorInFile bias = readTensorFile(data + "state_dict.pt", "bias", "weight");
        QCOMPARE(bias.key, std::string("bias"));
        QCOMPARE(readTensorFile(data + "state_dict.pt", "", "weight").key, std::string("weight"));
        QVERIFY(!readTensorFile(data + "tensor.pt", "", "").tensor->sizes.empty());
        QVERIFY_THROWS_EXCEPTION(Error, readTensorFile(data + "tensor.pt", "bias", ""));
        try {
            readTensorFile(data + "state_dict.pt", "", "w");
            QFAIL("there is no w");
        } catch (const Error& error) {
            QVERIFY2(QString::fromStdString(error.hint).contains("weight, bias"), error.hint.c_str());
        }
        const QString path = write(
            "two.safetensors",
            safetensors(R"({"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}, "v": {"dtype": "F32", )"
                        R"("shape": [1], "data_offsets": [16, 20]}})",
                        floats(1, 2, 3, 4, 5)));
        QCOMPARE(elementValues(*readTensorFile(path.toStdString(), "", "w").tensor), (std::vector<double>{1, 2, 3, 4}));
        QCOMPARE(elementValues(*readTensorFile(path.toStdString(), "v", "w").tensor), (std::vector<double>{5}));
    }

    void setTensor_takesWhatFits() {
        const QString path =
            write("w.safetensors", safetensors(R"({"any": {"dtype": "F32", "shape": [2, 2], "data_offsets": )"
                                               R"([0, 16]}})",
                                               floats(1, 2, 3, 4)));
        GraphModule net = model();
        apply(net, "{\"step\": \"set_tensor\", \"path\": \"w\", \"file\": \"" + path.toUtf8() + "\"}");
        QCOMPARE(elementValues(*net.root->parameters[0].tensor), (std::vector<double>{1, 2, 3, 4}));
        QVERIFY(net.root->parameters[0].tensor->isParameter);
        QVERIFY(net.root->parameters[0].tensor->requiresGrad);
        const auto steps =
            parseRecipe("{\"lancet_recipe\": 1, \"steps\": [{\"step\": \"set_tensor\", \"path\": \"w\", \"file\": \"" +
                        path.toStdString() + "\"}]}");
        const QString script = QString::fromStdString(recipePython(model(), steps, "net.pt"));
        QVERIFY2(script.contains("gm.w = torch.nn.Parameter(load_file("), qPrintable(script));
        QVERIFY2(script.contains(")[\"any\"])"), qPrintable(script));
    }

    void setTensor_refusesWhatDoesNotFit_data() {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QString>("why");
        QTest::newRow("shape") << QByteArray(R"("path": "b", "file": "FOLDER/w.npy")")
                               << "shape mismatch: expected [2] as in b, got [2, 2] in ";
        QTest::newRow("dtype") << QByteArray(R"("path": "w", "file": "FOLDER/d.npy")")
                               << "dtype mismatch: expected torch.float32 as in w, got torch.float64 in ";
        QTest::newRow("no file") << QByteArray(R"("path": "w", "file": "FOLDER/none")") << "";
        QTest::newRow("no such tensor") << QByteArray(R"("path": "v", "file": "FOLDER/w.npy")")
                                        << "unknown parameter or buffer 'v'";
        QTest::newRow("both") << QByteArray(R"("path": "w", "file": "FOLDER/w.npy", "value": [1])")
                              << "needs file or value";
        QTest::newRow("neither") << QByteArray(R"("path": "w")") << "needs file or value";
    }
    void setTensor_refusesWhatDoesNotFit() {
        QFETCH(QByteArray, step);
        QFETCH(QString, why);
        write("w.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n", floats(1, 2, 3, 4)));
        write("d.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", QByteArray(32, '\0')));
        GraphModule net = model();
        const TensorPtr before = net.root->parameters[0].tensor;
        try {
            apply(net, "{\"step\": \"set_tensor\", " + step.replace("FOLDER", m_folder.path().toUtf8()) + "}");
            QFAIL("it was not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QVERIFY2(QString(error.what()).contains(why), error.what());
        }
        QCOMPARE(net.root->parameters[0].tensor, before);
    }
};

QTEST_APPLESS_MAIN(TestTensorFile)
#include "tst_tensor_file.moc"
