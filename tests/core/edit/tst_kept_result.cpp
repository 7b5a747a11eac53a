// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/edit/kept_result.h"
#include "core/files/replaced_file.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/module/module_editor.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

/// A step `passes` that keeps what the worker made: here, a parameter that is not in the model.
class TestKeptResult : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::shared_ptr<GraphModule> m_model;
    GraphModule m_made;
    KeptResult m_kept;

    StepList steps(const std::string& file) const {
        return StepList().passes(R"({"passes": ["const_fold"]})", m_kept.json, file);
    }

private Q_SLOTS:
    void init() {
        m_model = openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt");
        m_made = *m_model;
        TensorRef folded;
        folded.dtype = DType::Float32, folded.sizes = {2}, folded.strides = {1}, folded.isParameter = true;
        folded.storage = Storage::inMemory(std::vector<std::byte>(8, std::byte{7}));
        ModuleEditor(m_made).writable("")->parameters.push_back({"folded", std::make_shared<const TensorRef>(folded)});
        const NodeId relu = m_made.graph.find("relu");
        m_made.graph.setInsertPoint({InsertPoint::Side::Before, relu});
        m_made.graph.createNode(Op::GetAttr, "folded");
        m_made.graph.setInsertPoint({});
        m_kept = keepResult(*m_model, m_made);
    }

    void fileHasOnlyWhatIsNew() {
        QCOMPARE(m_kept.fresh.entries.size(), std::size_t(1));
        QCOMPARE(m_kept.fresh.entries.front().name, std::string("folded"));
    }

    void step_isRepeatedWithoutTheWorker() {
        const std::string file = m_dir.filePath("kept.safetensors").toStdString();
        ReplacedFile out(file);
        writeSafetensors(out, m_kept.fresh);
        out.commit();
        const auto again = History::edited(*m_model, steps(file));
        QCOMPARE(graphText(again->graph), graphText(m_made.graph));
        const auto value = resolvePath(*again->root, "folded").tensor;
        QVERIFY(value);
        std::vector<std::byte> bytes(8);
        value->storage->read(0, bytes);
        QVERIFY(bytes == std::vector<std::byte>(8, std::byte{7}));
        forEachModule(*m_model->root, [&](const std::string& path, const Module& module) {
            for (const auto& slot : module.parameters) // of the same file
                QCOMPARE(resolvePath(*again->root, (path.empty() ? "" : path + ".") + slot.name).tensor->storage,
                         slot.tensor->storage);
        });
        QCOMPARE(again->path, m_model->path);
    }

    void otherModel_doesNotGetIt() {
        GraphModule other = *m_model;
        other.graph.rename(other.graph.find("relu"), "another");
        QVERIFY_THROWS_EXCEPTION(Error, History::edited(other, steps("/nowhere"))); // const_fold needs the worker
    }

    void recipes_runThePassesAnew() {
        QCOMPARE(withoutKeptResults(steps("/nowhere")).text(),
                 std::string(R"([{"step": "passes", "passes": ["const_fold"]}])"));
    }
};

QTEST_APPLESS_MAIN(TestKeptResult)
#include "tst_kept_result.moc"
