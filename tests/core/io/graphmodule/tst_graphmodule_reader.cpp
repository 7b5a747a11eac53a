// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/tensor/elements.h"
#include "core/tensor/quantized_values.h"
#include "core/tensor/tensor_statistics.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>
#include <map>

using namespace fx;

namespace {

const QString kData = LANCET_SOURCE_DIR "/tests/data/graphmodule/";

QJsonObject expectations() {
    QFile file(kData + "expected.json");
    if (!file.open(QIODevice::ReadOnly)) qFatal("no expected.json");
    return QJsonDocument::fromJson(file.readAll()).object();
}

QByteArray content(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(path));
    return file.readAll();
}

/// What the Python script writes of a tensor.
class TensorDescriber {
public:
    QJsonValue describe(const TensorPtr& tensor) {
        if (!tensor) return QJsonValue::Null;
        QJsonObject result{{"same", number(m_tensors, tensor.get())}, {"param", tensor->isParameter}};
        const bool known = tensor->dtype != DType::Other;
        result["dtype"] =
            known ? QString::fromUtf8(dtypeName(tensor->dtype)) : QString::fromStdString(tensor->dtypeText);
        if (!known) return result;
        result["sizes"] = array(tensor->sizes);
        result["grad"] = tensor->requiresGrad;
        result["layout"] = QString::fromStdString(tensor->layout);
        if (tensor->layout != "torch.strided" || tensor->device == "meta") return result;
        result["strides"] = array(tensor->strides);
        result["offset"] = qint64{tensor->offset};
        result["storage"] = number(m_storages, tensor->storage.get());
        if (tensor->elementCount() > 0 && partsOf(tensor->dtype) == 1) result["sum"] = sum(*tensor);
        return result;
    }

private:
    static QJsonArray array(const std::vector<std::int64_t>& values) {
        QJsonArray result;
        for (const std::int64_t value : values) result << qint64{value};
        return result;
    }
    static int number(std::map<const void*, int>& numbers, const void* key) {
        return numbers.emplace(key, static_cast<int>(numbers.size())).first->second;
    }
    static double sum(const TensorRef& tensor) {
        const TensorStatistics statistics = computeStatistics(tensor);
        return statistics.mean * static_cast<double>(statistics.finite) * (tensor.negative ? -1 : 1);
    }
    std::map<const void*, int> m_tensors, m_storages;
};

QStringList names(const QJsonArray& array) {
    QStringList result;
    for (const QJsonValue value : array) result << value.toString();
    return result;
}

/// Compares everything but the sum exactly.
bool sameTensor(QJsonValue got, QJsonValue wanted) {
    QJsonObject a = got.toObject(), b = wanted.toObject();
    const double left = a.take("sum").toDouble(), right = b.take("sum").toDouble();
    return a == b && got.isNull() == wanted.isNull() && std::abs(left - right) <= 1e-6 * std::max(1.0, std::abs(right));
}

QString text(const QJsonValue& value) {
    return QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
}

} // namespace

class TestGraphModuleReader : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// Opens these bytes as a file; the error's text, or empty.
    QString errorOf(const QByteArray& bytes) {
        const QString path = m_folder.filePath("try.pt");
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(bytes);
        file.close();
        try {
            (void)openModel(path.toStdString());
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::File) qFatal("an error that is not of kind File: %s", error.what());
            return QString::fromStdString(error.what());
        }
        return {};
    }

private Q_SLOTS:
    void open_fixtures_asTorchLoad_data() {
        QTest::addColumn<QJsonObject>("expected");
        const QJsonObject all = expectations();
        for (const QString& name : all.keys()) QTest::newRow(qPrintable(name)) << all[name].toObject();
        QVERIFY(all.size() >= 13);
    }

    void open_fixtures_asTorchLoad() {
        QFETCH(QJsonObject, expected);
        const auto model = openModel((kData + QTest::currentDataTag() + ".pt").toStdString());
        QCOMPARE(QString::fromStdString(generatePython(model->graph).text), expected["code"].toString());
        QCOMPARE(QString::fromStdString(model->className), expected["class_name"].toString().replace("Impl", ""));
        QVERIFY(!model->notLoadable);

        TensorDescriber tensors;
        const QJsonArray modules = expected["modules"].toArray();
        int at = 0;
        forEachModule(*model->root, [&](const std::string& path, const Module& module) {
            if (module.classModule.starts_with("__torch__.torch.classes")) return; // stands for an object of C++
            const QJsonObject wanted = modules[at++].toObject();
            compareModule(QString::fromStdString(path), module, wanted, tensors);
        });
        QCOMPARE(at, modules.size());
    }

    static void compareModule(const QString& path, const Module& module, const QJsonObject& wanted,
                              TensorDescriber& tensors) {
        QCOMPARE(path, wanted["path"].toString());
        QCOMPARE(QString::fromStdString(module.qualifiedType()), wanted["type"].toString());
        QCOMPARE(module.training, wanted["training"].toBool());
        compareSlots(module.parameters, wanted["parameters"].toArray(), tensors);
        compareSlots(module.buffers, wanted["buffers"].toArray(), tensors);
        QStringList children, attributes;
        for (const Module::Child& child : module.children) {
            const bool isObject = child.module && child.module->classModule.starts_with("__torch__.torch.classes");
            (isObject ? attributes : children) << QString::fromStdString(child.name);
        }
        QCOMPARE(children, names(wanted["children"].toArray()));
        for (const auto& [name, value] : module.attributes) attributes << QString::fromStdString(name);
        QStringList wantedAttributes = names(wanted["attributes"].toArray());
        // The object with the packed weights is read as what it holds.
        if (wantedAttributes.removeOne(QStringLiteral("_packed_params")))
            wantedAttributes << QStringLiteral("weight") << QStringLiteral("bias");
        wantedAttributes.removeAll("_flat_weight_refs"); // made anew by RNN.__setstate__
        attributes.sort();
        wantedAttributes.sort();
        QCOMPARE(attributes, wantedAttributes);
    }

    static void compareSlots(const std::vector<Module::Slot>& slots_, const QJsonArray& wanted,
                             TensorDescriber& tensors) {
        QCOMPARE(static_cast<qsizetype>(slots_.size()), wanted.size());
        for (qsizetype i = 0; i < wanted.size(); ++i) {
            const Module::Slot& slot = slots_[static_cast<std::size_t>(i)];
            const QJsonArray entry = wanted[i].toArray();
            QCOMPARE(QString::fromStdString(slot.name), entry[0].toString());
            const QJsonValue got = tensors.describe(slot.tensor);
            QVERIFY2(sameTensor(got, entry[1]), qPrintable(text(got) + " not " + text(entry[1])));
            if (entry.size() > 2) QCOMPARE(slot.persistent, entry[2].toBool());
        }
    }

    void open_nested_hasItsOwnGraph() {
        const auto model = openModel((kData + "nested.pt").toStdString());
        const PathTarget middle = resolvePath(*model->root, "fused_0");
        QVERIFY(middle.module);
        QVERIFY(middle.module->graphModule);
        QVERIFY(middle.module->graphModule->graph.find("deep") != kNoNode);
        const Module* deep = middle.module->child("deep");
        QVERIFY(deep);
        QVERIFY(deep->graphModule);
        QCOMPARE(deep->graphModule->root->children.size(), deep->children.size());
        QVERIFY(resolvePath(*model->root, "own").module->attribute("config"));
    }

    void packedWeightInPlainModules_openAndSaved_isReadByItsName() {
        const auto model = openModel((kData + "packed_in_plain_modules.pt").toStdString());
        QVERIFY2(model->warnings.empty(), model->warnings.empty() ? "" : model->warnings[0].what.text().c_str());
        const PathTarget packed = resolvePath(*model->root, "words._packed_params._packed_weight");
        QVERIFY(packed.module);
        QVERIFY(packed.module->attribute("weight"));
        QCOMPARE(packed.module->className, std::string("EmbeddingPackedParamsBase"));
        const QTemporaryDir folder;
        QVERIFY(saveGraphModule(*model, folder.filePath("again.pt").toStdString(), true).verified);
    }

    void open_hooksAndTracers_warned() {
        const auto hooks = openModel((kData + "hooks.pt").toStdString());
        QCOMPARE(hooks->warnings.size(), std::size_t{1});
        QCOMPARE(hooks->warnings[0].modulePath, std::string("lin"));
        QVERIFY(hooks->warnings[0].what.text().starts_with("lin has forward hooks, which Lancet does not run"));
        const auto tracer = openModel((kData + "other_tracer.pt").toStdString());
        QCOMPARE(tracer->tracerClass, std::string("own_classes.FixtureTracer"));
        QCOMPARE(tracer->warnings.size(), std::size_t{1});
    }

    void open_savedStackTraces_onTheirNodes() {
        const auto model = openModel((kData + "class_name_and_traces.pt").toStdString());
        QCOMPARE(model->className, std::string("Renamed"));
        QCOMPARE(model->graph.node(model->graph.find("add")).meta().stackTrace, std::string("File \"net.py\", line 3"));
    }

    void open_origin_keepsWhatWasSaved() {
        const auto model = openModel((kData + "sharing.pt").toStdString());
        const auto* origin = dynamic_cast<const GraphModuleOrigin*>(model->origin.get());
        QVERIFY(origin);
        QVERIFY(origin->file);
        QVERIFY(origin->file->arena().find(origin->body, "_code") != fx::kNoPickle);
        const PickleArena& arena = origin->file->arena();
        QVERIFY(arena.find(arena.find(origin->body, "_parameters"), "w2") != kNoPickle);
        QVERIFY(
            arena.isCallOf(origin->file->objectAt(model->root->origin), "torch.fx.graph_module.reduce_graph_module"));
    }

    /// Cut at every 64th byte: always an error, since a zip archive's directory is at its end.
    void open_truncated_error() {
        const QByteArray good = content(kData + "nested.pt");
        QVERIFY(errorOf(good).isEmpty());
        for (qsizetype length = 0; length < good.size(); length += 64) QVERIFY(!errorOf(good.left(length)).isEmpty());
    }

    /// Bits flipped in the pickle and the directory: an error, or a model.
    void open_bitsFlipped_noCrash_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"sharing", "nested", "dtypes", "pytree", "attributes"}) QTest::newRow(name) << name;
    }

    void open_bitsFlipped_noCrash() {
        QFETCH(QString, name);
        const QByteArray good = content(kData + name + ".pt");
        quint32 seed = 7;
        int errors = 0;
        for (int i = 0; i < 150; ++i) {
            QByteArray flipped = good;
            seed = seed * 1664525u + 1013904223u;
            flipped[static_cast<qsizetype>(seed >> 4) % flipped.size()] ^= static_cast<char>(1 << (seed & 7));
            errors += !errorOf(flipped).isEmpty();
        }
        QVERIFY(errors > 5);
    }
};

QTEST_APPLESS_MAIN(TestGraphModuleReader)
#include "tst_graphmodule_reader.moc"
