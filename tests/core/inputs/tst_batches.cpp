// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/files/replaced_file.h"
#include "core/inputs/batches.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/values/value_file.h"

#include <QTemporaryDir>
#include <QTest>

using namespace fx;

class BatchesTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pt_list_hasABatchForEachItem();
    void pt_dict_isOneBatchByName();
    void pt_emptyList_isRefused();
    void safetensors_numberedNames_areBatches();
    void safetensors_names_areOneBatch();

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

void BatchesTest::pt_list_hasABatchForEachItem() {
    const ValueTree one = ValueTree::of(tensor(1));
    writeValueFile(tree(ValueTree::Kind::List, {one, tree(ValueTree::Kind::Tuple, {one, one})}), path("list.pt"));
    const std::vector<Batch> batches = readBatches(path("list.pt"));
    QCOMPARE(batches.size(), std::size_t{2});
    QCOMPARE(batches[0].size(), std::size_t{1});
    QCOMPARE(batches[1].size(), std::size_t{2});
    QVERIFY(batches[1][1].kind == ValueTree::Kind::Tensor);
}

void BatchesTest::pt_dict_isOneBatchByName() {
    writeValueFile(tree(ValueTree::Kind::Dict, {ValueTree::of(Argument("x")), ValueTree::of(tensor(1))}),
                   path("dict.pt"));
    const std::vector<Batch> batches = readBatches(path("dict.pt"));
    QCOMPARE(batches.size(), std::size_t{1});
    QCOMPARE(namesOf(batches[0]), std::string("x "));
}

void BatchesTest::pt_emptyList_isRefused() {
    writeValueFile(tree(ValueTree::Kind::List, {}), path("empty.pt"));
    QVERIFY_THROWS_EXCEPTION(Error, readBatches(path("empty.pt")));
}

void BatchesTest::safetensors_numberedNames_areBatches() {
    save(path("numbers.safetensors"), {"0.x", "0.y", "1.x", "1.y", "10.x", "10.y", "2.x", "2.y"});
    const std::vector<Batch> batches = readBatches(path("numbers.safetensors"));
    QCOMPARE(batches.size(), std::size_t{4});
    QCOMPARE(namesOf(batches[3]), std::string("x y "));
}

void BatchesTest::safetensors_names_areOneBatch() {
    save(path("names.safetensors"), {"ids", "mask"});
    const std::vector<Batch> batches = readBatches(path("names.safetensors"));
    QCOMPARE(batches.size(), std::size_t{1});
    QCOMPARE(namesOf(batches[0]), std::string("ids mask "));
}

QTEST_APPLESS_MAIN(BatchesTest)
#include "tst_batches.moc"
