// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/compilation.h"
#include "core/io/compilation/node_counter.h"
#include "core/ir/print.h"
#include "tests/failure.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

namespace {
const std::string kSample = LANCET_SOURCE_DIR "/resources/samples/compilation";
const std::string kDebug = LANCET_SOURCE_DIR "/tests/data/compilation";

/// A record of a log, with the lines of its payload.
QByteArray record(const QByteArray& json, const QByteArray& payload = {}, const QByteArray& process = "7") {
    QByteArray out = "V1122 21:38:42.190000 " + process + " torch/x.py:12] " + json + "\n";
    if (!payload.isEmpty())
        for (const QByteArray& line : payload.split('\n')) out += "\t" + line + "\n";
    return out;
}
QByteArray ids(int frame, int compile = 0, const QByteArray& more = {}) {
    return "\"frame_id\": " + QByteArray::number(frame) + ", \"frame_compile_id\": " + QByteArray::number(compile) +
           more;
}
const QByteArray kGraph =
    "class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[3][1]cpu\"):\n        l_x_ = L_x_\n"
    "        a: \"f32[3][1]cpu\" = l_x_.sin();  l_x_ = None\n        return (a,)\n        ";
QByteArray graph(const QByteArray& id) {
    return record("{\"dynamo_output_graph\": {\"sizes\": {}}, " + id + "}", kGraph);
}

QString stagesOf(const Compilation& compilation) {
    QStringList out;
    for (const CompilationStage& stage : compilation.stages)
        out << QString::fromStdString(stage.id) + " " + (stage.nodes ? QString::number(*stage.nodes) : QString("-"));
    return out.join('\n');
}
QString idsOf(const CompilationDump& dump) {
    QStringList out;
    for (const Compilation& compilation : dump.compilations) out << QString::fromStdString(compilation.id);
    return out.join(' ');
}
} // namespace

class TstCompilation : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string write(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    void init() { m_folder = QTemporaryDir(); }

    void sample_log_breaksRecompilesAndStages() {
        const CompilationDump dump = readCompilationDump(kSample);
        QCOMPARE(idsOf(dump), QString("0/0 1/0 0/1 1/1"));
        QVERIFY(dump.warnings.empty());
        QVERIFY(QString::fromStdString(dump.producer).startsWith("2.13"));
        const Compilation& first = dump.compilations[0];
        QVERIFY2(QString::fromStdString(first.function).startsWith("forward ("), first.function.c_str());
        QCOMPARE(first.graphBreaks.size(), std::size_t{1});
        QVERIFY(first.graphBreaks[0].find("Data-dependent branching") != std::string::npos);
        QVERIFY(first.recompiles.empty() && !first.stack.empty() && !first.guards.isEmpty());
        QVERIFY(stagesOf(first).startsWith("0/0:dynamo_output_graph 8\n0/0:before_pre_grad_graph 8\n"));
        QVERIFY(stagesOf(first).endsWith("\n0/0:inductor_output_code -"));
        const Compilation& second = dump.compilations[2];
        QCOMPARE(QString::fromStdString(second.recompiles.at(0)),
                 QString("0/0: tensor 'x' size mismatch at index 0. expected 2, actual 3"));
        QCOMPARE(QString::fromStdString(second.symbols.at(0).name), QString("s77"));
    }

    void sample_stages_openAsModels() {
        const std::string path = kSample + "/compiled_net.log";
        for (const Compilation& compilation : readCompilationDump(path).compilations) {
            for (const CompilationStage& stage : compilation.stages) {
                if (!stage.nodes) continue;
                const auto model = openStage(path, stage.id);
                QCOMPARE(model->graph.size(), *stage.nodes);
                QCOMPARE(model->path, path + "#" + stage.id);
                QCOMPARE(model->format, Format::CompileGraph);
            }
        }
        QCOMPARE(QString::fromStdString(failure([&] { openStage(path, "0/0:inductor_output_code"); }).message().code()),
                 QString("compile.stage_is_code"));
        QCOMPARE(QString::fromStdString(failure([&] { openStage(path, "9/9"); }).message().code()),
                 QString("compile.unknown_stage"));
    }

    void debug_folder_anyLevel() {
        const QString ids = "model__0_inference_0.0 model__2_forward_3.2 model__2_backward_9.5";
        for (const std::string& level : {kDebug, kDebug + "/torchinductor"}) {
            const CompilationDump dump = readCompilationDump(level);
            QCOMPARE(dump.compilations.size(), std::size_t{3});
            for (const QString& id : ids.split(' ')) QVERIFY(idsOf(dump).contains(id));
        }
        const CompilationDump one = readCompilationDump(kDebug + "/torchinductor/model__0_inference_0.0");
        QCOMPARE(stagesOf(one.compilations.at(0)),
                 QString("model__0_inference_0.0:fx_graph_readable 28\nmodel__0_inference_0.0:fx_graph_transformed 28\n"
                         "model__0_inference_0.0:fx_graph_runnable 28"));
        QVERIFY(!one.compilations[0].provenance.isEmpty());
        QCOMPARE(openStage(kDebug, "model__0_inference_0.0:fx_graph_runnable")->graph.size(), std::size_t{28});
    }

    void debug_folder_inTheOrderOfTheCompiler() {
        const char* names[] = {"model__0_forward_1.0", "model__1_forward_4.1", "model__1_backward_6.2",
                               "model__0_backward_7.3", "model__2_forward_9.10"};
        for (const char* name : names) {
            const QString folder = QStringLiteral("torchinductor/") + QLatin1String(name);
            QVERIFY(QDir(m_folder.path()).mkpath(folder));
            write(folder + QStringLiteral("/fx_graph_readable.py"), "class GraphModule(torch.nn.Module):\n");
        }
        QStringList expected;
        for (const char* name : names) expected << QLatin1String(name);
        QCOMPARE(idsOf(readCompilationDump(m_folder.path().toStdString())), expected.join(u' '));
    }

    void stages_sameName_numbered() {
        const std::string path = write("a.log", graph(ids(0)) + graph(ids(0)));
        QCOMPARE(stagesOf(readCompilationDump(path).compilations.at(0)),
                 QString("0/0:dynamo_output_graph 3\n0/0:dynamo_output_graph:2 3"));
    }

    void ids_afterReset_areNew() {
        const QByteArray start = record("{\"dynamo_start\": {\"stack\": []}, " + ids(0, 0, ", \"attempt\": 0") + "}");
        const QByteArray again = record("{\"dynamo_start\": {\"stack\": []}, " + ids(0, 0, ", \"attempt\": 1") + "}");
        const std::string path = write("a.log", start + again + graph(ids(0)) + start + graph(ids(0)));
        const CompilationDump dump = readCompilationDump(path);
        QCOMPARE(idsOf(dump), QString("0/0 0/0@2"));
        QCOMPARE(stagesOf(dump.compilations[1]), QString("0/0@2:dynamo_output_graph 3"));
    }

    void ranks_logsOfAFolder_prefixed() {
        write("dedicated_log_torch_trace_rank_0_x.log", graph(ids(0, 0, ", \"rank\": 0")));
        write("dedicated_log_torch_trace_rank_1_y.log", graph(ids(0)) + graph(ids(1, 0, ", \"rank\": 1")));
        QCOMPARE(idsOf(readCompilationDump(m_folder.path().toStdString())),
                 QString("rank_0/0/0 rank_1/0/0 rank_1/1/0"));
    }

    void ranks_oneFile_apart() {
        const std::string path = write("a.log", graph(ids(0, 0, ", \"rank\": 0")) + graph(ids(0, 0, ", \"rank\": 1")) +
                                                    graph(ids(0, 0, ", \"rank\": 0")));
        const CompilationDump dump = readCompilationDump(path);
        QCOMPARE(idsOf(dump), QString("rank_0/0/0 rank_1/0/0"));
        QCOMPARE(dump.compilations[0].stages.size(), std::size_t{2});
    }

    void log_truncated_readAsFarAsItGoes() {
        const QByteArray whole = graph(ids(0)) + graph(ids(1));
        for (qsizetype size = whole.size(); size > 60; size -= 7) {
            const std::string path = write("a.log", whole.left(size));
            try {
                const CompilationDump dump = readCompilationDump(path);
                QVERIFY(dump.compilations.size() <= 2);
            } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::File); }
        }
    }

    void log_interleaved_damagedRecordsCounted() {
        QByteArray cut = record("{\"dynamo_start\": {\"stack\": []}, " + ids(3) + "}");
        cut.truncate(70);
        const std::string path = write("a.log", graph(ids(0)) + cut + "\n" +
                                                    "some other program's line\n\tand its payload\n" + graph(ids(1)));
        const CompilationDump dump = readCompilationDump(path);
        QCOMPARE(idsOf(dump), QString("0/0 1/0"));
        QCOMPARE(QString::fromStdString(dump.warnings.at(0).what.code()), QString("compile.damaged_records"));
    }

    void records_hostile_noCrash() {
        for (const char* json :
             {"{\"str\": [1, 2]}", "{\"str\": []}", "{\"str\": [\"a\", \"b\"]}",
              "{\"dynamo_start\": 3, \"frame_id\": 0}", "{\"dynamo_start\": {\"stack\": [3, null]}, \"frame_id\": 0}",
              "{\"create_symbol\": null, \"frame_id\": 0}",
              "{\"compilation_metrics\": [], \"frame_id\": 99999999999999999999}",
              "{\"artifact\": {\"name\": ", "{\"dynamo_output_graph\": {}, \"frame_id\": -1, \"rank\": \"x\"}"}) {
            const std::string path = write("a.log", record(json, kGraph) + graph(ids(0)));
            QVERIFY(idsOf(readCompilationDump(path)).contains("0/0"));
        }
    }

    void paths_withHash_split() {
        const std::string path = write("a#b.log", graph(ids(0)));
        QVERIFY(!splitStagePath(path));
        const auto split = splitStagePath(path + "#0/0:dynamo_output_graph");
        QVERIFY(split && split->first == path && split->second == "0/0:dynamo_output_graph");
        QVERIFY(!splitStagePath("/nowhere#0/0"));
    }

    void other_paths_refused() {
        QCOMPARE(
            QString::fromStdString(failure([&] { readCompilationDump(write("a.log", "hello\n")); }).message().code()),
            QString("compile.no_dump"));
        QCOMPARE(failure([] { readCompilationDump("/nowhere"); }).kind(), ErrorKind::File);
        QVERIFY(!isCompilationDump(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
    }

    void reading_cancelled_stops() {
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(failure([&] { readCompilationDump(kSample, Progress(stop.get_token())); }).kind(),
                 ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TstCompilation)
#include "tst_compilation.moc"
