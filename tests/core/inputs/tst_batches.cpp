// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/files/replaced_file.h"
#include "core/inputs/batches.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/values/value_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>

using namespace fx;

class TestBatches final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pt_list_hasABatchForEachItem();
    void pt_dict_isOneBatchByName();
    void pt_emptyList_isRefused();
    void safetensors_numberedNames_areBatches();
    void safetensors_names_areOneBatch();
    void npz_compressed_isRead();
    void damagedAndEmptyFiles_areNamed();

private:
    std::string path(const char* name) const { return m_folder.filePath(name).toStdString(); }
    QTemporaryDir m_folder;
};

namespace {

TensorPtr tensor(float value) {
    TensorRef out;
    out.sizes = {1}, out.strides = {1};
    std::vector<std::byte> bytes(sizeof(float));
    std::memcpy(bytes.data(), &value, sizeof(float));
    out.storage = Storage::inMemory(std::move(bytes));
    return std::make_shared<const TensorRef>(std::move(out));
}

ValueTree tree(ValueTree::Kind kind, std::vector<ValueTree> items) {
    ValueTree out;
    out.kind = kind, out.items = std::move(items);
    return out;
}

void save(const std::string& path, const std::vector<std::string>& names) {
    SafetensorsFile content;
    for (const std::string& name : names) content.entries.push_back({name, "F32", {1}, tensor(1)->storage});
    ReplacedFile file(path);
    writeSafetensors(file, content);
    file.commit();
}

std::string namesOf(const Batch& batch) {
    std::string out;
    for (std::size_t i = 0; i < batch.at(0).items.size(); i += 2)
        out += *batch[0].items[i].plain.as<std::string>() + " ";
    return out;
}

} // namespace

void TestBatches::pt_list_hasABatchForEachItem() {
    const ValueTree one = ValueTree::of(tensor(1));
    writeValueFile(tree(ValueTree::Kind::List, {one, tree(ValueTree::Kind::Tuple, {one, one})}), path("list.pt"));
    const std::vector<Batch> batches = readBatches(path("list.pt"));
    QCOMPARE(batches.size(), std::size_t{2});
    QCOMPARE(batches[0].size(), std::size_t{1});
    QCOMPARE(batches[1].size(), std::size_t{2});
    QVERIFY(batches[1][1].kind == ValueTree::Kind::Tensor);
}

void TestBatches::pt_dict_isOneBatchByName() {
    writeValueFile(tree(ValueTree::Kind::Dict, {ValueTree::of(Argument("x")), ValueTree::of(tensor(1))}),
                   path("dict.pt"));
    const std::vector<Batch> batches = readBatches(path("dict.pt"));
    QCOMPARE(batches.size(), std::size_t{1});
    QCOMPARE(namesOf(batches[0]), std::string("x "));
}

void TestBatches::pt_emptyList_isRefused() {
    writeValueFile(tree(ValueTree::Kind::List, {}), path("empty.pt"));
    QVERIFY_THROWS_EXCEPTION(Error, readBatches(path("empty.pt")));
}

void TestBatches::safetensors_numberedNames_areBatches() {
    save(path("numbers.safetensors"), {"0.x", "0.y", "1.x", "1.y", "10.x", "10.y", "2.x", "2.y"});
    const std::vector<Batch> batches = readBatches(path("numbers.safetensors"));
    QCOMPARE(batches.size(), std::size_t{4});
    QCOMPARE(namesOf(batches[3]), std::string("x y "));
}

void TestBatches::safetensors_names_areOneBatch() {
    save(path("names.safetensors"), {"ids", "mask"});
    const std::vector<Batch> batches = readBatches(path("names.safetensors"));
    QCOMPARE(batches.size(), std::size_t{1});
    QCOMPARE(namesOf(batches[0]), std::string("ids mask "));
}

void TestBatches::npz_compressed_isRead() {
    // numpy.savez_compressed(FILE, numpy.arange(64, dtype="f4"), numpy.full(64, 7, dtype="f4"))
    const QByteArray content = QByteArray::fromBase64(
        "UEsDBBQAAAAIAAAAIQA1i3dJ0gAAAIABAAAJABQAYXJyXzAubnB5AQAQAIABAAAAAAAA0gAAAAAAAACdyLFLAmEcxvFf0BDh4ODQ"
        "0PAOwWvwDjccESF0iYiDyQ0KBkEe3SsO0h13RwQq3OgYuDg6NjY23tjY6Ojo6OjY1/6EHn6fB37PotO79x+O5FUmOrTpc6JvlK4N"
        "XW2UHkZJlgQvT1ES2sPeDMapZU9HQWz5q1euuTRqpv6fU/lLfkt5HHKsUGADuRMpQ8GBBx8DxMgxxzuWWOEDn/hCgW/8YI0Ntthh"
        "D6mLHOMEJZRRwRnOoXCBKgwcuLhGDR4aaKENH1308YgBQowwRowMb5jWfwFQSwMEFAAAAAgAAAAhAL36Pz9MAAAAgAEAAAkAFABh"
        "cnJfMS5ucHkBABAAgAEAAAAAAABMAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loG6TZqKuo6Cell9UUpSYF59flJIKEndLzClO"
        "BYoXZyQWpAL5GmYmOpo6CrUK5AMuBoYHDiMZAwBQSwECFAMUAAAACAAAACEANYt3SdIAAACAAQAACQAAAAAAAAAAAAAAgAEAAAAA"
        "YXJyXzAubnB5UEsBAhQDFAAAAAgAAAAhAL36Pz9MAAAAgAEAAAkAAAAAAAAAAAAAAIABDQEAAGFycl8xLm5weVBLBQYAAAAAAgAC"
        "AG4AAACUAQAAAAA=");
    ReplacedFile file(path("compressed.npz"));
    file.write(std::string_view(content.data(), static_cast<std::size_t>(content.size())));
    file.commit();
    const std::vector<Batch> batches = readBatches(path("compressed.npz"));
    QCOMPARE(batches.size(), std::size_t{2});
    std::array<float, 64> first{}, second{};
    batches[0].at(0).tensor->storage->read(0, std::as_writable_bytes(std::span(first)));
    batches[1].at(0).tensor->storage->read(0, std::as_writable_bytes(std::span(second)));
    QCOMPARE(first[63], 63.F);
    QCOMPARE(second[0], 7.F);
}

void TestBatches::damagedAndEmptyFiles_areNamed() {
    const auto refused = [&](const QByteArray& content) {
        const std::string file = path("bad.npz");
        ReplacedFile written(file);
        written.write(std::string_view(content.data(), static_cast<std::size_t>(content.size())));
        written.commit();
        try {
            readBatches(file);
        } catch (const Error& error) {
            return QString::fromStdString(error.file == file ? error.message().code() : "unnamed");
        }
        return QString();
    };
    // numpy.savez(FILE, numpy.float32(1.5)): one stored member, the bytes of 1.5 before the directory
    const QByteArray number("\x00\x00\xc0\x3f", 4);
    QByteArray content = QByteArray::fromBase64(
        "UEsDBBQAAAAAAAAAIQAlE+ZdhAAAAIQAAAAJABQAYXJyXzAubnB5AQAQAIQAAAAAAAAAhAAAAAAAAACTTlVNUFkBAHYAeydkZXNj"
        "cic6ICc8ZjQnLCAnZm9ydHJhbl9vcmRlcic6IEZhbHNlLCAnc2hhcGUnOiAoKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAg"
        "ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgCgAAwD9QSwECFAMUAAAAAAAAACEAJRPmXYQAAACEAAAACQAAAAAA"
        "AAAAAAAAgAEAAAAAYXJyXzAubnB5UEsFBgAAAAABAAEANwAAAL8AAAAAAA==");
    QCOMPARE(refused(content), QString());
    content.replace(number, QByteArray("\x00\x00\xc1\x3f", 4));
    QCOMPARE(refused(content), QString("zip.damaged"));
    QCOMPARE(refused({}), QString("inputs.empty_file"));
    QCOMPARE(refused(QByteArray("PK\x05\x06") + QByteArray(18, '\0')), QString("inputs.no_batches"));
}

QTEST_APPLESS_MAIN(TestBatches)
#include "tst_batches.moc"
