// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/steps.h"
#include "core/model_files/foresee.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/module/module_editor.h"
#include "core/module/training_mode.h"

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <unistd.h>

using namespace fx;
using Kind = Foreseen::Kind;

namespace {

std::shared_ptr<GraphModule> edited(const char* steps, const char* sample = "simple_net.pt") {
    auto model = openModel(std::string(LANCET_SOURCE_DIR "/resources/samples/") + sample);
    applySteps(*model, StepList::parse(steps));
    return model;
}

} // namespace

class TestForesee : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unedited_nothing_data() {
        QTest::addColumn<QString>("sample");
        for (const char* name : {"simple_net.pt", "my_module.pt", "resnet.pt", "transformer.pt"})
            QTest::newRow(name) << name;
    }
    void unedited_nothing() {
        QFETCH(QString, sample);
        const auto model = edited("[]", sample.toUtf8().constData());
        for (const SavedAs format : {SavedAs::GraphModule, SavedAs::Description, SavedAs::Project})
            QVERIFY(foresee(*model, format).empty());
    }

    /// A class is made in training mode.
    void evaluationMode_isLostInSource_ifItMatters() {
        const auto isTold = [](const GraphModule& model) {
            const auto points = foresee(model, SavedAs::Source);
            return std::any_of(points.begin(), points.end(),
                               [](const Foreseen& point) { return point.what.is("foresee.mode_lost"); });
        };
        const auto resnet = edited("[]", "resnet.pt"), plain = edited("[]");
        QVERIFY(isTold(*inMode(*resnet, false)));
        QVERIFY(!isTold(*inMode(*resnet, true)));
        QVERIFY(!isTold(*inMode(*plain, false)));
    }

    void renamed_saysWhatBecomesOfTheName_andItDoes() {
        const auto model = edited(R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J");
        const auto points = foresee(*model, SavedAs::GraphModule);
        QCOMPARE(points.size(), 1u);
        QVERIFY(points[0].kind == Kind::Renamed);
        QCOMPARE(points[0].nodes, std::vector<std::string>{"scaled"});
        QVERIFY(QString::fromStdString(points[0].what.text()).contains(QStringLiteral("scaled becomes mul")));
        QVERIFY(foresee(*model, SavedAs::Project).empty());
        QVERIFY(foresee(*model, SavedAs::Description).empty());
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        QVERIFY(saveGraphModule(*model, path, true).verified);
        QVERIFY(openModel(path)->graph.find("scaled") == kNoNode);
        QVERIFY(openModel(path)->graph.find("mul") != kNoNode);
    }

    /// Which kernel runs a layer is for Lancet to read.
    void packedLayers_areSaidToBeFastHereOnly() {
        auto model = edited("[]");
        std::string call, target;
        for (const Node& node : model->graph.nodes())
            if (node.op() == Op::CallModule && call.empty()) call = node.name(), target = node.target();
        QVERIFY(foresee(*model, SavedAs::GraphModule).empty());
        ModuleEditor editor(*model);
        Module* layer = editor.writable(target);
        layer->graphModule = std::make_shared<GraphModule>(*model);
        layer->attributes = {{"onednn_kernel", Argument("mkl")}};
        for (const SavedAs format : {SavedAs::GraphModule, SavedAs::TorchScript, SavedAs::Source}) {
            const auto points = foresee(*model, format);
            const auto packed = std::find_if(points.begin(), points.end(), [](const Foreseen& point) {
                return point.what.is("foresee.packed_layers");
            });
            QVERIFY(packed != points.end());
            QVERIFY(packed->kind == Kind::Running);
            QCOMPARE(packed->nodes, std::vector<std::string>{call});
            QVERIFY(packed->what.hint().find("operators") != std::string::npos);
        }
        for (const SavedAs format : {SavedAs::Description, SavedAs::Project}) QVERIFY(foresee(*model, format).empty());
    }

    /// PyTorch's own files have the same: torch.load gives storage that cannot be resized.
    void emptyObservers_areSaidNotToRun() {
        auto model = edited("[]");
        const auto observer = std::make_shared<Module>();
        observer->classModule = "torch.ao.quantization.observer";
        observer->className = "MovingAveragePerChannelMinMaxObserver";
        TensorRef empty;
        empty.sizes = {0}, empty.strides = {1};
        empty.storage = Storage::inMemory({});
        observer->buffers.push_back({"min_val", std::make_shared<const TensorRef>(empty), true});
        ModuleEditor(*model).add("seen", observer);
        const auto isTold = [&](SavedAs format) {
            const auto points = foresee(*model, format);
            return std::any_of(points.begin(), points.end(), [](const Foreseen& point) {
                return point.kind == Kind::Running && point.what.is("foresee.empty_observers") &&
                       point.what.argument("names") == "seen";
            });
        };
        QVERIFY(isTold(SavedAs::GraphModule));
        QVERIFY(isTold(SavedAs::Folder));
        QVERIFY(!isTold(SavedAs::Description));
        QVERIFY(!isTold(SavedAs::Project));
    }

    /// A class of torch that Lancet's tables lack may start a compiler, or evaluate text.
    void unknownCallsOfTorch_areTold() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("m.json")));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write(R"J({"lancet_ir": 1, "nodes": [
            {"op": "placeholder", "name": "x", "target": "x",
             "type": {"class": ["torch.utils.benchmark.utils.timer", "Timer"]}},
            {"op": "placeholder", "name": "y", "target": "y", "type": "torch.nn.Linear"},
            {"op": "call_function", "name": "t", "target": "torch.utils.benchmark.Timer", "args": ["1"]},
            {"op": "call_function", "name": "w", "target": "torch._C.PyTorchFileWriter", "args": ["f"]},
            {"op": "output", "name": "output", "args": [{"node": "x"}]}]})J");
        file.close();
        const auto model = openModel(file.fileName().toStdString());
        QStringList told;
        for (const Foreseen& point : foresee(*model, SavedAs::GraphModule)) {
            if (point.what.is("foresee.unknown_call"))
                told << QString::fromStdString(point.what.argument("name") + "|" + point.nodes.front());
            if (point.what.is("foresee.hidden_imports")) told << QString::fromStdString(point.what.argument("names"));
        }
        QCOMPARE(told, QStringList({QStringLiteral("torch.utils.benchmark.Timer|t"),
                                    QStringLiteral("torch._C.PyTorchFileWriter|w"),
                                    QStringLiteral("torch.utils.benchmark.utils.timer.Timer")}));
    }

    /// A graph shows neither the class of a named tuple nor what is imported for an annotation.
    void hiddenNames_areToldForWhatHoldsCode() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("m.json")));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write(R"J({"lancet_ir": 1, "nodes": [
            {"op": "placeholder", "name": "x", "target": "x", "type": "antigravity.fly"},
            {"op": "placeholder", "name": "y", "target": "y", "type": "typing.List[torch.Tensor]"},
            {"op": "call_function", "name": "f", "target": "torch.relu", "args": [{"node": "x"},
             {"tuple": ["__import__('os')"], "type": "sympy.S"}, {"tuple": [1], "type": "torch.return_types.sort"}]},
            {"op": "call_function", "name": "g", "target": "torch.relu", "args": [{"node": "f"},
             {"enum": "mypkg.Color", "member": "RED"}]},
            {"op": "output", "name": "output", "args": [{"node": "g"}]}]})J");
        file.close();
        const auto model = openModel(file.fileName().toStdString());
        const auto named = [](const GraphModule& of, SavedAs format, std::string_view code) {
            for (const Foreseen& point : foresee(of, format))
                if (point.what.is(code))
                    return QString::fromStdString(point.what.argument("names") + "|" +
                                                  (point.nodes.empty() ? "" : point.nodes.front()));
            return QString();
        };
        for (const SavedAs format : {SavedAs::GraphModule, SavedAs::Folder, SavedAs::Source}) {
            QCOMPARE(named(*model, format, "foresee.hidden_calls"), QStringLiteral("sympy.S|f"));
            QCOMPARE(named(*model, format, "foresee.hidden_imports"), QStringLiteral("antigravity.fly, mypkg.Color|x"));
        }
        for (const SavedAs format : {SavedAs::Description, SavedAs::Project}) QVERIFY(foresee(*model, format).empty());
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        saveGraphModule(*model, path, false);
        const auto again = openModel(path); // keeps its code, and what that imports
        QVERIFY(named(*again, SavedAs::GraphModule, "foresee.hidden_imports").contains("antigravity.fly"));
    }

    void callsThatReachOutside_areToldForAllThatPyTorchRuns() {
        const auto model = edited(R"J([{"step": "insert_after", "node": "relu", "op": "call_function", "target": )J"
                                  R"J("torch.from_file", "args": ["/etc/hostname", false, 4], "name": "read"}])J");
        for (const SavedAs format : {SavedAs::GraphModule, SavedAs::Folder, SavedAs::Source, SavedAs::TorchScript}) {
            const auto points = foresee(*model, format);
            const auto told = std::count_if(points.begin(), points.end(), [](const Foreseen& point) {
                return point.what.is("foresee.reaches_outside") && point.nodes == std::vector<std::string>{"read"};
            });
            QCOMPARE(told, 1);
        }
        QVERIFY(foresee(*model, SavedAs::Description).empty());
    }

    /// What is written as it was makes its objects again by the same calls.
    void pickledCalls_areToldWithTheirAttribute() {
        const auto model = openModel(LANCET_SOURCE_DIR "/tests/data/graphmodule/hostile/runs_code.pt");
        const auto told = [&](SavedAs format) {
            for (const Foreseen& point : foresee(*model, format))
                if (point.what.is("foresee.pickled_calls")) return QString::fromStdString(point.what.argument("names"));
            return QString();
        };
        QVERIFY2(told(SavedAs::GraphModule).startsWith("posix.system ("), qPrintable(told(SavedAs::GraphModule)));
        QVERIFY(told(SavedAs::Folder).contains("posix.system"));
        QVERIFY(told(SavedAs::Description).isEmpty());
        QVERIFY(told(SavedAs::Source).isEmpty());
    }

    void hooks_areToldForWhatDoesNotHoldThem() {
        const auto model = edited("[]");
        model->warnings.push_back({Message("graphmodule.forward_hooks", {{"module", "conv"}}), {}, {}, {}});
        const auto told = [&](SavedAs format) {
            for (const Foreseen& point : foresee(*model, format))
                if (point.what.is("foresee.hooks_lost")) return point.what.argument("names");
            return std::string();
        };
        for (const SavedAs format : {SavedAs::Description, SavedAs::Source, SavedAs::TorchScript})
            QCOMPARE(told(format), std::string("conv"));
        for (const SavedAs format : {SavedAs::GraphModule, SavedAs::Project}) QCOMPARE(told(format), std::string());
    }

    /// Python runs their code as it is.
    void folders_areNotSaidNotToLoad() {
        const auto model = edited(R"J([{"step": "insert_after", "node": "relu", "op": "call_function", "target": )J"
                                  R"J("operator.setitem", "args": [{"node": "relu"}, 0, 1], "name": "bad"}])J");
        const auto isUnloadable = [&](SavedAs format) {
            const auto points = foresee(*model, format);
            return std::any_of(points.begin(), points.end(),
                               [](const Foreseen& point) { return point.kind == Kind::Unloadable; });
        };
        QVERIFY(isUnloadable(SavedAs::GraphModule));
        QVERIFY(!isUnloadable(SavedAs::Folder));
        const auto renamed = edited(R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J");
        const auto points = foresee(*renamed, SavedAs::Folder);
        QCOMPARE(points.size(), 1u);
        QVERIFY(points[0].what.is("foresee.renamed_in_folder"));
    }

    void missingFunction_isNamed() {
        const auto gone = edited(R"J([{"step": "set_target", "node": "mul", "target": "torch.mull"}])J");
        const auto points = foresee(*gone, SavedAs::GraphModule);
        QVERIFY(points[0].kind == Kind::Unloadable);
        QVERIFY(points[0].what.is("foresee.missing_function"));
        QCOMPARE(points[0].what.argument("name"), std::string("torch.mull"));
        QCOMPARE(points[0].nodes, std::vector<std::string>{"mul"});
        QVERIFY(foresee(*gone, SavedAs::Description).empty());
        const auto own = edited(R"J([{"step": "set_target", "node": "mul", "target": "mypackage.mul"}])J");
        const auto needed = foresee(*own, SavedAs::GraphModule);
        QVERIFY(needed[0].kind == Kind::Changed);
        QVERIFY(needed[0].what.is("foresee.needs_function"));
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        saveGraphModule(*own, path, true);
        const auto again = openModel(path); // the file needed it already
        QVERIFY(foresee(*again, SavedAs::GraphModule).empty());
    }

    void whatLoadingWrites_isSaidToBeComputedOnce() {
        const auto model =
            edited(R"J([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.zeros", )J"
                   R"J("args": [[1]], "name": "z"},
            {"step": "insert_after", "node": "z", "op": "call_method", "target": "view", "args": [{"node": )J"
                   R"J("z"}, 1, 1], "name": "v"},
            {"step": "insert_after", "node": "v", "op": "call_method", "target": "fill_", "args": [{"node": )J"
                   R"J("z"}, 2.0], "name": "w"},
            {"step": "insert_after", "node": "w", "op": "call_function", "target": "torch.add", "args": )J"
                   R"J([{"node": "relu"}, {"node": "v"}], "name": "sum"}])J");
        const auto points = foresee(*model, SavedAs::GraphModule);
        QCOMPARE(points.size(), std::size_t{1});
        QVERIFY(points[0].kind == Kind::Changed);
        QVERIFY2(points[0].what.is("foresee.value_frozen"), points[0].what.text().c_str());
        QCOMPARE(points[0].nodes, std::vector<std::string>{"w"});
    }

    void randomNumbers_areSaidToBeDrawnOnce() {
        const auto model = edited(R"J([{"step": "insert_after", "node": "relu", "op": "call_function", "target": )J"
                                  R"J("torch.ops.aten.rand.default", "args": [[1]], "name": "noise"},
            {"step": "insert_after", "node": "noise", "op": "call_function", "target": "torch.ops.aten.add.Tensor", )J"
                                  R"J("args": [{"node": "relu"}, {"node": "noise"}], "name": "sum"}])J");
        const auto points = foresee(*model, SavedAs::GraphModule);
        QVERIFY(!points.empty());
        QVERIFY(points[0].kind == Kind::Changed);
        QVERIFY2(points[0].what.is("foresee.random_frozen"), points[0].what.text().c_str());
        QCOMPARE(points[0].nodes, std::vector<std::string>{"noise"});
        for (const SavedAs format : {SavedAs::TorchScript, SavedAs::Description, SavedAs::Project})
            QVERIFY(foresee(*model, format).empty()); // they draw in each run
    }

    void tensorOfSizes_isSaidNotToLoad() {
        const auto model =
            edited(R"J([{"step": "insert_after", "node": "relu", "op": "call_method", "target": "size", )J"
                   R"J("args": [{"node": "relu"}, 0], "name": "n"},
            {"step": "insert_after", "node": "n", "op": "call_function", "target": "torch.tensor", )J"
                   R"J("args": [[{"node": "n"}, 2]], "name": "sizes"}])J");
        const auto points = foresee(*model, SavedAs::GraphModule);
        QCOMPARE(points.size(), 1u); // nothing becomes of names in a file that does not load
        QVERIFY2(points[0].kind == Kind::Unloadable, points[0].what.text().c_str());
        QVERIFY(points[0].what.is("foresee.reads_data"));
        QCOMPARE(points[0].nodes, std::vector<std::string>{"sizes"});
        QVERIFY(foresee(*model, SavedAs::TorchScript).empty());
    }

    void unloadable_namesTheNodesAndWhatToDo_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("args");
        QTest::addColumn<QString>("remedy");
        QTest::newRow("item assignment") << "operator.setitem"
                                         << "[{\"node\": \"relu\"}, 0, 1]"
                                         << "torch.index_put";
        QTest::newRow("not") << "operator.not_"
                             << "[{\"node\": \"relu\"}]"
                             << "torch.logical_not";
        QTest::newRow("len") << "builtins.len"
                             << "[{\"node\": \"relu\"}]"
                             << "x.size(0)";
    }
    void unloadable_namesTheNodesAndWhatToDo() {
        QFETCH(QString, target);
        QFETCH(QString, args);
        QFETCH(QString, remedy);
        const QString step = QStringLiteral("[{\"step\": \"insert_after\", \"node\": \"relu\", \"op\": "
                                            "\"call_function\", \"target\": \"%1\", \"args\": %2, \"name\": \"bad\"}]")
                                 .arg(target, args);
        const auto model = edited(step.toUtf8().constData());
        const auto points = foresee(*model, SavedAs::GraphModule);
        QVERIFY(!points.empty());
        QVERIFY2(points[0].kind == Kind::Unloadable, points[0].what.text().c_str());
        QCOMPARE(points[0].nodes, std::vector<std::string>{"bad"});
        QVERIFY2(QString::fromStdString(points[0].what.hint()).contains(remedy), points[0].what.hint().c_str());
        QVERIFY(foresee(*model, SavedAs::Project).empty());
    }

    void refused_isAllThatIsSaid_data() {
        QTest::addColumn<bool>("isFolder");
        QTest::newRow("file") << false;
        QTest::newRow("folder") << true;
    }
    void refused_isAllThatIsSaid() {
        QFETCH(bool, isFolder);
        const SavedAs format = isFolder ? SavedAs::Folder : SavedAs::GraphModule;
        const auto model = edited(R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J");
        QVERIFY(!foresee(*model, format).empty()); // it tells of the name
        GraphModule other = *model;
        other.root = std::make_shared<Module>(*other.root);
        const Node* call = nullptr;
        for (const Node& node : other.graph.nodes())
            if (node.op() == Op::CallModule && other.root->child(node.target())) call = &node;
        QVERIFY(call);
        auto layer = std::make_shared<Module>();
        layer->className = "MkldnnLinear";
        layer->classModule = "torch.utils.mkldnn";
        other.root->children[other.root->childIndex(call->target())].module = layer;
        const auto points = foresee(other, format);
        QCOMPARE(points.size(), 1u);
        QVERIFY(points[0].kind == Kind::Refused);
        QVERIFY(points[0].what.is("graphmodule.mkldnn"));
        QCOMPARE(points[0].nodes, std::vector<std::string>{call->name()});
        QTemporaryDir folder;
        const std::string path = folder.filePath(isFolder ? "net/" : "net.pt").toStdString();
        QVERIFY_THROWS_EXCEPTION(Error, isFolder ? saveFolder(other, path, true) : saveGraphModule(other, path, true));
    }

    void target_isCheckedBeforeAnythingIsWritten() {
        QTemporaryDir folder;
        const std::string base = folder.path().toStdString();
        checkTarget(base + "/net.pt");
        checkTarget(base + "/net/");
        QVERIFY(QDir(folder.path()).isEmpty());
        for (const char* path : {"/gone/net.pt", "/gone/net/"})
            QVERIFY_THROWS_EXCEPTION(Error, checkTarget(base + path));
        QFile file(folder.filePath("mine.pt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY_THROWS_EXCEPTION(Error, checkTarget(base + "/mine.pt/"));
        file.close();
        if (::geteuid() == 0) return; // root may write everything
        QVERIFY(file.setPermissions(QFile::ReadOwner));
        QVERIFY_THROWS_EXCEPTION(Error, checkTarget(base + "/mine.pt"));
    }

    /// An exported program stays what it is: as .pt it is another file, which PyTorch must load.
    void exportedControlFlow_isNoGraphModule() {
        const auto model = openModel(LANCET_SOURCE_DIR "/tests/data/pt2/control.pt2");
        const auto points = foresee(*model, SavedAs::GraphModule);
        QVERIFY(std::any_of(points.begin(), points.end(), [](const Foreseen& point) {
            return point.kind == Kind::Refused && point.what.is("foresee.higher_order");
        }));
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        QVERIFY_THROWS_EXCEPTION(Error, saveGraphModule(*model, path, true));
        QVERIFY(QDir(folder.path()).isEmpty());
        QVERIFY(saveGraphModule(*openModel(LANCET_SOURCE_DIR "/tests/data/pt2/dynamic.pt2"), path, true).verified);
    }

    void formats_sayWhatTheyDoNotKeep() {
        const auto model = edited("[]");
        const auto exported = foresee(*model, savedAs("net.pt2"));
        QVERIFY(exported.size() == 1);
        QVERIFY(exported[0].kind == Kind::Refused);
        QVERIFY(!exported[0].what.hint().empty());
        const auto source = foresee(*model, savedAs("net.py"));
        QVERIFY(source.size() == 1);
        QVERIFY(source[0].kind == Kind::Lost);
        QVERIFY(savedAs("a/") == SavedAs::Folder);
        QVERIFY(savedAs("a.lancet") == SavedAs::Project);
        QVERIFY(savedAs("a.pt") == SavedAs::GraphModule);
        QVERIFY(foresee(*edited("[]", "transformer.pt2"), SavedAs::Pt2).empty());
    }
};

QTEST_GUILESS_MAIN(TestForesee)
#include "tst_foresee.moc"
