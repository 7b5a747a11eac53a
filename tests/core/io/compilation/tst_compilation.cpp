// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/compilation.h"
#include "core/io/compilation/node_counter.h"
#include "core/ir/print.h"
#include "tests/failure.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <sys/stat.h>

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

/// With the checksum of the payload, as PyTorch writes it.
QByteArray checkedGraph(const QByteArray& id) {
    const QByteArray checksum = QCryptographicHash::hash(kGraph, QCryptographicHash::Md5).toHex();
    return record("{\"dynamo_output_graph\": {}, " + id + ", \"has_payload\": \"" + checksum + "\"}", kGraph);
}
bool isWarnedOfDamage(const std::string& path, const std::string& stage) {
    const Warnings warnings = openStage(path, stage)->warnings;
    return std::any_of(warnings.begin(), warnings.end(),
                       [](const Warning& each) { return each.what.code() == "compile.damaged_text"; });
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

class TestCompilation : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string write(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }

private Q_SLOTS:
    /// A dump from elsewhere shows nothing that it only links to, and nothing waits for a pipe in it.
    void linksThatLeadOut_arePassedOver() {
        QTemporaryDir dump, elsewhere;
        const QString debug = QString::fromStdString(kDebug) + "/torchinductor/model__0_inference_0.0";
        QVERIFY(QDir(dump.path()).mkpath("run/model__0_inference_0.0"));
        const QString stage = dump.filePath("run/model__0_inference_0.0/");
        for (const char* name : {"fx_graph_readable.py", "fx_graph_runnable.py"})
            QVERIFY(QFile::copy(debug + "/" + name, elsewhere.filePath(name)));
        QVERIFY(QFile::link(elsewhere.filePath("fx_graph_readable.py"), stage + "fx_graph_readable.py"));
        QFile log(elsewhere.filePath("other.log"));
        QVERIFY(log.open(QIODevice::WriteOnly));
        QVERIFY(log.write(graph(ids(3))) > 0);
        log.close();
        QVERIFY(QFile::link(log.fileName(), dump.filePath("other.log")));
        QCOMPARE(::mkfifo(dump.filePath("pipe.log").toUtf8().constData(), 0600), 0);
        QVERIFY(!isCompilationDump(dump.path().toStdString()));
        // What lies inside is read, also by a link.
        QVERIFY(QFile::copy(debug + "/fx_graph_runnable.py", stage + "fx_graph_runnable.py"));
        QVERIFY(QFile::copy(log.fileName(), dump.filePath("own")));
        QVERIFY(QFile::link("own", dump.filePath("own.log")));
        const CompilationDump read = readCompilationDump(dump.path().toStdString());
        QCOMPARE(read.compilations.size(), 2u);
        QCOMPARE(idsOf(read), QStringLiteral("3/0 model__0_inference_0.0"));
        QVERIFY(!stagesOf(read.compilations.back()).contains("readable"));
    }

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
        QVERIFY(first.recompiles.empty());
        QVERIFY(!first.stack.empty());
        QVERIFY(!first.guards.isEmpty());
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

    void log_withoutItsBeginning_readFromTheNextRecord() {
        const QByteArray whole = graph(ids(0)) + graph(ids(1));
        const qsizetype second = graph(ids(0)).size();
        for (qsizetype from = 1; from <= second; from += 7)
            QVERIFY(idsOf(readCompilationDump(write("a.log", whole.mid(from)))).contains("1/0"));
        QVERIFY(!isCompilationDump(write("b.log", "hello\nV1122 torch/x.py:1 not a record\n")));
    }

    void log_ofWindows_sameStages() {
        const QByteArray unixLog = checkedGraph(ids(0)) + checkedGraph(ids(1));
        QByteArray windowsLog = unixLog;
        windowsLog.replace("\n", "\r\n");
        const std::string path = write("a.log", windowsLog), other = write("b.log", unixLog);
        QVERIFY(readCompilationDump(path).warnings.empty());
        for (const std::string stage : {"0/0:dynamo_output_graph", "1/0:dynamo_output_graph"}) {
            QCOMPARE(graphText(openStage(path, stage)->graph), graphText(openStage(other, stage)->graph));
            QVERIFY(!isWarnedOfDamage(path, stage));
            QVERIFY(!isWarnedOfDamage(other, stage));
            QCOMPARE(readCompilationDump(path).stage(stage).nodes, readCompilationDump(other).stage(stage).nodes);
        }
    }

    void debug_folder_ofWindows_countsTheSameNodes() {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("model__0_inference_0.0")));
        QFile sample(QString::fromStdString(kDebug) + "/torchinductor/model__0_inference_0.0/fx_graph_readable.py");
        QVERIFY(sample.open(QIODevice::ReadOnly));
        QByteArray text = sample.readAll();
        text.replace("\n", "\r\n");
        write(QStringLiteral("model__0_inference_0.0/fx_graph_readable.py"), text);
        QCOMPARE(stagesOf(readCompilationDump(m_folder.path().toStdString()).compilations.at(0)),
                 QString("model__0_inference_0.0:fx_graph_readable 28"));
    }

    void payload_changed_isTold() {
        QByteArray changed = checkedGraph(ids(0));
        changed.replace("l_x_.sin()", "l_x_.cos()");
        const std::string path = write("a.log", changed + checkedGraph(ids(1)));
        QVERIFY(isWarnedOfDamage(path, "0/0:dynamo_output_graph"));
        QVERIFY(!isWarnedOfDamage(path, "1/0:dynamo_output_graph"));
        const CompilationDump dump = readCompilationDump(path);
        const CompilationStage& stage = dump.stage("0/0:dynamo_output_graph");
        QVERIFY(stage.text.isDamaged(stage.text.read()));
    }

    void payload_cutAtTheEnd_isCounted() {
        QByteArray cut = checkedGraph(ids(0)) + checkedGraph(ids(1));
        cut.chop(30);
        const CompilationDump dump = readCompilationDump(write("a.log", cut));
        QCOMPARE(dump.warnings.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(dump.warnings[0].what.code()), QString("compile.damaged_records"));
    }

    void line_tooLong_damagedAndItsPayloadIsOfNoOther() {
        const QByteArray head = "{\"dynamo_start\": {\"stack\": \"" + QByteArray((64 << 20) + 100, 'x') + "\"}, ";
        const QByteArray tooLong = record(head + ids(7) + "}", "class Other(torch.nn.Module):\n    pass");
        const std::string path = write("a.log", graph(ids(0)) + tooLong + graph(ids(1)));
        const CompilationDump dump = readCompilationDump(path);
        QCOMPARE(idsOf(dump), QString("0/0 1/0"));
        QCOMPARE(dump.warnings.size(), std::size_t{1});
        QCOMPARE(openStage(path, "0/0:dynamo_output_graph")->graph.size(), std::size_t{3});
        QCOMPARE(openStage(path, "1/0:dynamo_output_graph")->graph.size(), std::size_t{3});
    }

    void frame_ofNoNumber_isCounted() {
        const std::string path =
            write("a.log", graph(ids(0)) + record("{\"dynamo_output_graph\": {}, \"frame_id\": \"x\"}", kGraph));
        QCOMPARE(readCompilationDump(path).warnings.size(), std::size_t{1});
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
        QVERIFY(split);
        QVERIFY(split->first == path);
        QVERIFY(split->second == "0/0:dynamo_output_graph");
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

QTEST_GUILESS_MAIN(TestCompilation)
#include "tst_compilation.moc"
