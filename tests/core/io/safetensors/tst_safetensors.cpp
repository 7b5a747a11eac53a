// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors/safetensors.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

namespace {
std::shared_ptr<const Storage> bytes(const std::string& text) {
    const auto view = std::as_bytes(std::span(text));
    return Storage::inMemory({view.begin(), view.end()});
}

std::string contentOf(const Storage& storage) {
    std::string text(storage.byteCount(), '\0');
    storage.read(0, std::as_writable_bytes(std::span(text)));
    return text;
}

/// A file as the format describes it: length, header, data.
QByteArray file(const QByteArray& header, const QByteArray& data, qint64 length = -1) {
    QByteArray out;
    const auto size = static_cast<quint64>(length < 0 ? header.size() : length);
    for (int i = 0; i < 8; ++i) out += static_cast<char>(size >> (8 * i) & 0xFF);
    return out + header + data;
}
} // namespace

class TestSafetensors : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writeAndRead_tensors_sameBytesAligned();
    void write_wholeLines_alignedForPyTorch();
    void write_cancelled_targetStays();
    void read_filesOfOthers_data();
    void read_filesOfOthers();
    void dtypes_words_bothWays();

private:
    QTemporaryDir m_folder;
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
};

void TestSafetensors::writeAndRead_tensors_sameBytesAligned() {
    SafetensorsFile content;
    content.entries = {{"odd", "U8", {3}, bytes("abc")},
                       {"a b\"é", "F32", {2, 1}, bytes("12345678")},
                       {"none", "I64", {0, 4}, bytes("")},
                       {"scalar", "F64", {}, bytes("ABCDEFGH")}};
    content.metadata = {{"format", "pt"}};
    {
        ReplacedFile out(path("x.safetensors"));
        writeSafetensors(out, content);
        out.commit();
    }
    const SafetensorsFile back = readSafetensors(DataFile::open(path("x.safetensors")));
    QCOMPARE(back.metadata, content.metadata);
    QCOMPARE(back.entries.size(), content.entries.size());
    for (const SafetensorsEntry& entry : content.entries) {
        const auto found = std::find_if(back.entries.begin(), back.entries.end(),
                                        [&](const auto& other) { return other.name == entry.name; });
        QVERIFY(found != back.entries.end());
        QCOMPARE(found->dtype, entry.dtype);
        QCOMPARE(found->shape, entry.shape);
        QCOMPARE(contentOf(*found->storage), contentOf(*entry.storage));
        QCOMPARE(found->storage->fileOffset() % elementSize(*dtypeFromSafetensors(entry.dtype)), 0u);
    }
}

void TestSafetensors::write_wholeLines_alignedForPyTorch() {
    SafetensorsFile content;
    content.entries = {{"wide", "F64", {1}, bytes(std::string(8, 'w'))},
                       {"weight", "F32", {16, 3}, bytes(std::string(192, 'a'))},
                       {"small", "U8", {3}, bytes("abc")},
                       {"mask", "U8", {64}, bytes(std::string(64, 'm'))},
                       {"bias", "F32", {3}, bytes(std::string(12, 'b'))}};
    {
        ReplacedFile out(path("lines.safetensors"));
        writeSafetensors(out, content);
        out.commit();
    }
    for (const SafetensorsEntry& entry : readSafetensors(DataFile::open(path("lines.safetensors"))).entries) {
        const bool wholeLines = entry.storage->byteCount() % 64 == 0;
        QCOMPARE(entry.storage->fileOffset() % (wholeLines ? 64 : elementSize(*dtypeFromSafetensors(entry.dtype))), 0u);
    }
}

void TestSafetensors::write_cancelled_targetStays() {
    QFile old(m_folder.filePath("y.safetensors"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    QVERIFY(old.write("old") == 3);
    old.close();
    std::stop_source source;
    source.request_stop();
    try {
        ReplacedFile out(path("y.safetensors"));
        writeSafetensors(out, {{{"a", "U8", {3}, bytes("abc")}}, {}}, Progress(source.get_token()));
        QFAIL("not cancelled");
    } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::Cancelled); }
    QVERIFY(old.open(QIODevice::ReadOnly));
    QCOMPARE(old.readAll(), QByteArray("old"));
}

void TestSafetensors::read_filesOfOthers_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("error"); // empty: is read
    const QByteArray good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} )";
    const QByteArray data(8, 'x');
    QTest::newRow("good") << file(good, data) << "";
    QTest::newRow("unknown dtype") << file(R"({"a":{"dtype":"F4","shape":[16],"data_offsets":[0,8]}})", data) << "";
    QTest::newRow("empty header") << file("{}", "") << "";
    QTest::newRow("empty file") << QByteArray() << "too short";
    QTest::newRow("cut header") << file(good, "", 1000) << "invalid header length of 1000 bytes";
    QTest::newRow("huge header") << file(good, data, Q_INT64_C(0x7FFFFFFFFFFFFFFF))
                                 << "invalid header length of 9223372036854775807 bytes";
    QTest::newRow("not JSON") << file("{\"a\":", data) << "the JSON text ends too early";
    QTest::newRow("not an object") << file("[1]", data) << "expected an object";
    QTest::newRow("cut data") << file(good, "xxxx") << "outside the file";
    QTest::newRow("negative offset") << file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", data)
                                     << "outside the file";
    QTest::newRow("reversed") << file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", data)
                              << "outside the file";
    QTest::newRow("three offsets") << file(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4,8]}})", data)
                                   << "expected two offsets";
    QTest::newRow("wrong shape") << file(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", data)
                                 << "does not match its 8 bytes";
    QTest::newRow("overflowing shape")
        << file(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", data)
        << "does not match its 8 bytes";
    QTest::newRow("negative size") << file(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", data)
                                   << "expected a non-negative size";
    QTest::newRow("overlap")
        << file(R"({"a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]},"b":{"dtype":"U8","shape":[4],)"
                R"("data_offsets":[4,8]}})",
                data)
        << "\"a\" and \"b\" overlap";
    QTest::newRow("same name")
        << file(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"a":{"dtype":"U8","shape":[4],)"
                R"("data_offsets":[4,8]}})",
                data)
        << "the same name";
    QTest::newRow("no dtype") << file(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", data) << "missing key \"dtype\"";
}

void TestSafetensors::read_filesOfOthers() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, error);
    QFile out(m_folder.filePath("z.safetensors"));
    QVERIFY(out.open(QIODevice::WriteOnly));
    QVERIFY(out.write(bytes) == bytes.size());
    out.close();
    try {
        readSafetensors(DataFile::open(path("z.safetensors")));
        QVERIFY2(error.isEmpty(), "not refused");
    } catch (const Error& thrown) {
        QVERIFY2(!error.isEmpty(), thrown.what());
        QVERIFY2(QString(thrown.what()).contains(error), thrown.what());
        QCOMPARE(thrown.kind(), ErrorKind::File);
        QCOMPARE(thrown.file, path("z.safetensors"));
    }
}

void TestSafetensors::dtypes_words_bothWays() {
    int words = 0;
    for (int i = 0; i <= static_cast<int>(DType::Other); ++i) {
        const auto dtype = static_cast<DType>(i);
        const std::string_view word = safetensorsDtype(dtype);
        if (word.empty()) continue;
        ++words;
        QCOMPARE(*dtypeFromSafetensors(word), dtype);
    }
    QCOMPARE(words, 16);
    QVERIFY(safetensorsDtype(DType::QInt8).empty());
    QVERIFY(!dtypeFromSafetensors("F33"));
}

QTEST_APPLESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
