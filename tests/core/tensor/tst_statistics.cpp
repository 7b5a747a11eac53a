// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/elements.h"
#include "core/tensor/encode_elements.h"
#include "core/tensor/tensor_statistics.h"

#include <QFile>
#include <QTest>
#include <cmath>

using namespace fx;

namespace {

template<class T> std::shared_ptr<const Storage> storageOf(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return Storage::inMemory(std::move(bytes));
}

TensorRef tensorOf(DType dtype, std::shared_ptr<const Storage> storage, std::vector<std::int64_t> sizes,
                   std::vector<std::int64_t> strides, std::int64_t offset = 0) {
    TensorRef tensor;
    tensor.dtype = dtype;
    tensor.sizes = std::move(sizes);
    tensor.strides = std::move(strides);
    tensor.offset = offset;
    tensor.storage = std::move(storage);
    return tensor;
}

/// 0, 1, 2, ... as a storage of floats.
std::shared_ptr<const Storage> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
    return storageOf(values);
}

/// Equal to 12 digits of the values that were summed.
bool close(double a, double b, double scale) {
    return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * scale;
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A few bytes have as many elements as a crafted file says: only distinct ones are visited, per channel too.
    void statistics_expandedChannels_distinctElements() {
        const std::int64_t many = 1'000'000'000;
        TensorRef tensor = tensorOf(DType::QInt8, storageOf(std::vector<std::int8_t>{4}), {many, 2, 1000}, {0, 0, 0});
        tensor.quantizer.emplace();
        tensor.quantizer->perChannel = true, tensor.quantizer->axis = 1;
        const auto numbers = [](std::vector<double> values) {
            return std::make_shared<TensorRef>(tensorOf(DType::Float64, storageOf(values), {2}, {1}));
        };
        tensor.quantizer->scales = numbers({1, 0.5});
        tensor.quantizer->zeroPoints = numbers({0, 0});
        const auto statistics = computeStatistics(tensor);
        QCOMPARE(statistics.count, 2000 * many);
        QCOMPARE(statistics.finite, 2000 * many);
        QCOMPARE(statistics.mean, 3.0);
        QCOMPARE(statistics.min, 2.0);
    }

    void values_ofExpandedTensor_refusedBeforeMemoryIsTaken_data() {
        QTest::addColumn<std::int64_t>("count");
        QTest::newRow("memory") << std::int64_t{1'000'000'000};
        QTest::newRow("more than any") << std::int64_t{1'000'000'000'000'000'000};
    }
    void values_ofExpandedTensor_refusedBeforeMemoryIsTaken() {
        QFETCH(std::int64_t, count);
        const TensorRef tensor = tensorOf(DType::Float32, ramp(1), {count}, {0});
        const auto isRefused = [](const auto& call) {
            try {
                call();
                return false;
            } catch (const Error& error) { return error.message().is("files.tensor_expanded"); }
        };
        QVERIFY(isRefused([&] { elementValues(tensor); }));
        QVERIFY(isRefused([&] { converted(tensor, DType::Float64); }));
        QVERIFY(!isRefused([&] { computeStatistics(tensor); }));
        QCOMPARE(elementValues(tensorOf(DType::Float32, ramp(1), {5}, {0})), std::vector<double>(5, 0.0));
    }

    void dtypes_rawBytes_asPyTorch_data() {
        QTest::addColumn<QStringList>("fields");
        QFile file(LANCET_SOURCE_DIR "/tests/data/tensor/dtypes.txt");
        QVERIFY(file.open(QIODevice::ReadOnly));
        int row = 0;
        for (const QString& line : QString::fromUtf8(file.readAll()).split('\n', Qt::SkipEmptyParts)) {
            const QStringList fields = line.split('\t');
            QTest::addRow("%d %s", row++, qPrintable(fields[0])) << fields;
        }
        QVERIFY(row >= 25);
    }

    void dtypes_rawBytes_asPyTorch() {
        QFETCH(QStringList, fields);
        const auto dtype = dtypeFromName(fields[0].toStdString());
        QVERIFY(dtype);
        const QByteArray raw = QByteArray::fromHex(fields[1].toLatin1());
        const auto* begin = reinterpret_cast<const std::byte*>(raw.constData());
        const QStringList expected = fields[2].split(';');
        const TensorRef tensor =
            tensorOf(*dtype, Storage::inMemory({begin, begin + raw.size()}), {expected.size()}, {1});

        const TensorStatistics got = computeStatistics(tensor);
        const QStringList figures = fields[3].split(' ');
        QCOMPARE(got.count, figures[0].toLongLong());
        QCOMPARE(got.finite, figures[1].toLongLong());
        QCOMPARE(got.zeros, figures[2].toLongLong());
        QCOMPARE(got.nans, figures[3].toLongLong());
        QCOMPARE(got.infinities, figures[4].toLongLong());
        const double moments[] = {got.min, got.max, got.mean, got.std};
        const double scale = std::max({1.0, std::abs(got.min), std::abs(got.max)});
        for (int i = 0; i < 4; ++i)
            QVERIFY2(close(moments[i], figures[5 + i].toDouble(), scale),
                     qPrintable(QString::number(moments[i]) + " not " + figures[5 + i]));
        qint64 binned = 0;
        for (const std::int64_t bin : got.histogram) binned += bin;
        QCOMPARE(binned, got.finite);

        const std::vector<double> values = elementValues(tensor);
        const qsizetype parts = static_cast<qsizetype>(partsOf(*dtype));
        QCOMPARE(static_cast<qsizetype>(values.size()), expected.size() * parts);
        for (qsizetype i = 0; i < expected.size() && parts == 1; ++i)
            compareValue(*dtype, values[static_cast<std::size_t>(i)], expected[i]);
    }

    static void compareValue(DType dtype, double got, const QString& expected) {
        bool isNumber = false;
        const double value = expected == "True" ? 1 : expected == "False" ? 0 : expected.toDouble(&isNumber);
        const std::string_view name = dtypeName(dtype);
        const double error = dtype == DType::Float32                               ? 1e-7
                             : dtype == DType::Float16 || dtype == DType::BFloat16 ? 4e-3
                             : name.starts_with("torch.float8")                    ? 0.02
                                                                                   : 0;
        const bool isClose = std::isnan(value)      ? std::isnan(got)
                             : std::isfinite(value) ? std::abs(got - value) <= error * std::abs(value)
                                                    : got == value;
        QVERIFY2(isClose, qPrintable(QString::number(got) + " not " + expected));
    }

    void values_transposed_rowMajorOrder() {
        const TensorRef tensor = tensorOf(DType::Float32, ramp(6), {3, 2}, {1, 3});
        QCOMPARE(elementValues(tensor), (std::vector<double>{0, 3, 1, 4, 2, 5}));
    }

    void statistics_views_asTheirElements_data() {
        QTest::addColumn<std::vector<std::int64_t>>("sizes");
        QTest::addColumn<std::vector<std::int64_t>>("strides");
        QTest::addColumn<qint64>("offset");
        QTest::addColumn<qint64>("count");
        QTest::addColumn<double>("mean");
        using V = std::vector<std::int64_t>;
        QTest::newRow("scalar") << V{} << V{} << qint64{5} << qint64{1} << 5.0;
        QTest::newRow("transposed") << V{3, 4} << V{1, 3} << qint64{0} << qint64{12} << 5.5;
        QTest::newRow("every second") << V{6} << V{2} << qint64{1} << qint64{6} << 6.0;
        QTest::newRow("expanded") << V{1000000, 2} << V{0, 1} << qint64{2} << qint64{2000000} << 2.5;
        QTest::newRow("windows that overlap") << V{3, 2} << V{1, 1} << qint64{0} << qint64{6} << 1.5;
        QTest::newRow("channels last") << V{1, 3, 2, 2} << V{12, 1, 6, 3} << qint64{0} << qint64{12} << 5.5;
        QTest::newRow("empty") << V{0, 3} << V{3, 1} << qint64{0} << qint64{0} << 0.0;
    }

    void statistics_views_asTheirElements() {
        QFETCH(std::vector<std::int64_t>, sizes);
        QFETCH(std::vector<std::int64_t>, strides);
        QFETCH(qint64, offset);
        QFETCH(qint64, count);
        QFETCH(double, mean);
        const TensorStatistics got = computeStatistics(tensorOf(DType::Float32, ramp(12), sizes, strides, offset));
        QCOMPARE(got.count, count);
        QCOMPARE(got.finite, count);
        QCOMPARE(got.mean, mean);
    }

    void statistics_largeTransposed_sameAsContiguous() {
        const auto storage = ramp(std::size_t{1} << 21);
        const TensorStatistics rows = computeStatistics(tensorOf(DType::Float32, storage, {1024, 2048}, {2048, 1}));
        const TensorStatistics columns = computeStatistics(tensorOf(DType::Float32, storage, {2048, 1024}, {1, 2048}));
        QCOMPARE(columns.mean, rows.mean);
        QCOMPARE(columns.histogram, rows.histogram);
        QCOMPARE(rows.histogram.front(), std::int64_t{1 << 15});
    }

    void statistics_quantized_reals() {
        TensorRef tensor = tensorOf(DType::QUInt8, storageOf<std::uint8_t>({10, 12, 20, 24}), {2, 2}, {2, 1});
        tensor.quantizer = Quantizer{.scale = 0.5, .zeroPoint = 10, .scales = {}, .zeroPoints = {}};
        QCOMPARE(computeStatistics(tensor).max, 7.0);
        tensor.quantizer->perChannel = true;
        tensor.quantizer->scales =
            std::make_shared<TensorRef>(tensorOf(DType::Float64, storageOf<double>({1, 10}), {2}, {1}));
        tensor.quantizer->zeroPoints =
            std::make_shared<TensorRef>(tensorOf(DType::Int64, storageOf<std::int64_t>({10, 20}), {2}, {1}));
        QCOMPARE(computeStatistics(tensor).mean, 10.5);
        tensor.quantizer->axis = 7;
        QVERIFY_THROWS_EXCEPTION(Error, computeStatistics(tensor));
    }

    void values_packed_oneByOne() {
        const auto storage = storageOf<std::uint8_t>({139, 166, 108, 235, 128, 168, 64, 3, 0}); // a byte is to spare
        const TensorRef four = tensorOf(DType::QUInt4x2, storage, {3, 5}, {5, 1});
        QCOMPARE(four.byteCount(), 8);
        QCOMPARE(elementValues(four), (std::vector<double>{11, 8, 6, 10, 12, 6, 11, 14, 0, 8, 8, 10, 0, 4, 3}));
        const TensorRef two = tensorOf(DType::QUInt2x4, storageOf<std::uint8_t>({228, 1}), {5}, {1});
        QCOMPARE(elementValues(two), (std::vector<double>{0, 1, 2, 3, 1}));
        std::vector<double> rest;
        ElementStream(four, ElementStream::Order::Logical).visit(3, 4, {}, [&](const ElementStream::Run& run) {
            rest.insert(rest.end(), run.values, run.values + run.count);
        });
        QCOMPARE(rest, (std::vector<double>{10, 12, 6, 11}));
    }

    void values_partOfPacked_refused() {
        const auto storage = storageOf<std::uint8_t>({139, 166, 108});
        QVERIFY(!tensorOf(DType::QUInt4x2, storage, {2, 3}, {1, 2}).geometryProblem().empty());
        QVERIFY(!tensorOf(DType::QUInt4x2, storage, {7}, {1}).geometryProblem().empty());
        QVERIFY(tensorOf(DType::QUInt4x2, storage, {6}, {1}).geometryProblem().empty());
    }

    void statistics_extremeRange_noOverflow() {
        const TensorStatistics got =
            computeStatistics(tensorOf(DType::Float64, storageOf<double>({-1.7e308, 1.7e308}), {2}, {1}));
        QCOMPARE(got.histogram.front(), std::int64_t{1});
        QCOMPARE(got.histogram.back(), std::int64_t{1});
    }

    void statistics_unreadable_refused_data() {
        QTest::addColumn<int>("what");
        for (const char* name :
             {"meta", "unknown dtype", "sparse", "past the end", "negative stride", "overflow", "expression"})
            QTest::newRow(name) << 0;
    }

    void statistics_unreadable_refused() {
        TensorRef tensor = tensorOf(DType::Float32, ramp(12), {3, 4}, {4, 1});
        const QByteArray what = QTest::currentDataTag();
        if (what == "meta") tensor.storage = nullptr;
        if (what == "unknown dtype") tensor.dtype = DType::Other;
        if (what == "sparse") tensor.layout = "torch.sparse_coo";
        if (what == "past the end") tensor.offset = 1;
        if (what == "negative stride") tensor.strides = {4, -1};
        if (what == "overflow") tensor.sizes = {std::int64_t{1} << 40, std::int64_t{1} << 40};
        if (what == "expression") tensor.storage = Storage::expression("torch.zeros(3, 4)", 48);
        QVERIFY_THROWS_EXCEPTION(Error, computeStatistics(tensor));
        QVERIFY_THROWS_EXCEPTION(Error, elementValues(tensor));
    }

    void statistics_stopped_cancelled() {
        std::stop_source stop;
        stop.request_stop();
        const TensorRef tensor = tensorOf(DType::Float32, ramp(12), {12}, {1});
        QVERIFY_THROWS_EXCEPTION(Error, computeStatistics(tensor, Progress(stop.get_token())));
    }
};

QTEST_APPLESS_MAIN(TestStatistics)
#include "tst_statistics.moc"
