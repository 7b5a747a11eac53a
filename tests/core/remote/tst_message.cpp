// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/values/value_file.h"
#include "core/remote/quant_worker.h"
#include "core/remote/run_message.h"
#include "core/remote/values_message.h"
#include "core/tensor/elements.h"
#include "tests/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>

using namespace fx;

namespace {

TensorPtr ramp(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides, std::int64_t offset = 0) {
    std::vector<std::byte> bytes(12 * sizeof(float));
    for (int i = 0; i < 12; ++i) {
        const float value = static_cast<float>(i) / 4;
        std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
    }
    TensorRef tensor;
    tensor.sizes = std::move(sizes);
    tensor.strides = std::move(strides);
    tensor.offset = offset;
    tensor.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(tensor));
}

ValueTree container(ValueTree::Kind kind, std::vector<ValueTree> items) {
    ValueTree out;
    out.kind = kind;
    out.items = std::move(items);
    return out;
}

/// A tree with everything that models take and return.
ValueTree sample() {
    const TensorPtr shared = ramp({2, 3}, {1, 4}, 1);
    ValueTree named = container(ValueTree::Kind::Named, {ValueTree::of(ramp({12}, {1})), ValueTree::of(Argument(3))});
    named.typeName = "torch.return_types.max";
    named.fields = {"values", "indices"};
    return container(ValueTree::Kind::Tuple,
                     {ValueTree::of(shared),
                      container(ValueTree::Kind::List, {ValueTree::of(shared), ValueTree::of(Argument(0.1)),
                                                        ValueTree::of(Argument(-INFINITY))}),
                      container(ValueTree::Kind::Dict, {ValueTree::of(Argument("key")), ValueTree::of(Argument(true)),
                                                        ValueTree::of(Argument(2)), ValueTree::of(Argument())}),
                      container(ValueTree::Kind::Size, {ValueTree::of(Argument(2)), ValueTree::of(Argument(3))}), named,
                      ValueTree::of(Argument::dtype("torch.float16")), ValueTree::of(Argument(std::int64_t{1} << 62))});
}

bool equal(const ValueTree& a, const ValueTree& b) {
    if (a.kind != b.kind || a.typeName != b.typeName || !(a.plain == b.plain) || a.items.size() != b.items.size())
        return false;
    if (a.tensor && (a.tensor->sizes != b.tensor->sizes || a.tensor->dtype != b.tensor->dtype ||
                     elementValues(*a.tensor) != elementValues(*b.tensor)))
        return false;
    for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!equal(a.items[i], b.items[i])) return false;
    return true;
}

} // namespace

class TestMessage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A worker runs the code of strangers: what it answers makes nobody open a file.
    void result_thatNamesAFile_isRefused() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("secret").toStdString();
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QFile::WriteOnly));
        QVERIFY(file.write(QByteArray(64, 'x')) == 64);
        file.close();
        std::string result =
            "{'output': {'tensor': 0}, 'micros': 1, 'guessed': [], 'warnings': [], 'tensors': [{'dtype': "
            "'torch.float32', 'sizes': [2], 'strides': [1], 'offset': 0, 'storage': 0}], 'storages': [{'file': '" +
            path + "', 'at': 0, 'bytes': 64}]}";
        std::replace(result.begin(), result.end(), '\'', '"');
        const Error error = failure([&] { (void)remote::runResult({remote::FrameKind::Result, 1, result, {}, {}}); });
        QVERIFY2(error.message().is("remote.names_file"), error.what());
    }

    void values_comeBackAsTheyWere() {
        NodeValues values;
        values.parts = {"[0]", "['x']"}, values.part = 1, values.noOriginal = "why", values.inputs = {"x: 3"},
        values.millis = 1.25;
        values.value.type = "Tensor", values.value.dtype = "torch.float32", values.value.sizes = {5, 2, 2};
        values.value.slice = {{4}, 0, 0}, values.value.rows = 2, values.value.columns = 2,
        values.value.cells = {0.1, -INFINITY, 1e300, 0};
        values.value.statistics.count = 20, values.value.statistics.nans = 2, values.value.statistics.std = NAN,
        values.value.statistics.max = 0.1, values.value.statistics.histogram[63] = 7;
        values.original = values.value;
        values.original->cells[3] = -0.0;
        values.difference.emplace().maxAbs = 0.25;
        values.difference->worst = {4, 0, 1};
        const NodeValues back = remote::nodeValues(remote::toFrame(values, 3));
        QCOMPARE(back.parts, values.parts);
        QCOMPARE(back.part, values.part);
        QCOMPARE(back.value.cells, values.value.cells);
        QCOMPARE(back.value.slice, values.value.slice);
        QVERIFY(std::isnan(back.value.statistics.std));
        QCOMPARE(back.value.statistics.max, 0.1);
        QCOMPARE(back.value.statistics.histogram, values.value.statistics.histogram);
        QVERIFY(back.original);
        QVERIFY(std::signbit(back.original->cells[3]));
        QCOMPARE(back.difference->worst, values.difference->worst);
        QCOMPARE(back.millis, 1.25);
        remote::Frame wrong = remote::toFrame(values, 3);
        wrong.json[wrong.json.find('2', wrong.json.find("\"rows\""))] = '9';
        QVERIFY_THROWS_EXCEPTION(Error, remote::nodeValues(wrong));
    }

    void request_throughAFrame_isTheSame() {
        remote::RunRequest sent;
        sent.model = "/tmp/a model.pt";
        sent.seed = ~0ull;
        sent.threads = 3;
        sent.random = {{"x", {1, 3, 8}, "torch.int64", 10}};
        sent.inputs = sample();
        const remote::RunRequest got = remote::runRequest(remote::toFrame(sent, 5, true));
        QCOMPARE(got.model.path, sent.model.path);
        QCOMPARE(got.seed, sent.seed);
        QCOMPARE(got.threads, 3);
        QCOMPARE(got.random.size(), 1u);
        QCOMPARE(got.random[0].high, 10);
        QVERIFY(got.random[0].sizes == sent.random[0].sizes);
        QVERIFY(equal(*got.inputs, *sent.inputs));
        QCOMPARE(got.inputs->items[0].tensor.get(), got.inputs->items[1].items[0].tensor.get()); // one tensor stays one
    }

    void tensorInAFile_locally_isNamedByItsPlace() {
        QTemporaryDir folder;
        const std::string path = folder.filePath("in.pt").toStdString();
        writeValueFile(sample(), path);
        remote::RunRequest sent;
        sent.inputs = readValueFile(path);
        QVERIFY(equal(*sent.inputs, *remote::runRequest(remote::toFrame(sent, 1, true)).inputs));
        QVERIFY(remote::toFrame(sent, 1, true).blob->empty());
        QVERIFY(!remote::toFrame(sent, 1, false).blob->empty());
        QVERIFY(equal(*sent.inputs, *remote::runRequest(remote::toFrame(sent, 1, false)).inputs));
    }

    void error_throughAFrame_keepsEverything() {
        Error sent(ErrorKind::Cancelled, Message::received({}, {}, "what \"it\" was"));
        sent.onNode("relu_1").hinting("more").quoting("x = y").onModule("a.b").in("f.pt").at(TextPlace{3});
        const Error got = remote::errorOf(remote::toFrame(sent, 2));
        QCOMPARE(got.kind(), ErrorKind::Cancelled);
        QCOMPARE(got.what(), sent.what());
        QCOMPARE(got.node + got.hint + got.source + got.modulePath + got.file + got.where,
                 std::string("relu_1morex = ya.bf.ptline 3"));
        QCOMPARE(got.textPlace.line, std::size_t(3));
        QCOMPARE(got.textPlace.column, std::size_t(0));
        QCOMPARE(got.side, Side::None);
        sent.of(Side::B);
        const Error ofB = remote::errorOf(remote::toFrame(sent, 3));
        QCOMPARE(ofB.side, Side::B);
        QCOMPARE(ofB.where, std::string("model B"));
    }

    void calibration_carriesOtherBuffersThatChanged() {
        remote::Calibration sent;
        sent.buffers = {{"bn.running_mean", ramp({12}, {1})}, {"count", ramp({1}, {1})}};
        const remote::Calibration got = remote::calibrationOf(remote::toFrame(sent, 1));
        QCOMPARE(got.buffers.size(), std::size_t{2});
        QCOMPARE(got.buffers[0].first, std::string("bn.running_mean"));
        GraphModule model;
        auto norm = std::make_shared<Module>();
        norm->buffers = {{"running_mean", nullptr}};
        model.root->children = {{"bn", norm}};
        model.root->buffers = {{"count", nullptr}};
        remote::putStates(model, got);
        QCOMPARE(elementValues(*model.root->child("bn")->buffer("running_mean")->tensor).at(4), 1.0);
        QVERIFY(model.root->buffer("count")->tensor != nullptr);
    }

    void tensor_outsideOfItsMessage_isRefused() {
        remote::RunRequest sent;
        sent.inputs = ValueTree::of(ramp({12}, {1}));
        remote::Frame frame = remote::toFrame(sent, 1, true);
        frame.blob = std::make_shared<const std::vector<std::byte>>(8);
        QVERIFY_THROWS_EXCEPTION(Error, remote::runRequest(frame));
    }

    void file_ofOtherObjects_isRefused() {
        QVERIFY_THROWS_EXCEPTION(Error, readValueFile(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
    }
};

QTEST_APPLESS_MAIN(TestMessage)
#include "tst_message.moc"
