// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/stage_links.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;

namespace {
const std::string kSample = LANCET_SOURCE_DIR "/resources/samples/compilation";

QStringList namesOf(const std::vector<NodeId>& nodes, const Graph& graph) {
    QStringList names;
    for (const NodeId node : nodes) names << QString::fromStdString(graph.node(node).name());
    return names;
}
} // namespace

/// The stages of a compilation that PyTorch logged: a softmax that became twelve operators in one kernel.
class TestStageLinks : public QObject {
    Q_OBJECT

    std::shared_ptr<const CompilationDump> m_dump = compilationDump(kSample);
    const Compilation& resumed() const { return m_dump->compilations.at(1); }
    std::shared_ptr<GraphModule> open(const char* stage) const {
        return openStage(kSample, resumed().id + ":" + stage);
    }

private Q_SLOTS:
    void provenance_linksOneNodeToWhatItBecame() {
        const auto before = open("dynamo_output_graph"), after = open("inductor_post_grad_graph");
        const Provenance provenance = readProvenance(resumed());
        QVERIFY(!provenance.isEmpty());
        const StageLinks links = linkStages({*before, true}, {*after, false}, provenance);
        QVERIFY(links.tracked > 0);
        std::size_t most = 0;
        for (const Node& node : before->graph.nodes()) {
            const auto& linked = links.ofA[index(node.id())];
            if (!provenance.preToPost.contains(node.name())) continue;
            most = std::max(most, linked.size());
            QStringList expected;
            for (const std::string& name : provenance.preToPost.at(node.name()))
                expected << QString::fromStdString(name);
            QCOMPARE(namesOf(linked, after->graph), expected);
            for (const NodeId each : linked)
                QVERIFY(namesOf(links.ofB[index(each)], before->graph).contains(QString::fromStdString(node.name())));
        }
        QVERIFY(most > 2);
        const Node& input = *before->graph.nodes().begin();
        QCOMPARE(links.ofA[index(input.id())].size(), std::size_t(1)); // by structure: PyTorch does not follow inputs
    }

    void sameDialect_isLinkedByStructure() {
        const auto a = open("aot_inference_graph"), b = open("before_joint_graph");
        const StageLinks links = linkStages({*a, false}, {*b, false}, readProvenance(resumed()));
        QCOMPARE(links.tracked, std::size_t(0));
        for (const Node& node : a->graph.nodes()) {
            QCOMPARE(links.ofA[index(node.id())].size(), std::size_t(1));
            QCOMPARE(namesOf(links.ofA[index(node.id())], b->graph).first(), QString::fromStdString(node.name()));
        }
    }

    void kernels_areFoundInTheGeneratedCode() {
        const Provenance provenance = readProvenance(resumed());
        const std::string code = m_dump->stage(resumed().id + ":inductor_output_code").text.read();
        QVERIFY(!provenance.kernelToPost.empty());
        for (const auto& [kernel, nodes] : provenance.kernelToPost) {
            const auto line = kernelLine(code, kernel);
            QVERIFY2(line, kernel.c_str());
            QVERIFY(
                QByteArray::fromStdString(code).split('\n').at(static_cast<qsizetype>(*line)).contains(kernel.c_str()));
        }
        QVERIFY(!kernelLine(code, "cpp_fused_nothing_0:1"));
        QCOMPARE(*kernelLine("cpp_fused_0_1 = 1\ncpp_fused_0 = 2\n", "cpp_fused_0:9"), std::size_t(1));
    }

    void index_isKeptUntilTheFilesChange() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("a.log"));
        QVERIFY(QFile::copy(QString::fromStdString(kSample) + QStringLiteral("/compiled_net.log"), path));
        const auto first = compilationDump(path.toStdString());
        QCOMPARE(compilationDump(path.toStdString()).get(), first.get());
        QFile file(path);
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(file.open(QIODevice::Append));
        file.write("V1122 21:38:42.190000 7 torch/x.py:12] {\"dynamo_start\": {\"stack\": []}, \"frame_id\": 9, "
                   "\"frame_compile_id\": 0}\n");
        file.close();
        QVERIFY(compilationDump(path.toStdString()).get() != first.get());
    }
};

QTEST_GUILESS_MAIN(TestStageLinks)
#include "tst_stage_links.moc"
