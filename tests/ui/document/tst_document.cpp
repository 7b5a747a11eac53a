// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/step_list.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/json_steps.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/document/document.h"
#include "ui/document/edit_text.h"
#include "ui/document/node_marks.h"
#include "ui/document/random_weights.h"
#include "ui/document/source_problems.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestDocument : public QObject {
    Q_OBJECT

    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }

private Q_SLOTS:
    void load_sample_everythingArrives() {
        Document document(sample("resnet.pt"));
        QSignalSpy states(&document, &Document::stateChanged);
        document.load();
        QCOMPARE(document.state(), Document::State::Loading);
        QTRY_COMPARE(document.state(), Document::State::Ready);
        QTRY_VERIFY(document.facts().code());
        QTRY_VERIFY(document.facts().index());
        QTRY_VERIFY(document.picture().scene());
        QTRY_VERIFY(document.facts().info());
        QCOMPARE(states.size(), 2);
        QVERIFY(document.facts().code()->text.find("def forward(self, x") != std::string::npos);
        QVERIFY(document.facts().info()->totals.parameters.elements > 0);
    }

    void load_notAModel_errorWithFile() {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("bad.pt"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("PK\3\4 this is no archive");
        file.close();
        Document document(path);
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Failed);
        QCOMPARE(document.error().kind(), fx::ErrorKind::File);
        QCOMPARE(QString::fromStdString(document.error().file), path);
    }

    void cancelled_whileLoading_failsAsCancelled() {
        Document document(sample("densenet.pt"));
        document.load();
        document.operations().cancel(DocumentOperations::Kind::Open);
        QCOMPARE(document.state(), Document::State::Failed);
        QCOMPARE(document.error().kind(), fx::ErrorKind::Cancelled);
        QVERIFY(testing::settle()); // what still arrives must be dropped
        QCOMPARE(document.state(), Document::State::Failed);
    }

    void dialect_isThatOfTheFile_whateverIsErased() {
        Document document({});
        document.adopt(
            std::make_shared<fx::GraphModule>(fx::traceFunctionSource("def net(x):\n    return torch.relu(x) + 1")),
            QStringLiteral("small"));
        QTRY_VERIFY(document.facts().info());
        QCOMPARE(document.facts().info()->dialect, std::string_view("fx"));
        // Of its functions, only those of the module operator remain.
        QVERIFY(document.versions().edit(QStringLiteral("Replace"),
                                         R"([{"step": "insert_after", "node": "relu", "op": "call_function",
                                   "target": "_operator.neg", "args": [{"node": "x"}], "rewire_users": true},
                                  {"step": "erase", "node": "relu"}])"_steps));
        QTRY_VERIFY(document.facts().info());
        QCOMPARE(fx::dialectOf(*document.module()), std::string_view("aten"));
        QCOMPARE(document.facts().info()->dialect, std::string_view("fx"));
    }

    /// As quantising does: node ids of the new graph have nothing to do with those before.
    void selection_whenAGraphIsReplaced_staysOnTheNameOrIsEmpty() {
        Document document({});
        const auto net = testing::smallNet();
        document.adopt(net, QStringLiteral("small"));
        const auto id = [&](const char* name) { return document.module()->graph.find(name); };
        auto made = std::make_shared<fx::GraphModule>(*net);
        made->graph = fx::Graph();
        const fx::NodeId view = made->graph.callFunction(net->graph.node(id("relu")).callable(), {}, {}, "view");
        made->graph.placeholder("x");
        made->graph.output(view);
        QSignalSpy told(&document.selection(), &NodeSelection::changed);
        document.selection().select({id("view"), id("relu"), id("x")}, nullptr);
        QVERIFY(document.versions().adoptEdit(QStringLiteral("Replace"), "[]"_steps, made));
        QCOMPARE(document.selection().nodes(), (std::vector<fx::NodeId>{id("view"), id("x")}));
        QVERIFY(document.selection().contains(id("view")));
        QVERIFY(document.selection().contains(id("x")));
        QCOMPARE(told.size(), 2);
        document.versions().undo();
        QCOMPARE(document.selection().nodes(), (std::vector<fx::NodeId>{id("view"), id("x")}));
        document.selection().select({id("relu")}, nullptr);
        document.versions().redo();
        QVERIFY(document.selection().nodes().empty());
    }

    void selection_ofARenamedNode_stays() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        const fx::NodeId relu = document.module()->graph.find("relu");
        document.selection().select({relu}, nullptr);
        QVERIFY(document.versions().edit(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        QCOMPARE(document.selection().nodes(), std::vector<fx::NodeId>{relu});
        document.versions().undo();
        QCOMPARE(document.selection().nodes(), std::vector<fx::NodeId>{relu});
    }

    void shapes_areShownAndInNoVersion() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        QTRY_VERIFY(document.facts().index());
        const auto version = document.module();
        fx::ValueInfo conv, relu;
        conv.dtype = relu.dtype = "torch.float32";
        conv.sizes = {"1", "8", "6", "6"}, relu.sizes = {"1", "9"};
        QSignalSpy told(&document.shapes(), &DocumentShapes::changed);
        document.shapes().set(makeShapeNotes(version, {{{"first_conv", {conv}}, {"relu", {relu}}}, {}}, {}));
        QCOMPARE(told.size(), 1);
        const fx::NodeId node = version->graph.find("first_conv");
        QCOMPARE(document.shapes().shown()->graph.node(node).meta().values.at(0).shapeText(), std::string("1×8×6×6"));
        QVERIFY(version->graph.node(node).meta().values.empty());
        QCOMPARE(document.module(), version);
        QCOMPARE(document.versions().history()->entries().size(), std::size_t(1));
        QVERIFY(!document.isModified());
        const auto found = [&] {
            return document.facts().index() ? document.facts().index()->find({QStringLiteral("shape:8×6")}).nodes
                                            : std::vector<fx::NodeId>();
        };
        QTRY_COMPARE(found(), std::vector<fx::NodeId>{node});
        const auto drawn = [&] {
            return document.picture().scene()
                       ? document.picture().scene()->node(document.picture().scene()->itemOf(node)).shape
                       : std::string();
        };
        QTRY_COMPARE(drawn(), std::string("1×8×6×6"));
        // Until those of the new version are known, nodes keep theirs.
        QVERIFY(document.versions().edit(QStringLiteral("Erase"),
                                         R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps));
        QCOMPARE(document.shapes().shown()->graph.node(node).meta().values.size(), std::size_t(1));
        QCOMPARE(document.shapes()
                     .shown()
                     ->graph.node(document.module()->graph.find("other"))
                     .meta()
                     .values.at(0)
                     .shapeText(),
                 std::string("1×64×56"));                                                   // as the file says
        document.shapes().set(makeShapeNotes(version, {{{"first_conv", {relu}}}, {}}, {})); // too late
        QCOMPARE(document.shapes().shown()->graph.node(node).meta().values.at(0).shapeText(), std::string("1×8×6×6"));
        document.versions().undo();
        QCOMPARE(document.module(), version);
    }

    void shapes_ofTheFile_symbolsStayAndWhatIsNoLongerTrueGoes() {
        auto net = testing::smallNet();
        const auto say = [&](const char* name, std::vector<std::string> sizes) {
            auto meta = std::make_shared<fx::NodeMeta>(net->graph.node(net->graph.find(name)).meta());
            fx::ValueInfo info;
            info.dtype = "torch.float32", info.sizes = std::move(sizes);
            meta->values = {info};
            net->graph.setMeta(net->graph.find(name), meta);
        };
        say("first_conv", {"s7", "8"});
        say("relu", {"s7", "8"});
        const auto infos = [](std::vector<std::string> sizes) {
            fx::ValueInfo info;
            info.dtype = "torch.float32", info.sizes = std::move(sizes);
            return std::vector<fx::ValueInfo>{info};
        };
        const auto shown = [&](const fx::NodeShapes& shapes, const char* name) {
            const auto notes = makeShapeNotes(net, shapes, {});
            const auto& values = (notes->shown ? *notes->shown : *net).graph.node(net->graph.find(name)).meta().values;
            return values.empty() ? std::string("none") : values[0].shapeText();
        };
        QCOMPARE(shown({{{"first_conv", infos({"3", "8"})}}, {}}, "first_conv"), std::string("s7×8"));
        QCOMPARE(shown({{{"first_conv", infos({"3", "9"})}}, {}}, "first_conv"), std::string("3×9"));
        const auto notes = makeShapeNotes(net, {{{"first_conv", infos({"3", "8"})}}, {}}, {}); // but known as a number
        QCOMPARE(notes->symbols, (std::unordered_map<std::string, std::string>{{"s7", "3"}}));
        fx::NodeShapes failing{{{"first_conv", infos({"3", "8"})}}, {}};
        failing.failures.push_back({"relu", fx::Message::received({}, {}, "does not fit"), {}, false, {}, {}});
        QCOMPARE(shown(failing, "relu"), std::string("none"));
        QCOMPARE(shown(failing, "first_conv"), std::string("s7×8"));
    }

    void shapes_thatDoNotFit_areProblemsUntilTheNextOnes() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        QTRY_VERIFY(document.facts().info());
        const auto before = document.facts().problems().size();
        fx::ShapeFailure failure;
        failure.node = "relu", failure.what = fx::Message("engine.torch", {{"detail", "no way"}}),
        failure.cause = "first_conv";
        fx::ValueInfo info;
        info.dtype = "torch.float32", info.sizes = {"4", "5"};
        failure.operands = {{"first_conv", info, "x"}};
        fx::NodeShapes shapes;
        shapes.failures = {failure};
        document.shapes().set(makeShapeNotes(document.module(), shapes, {}));
        QCOMPARE(document.facts().problems().size(), before + 1);
        const Problem problem = document.facts().problems().back();
        QCOMPARE(problem.severity, Problem::Severity::Error);
        QCOMPARE(problem.node, document.module()->graph.find("relu"));
        for (const char* words : {"first_conv 4×5", "shape from x", "likely cause: first_conv", "no way"})
            QVERIFY2(problem.what.contains(QString::fromUtf8(words)), qPrintable(problem.what));
        QVERIFY(document.shapes().failureOf(problem.node));
        document.shapes().set(makeShapeNotes(document.module(), shapes, QStringLiteral("x 4×5")));
        QCOMPARE(document.facts().problems().back().severity, Problem::Severity::Warning);
        QVERIFY(document.facts().problems().back().what.contains(QStringLiteral("guessed input: x 4×5")));
        const auto told = [&](OriginalTakes original) {
            document.shapes().set(makeShapeNotes(document.module(), shapes, QStringLiteral("x 4×5"), original));
            return document.facts().problems().back();
        };
        QCOMPARE(told(OriginalTakes::Yes).severity, Problem::Severity::Error); // the guess is not at fault
        QVERIFY(
            told(OriginalTakes::Yes).what.contains(QStringLiteral("likely cause: first_conv"))); // no edit leads to it
        shapes.failures.front().causeIsEdit = true;
        QVERIFY(told(OriginalTakes::Yes).what.contains(QStringLiteral("likely cause: the edit at first_conv")));
        QCOMPARE(told(OriginalTakes::No).severity, Problem::Severity::Warning);
        QVERIFY(told(OriginalTakes::No).what.contains(QStringLiteral("the original fails on the guessed input")));
        document.shapes().set(makeShapeNotes(document.module(), {}, {}));
        QCOMPARE(document.facts().problems().size(), before);
        QVERIFY(!document.shapes().failureOf(problem.node));
    }

    void draftChanged_ofAnotherModel_findsItsSelection() {
        Document document({});
        document.adopt(testing::chain(6), QStringLiteral("net"));
        QTRY_VERIFY(document.facts().code());
        document.selection().selectAll();
        document.setDraft(CodeDraft{"typed\n", document.facts().code(), document.module()});
        std::optional<std::size_t> selected;
        connect(&document, &Document::draftChanged, this, [&] { selected = document.selection().nodes().size(); });
        document.adopt(testing::chain(2), QStringLiteral("small"));
        QCOMPARE(selected.value_or(1), std::size_t{0});
    }

    void randomWeights_areThoseOfTheCurrentVersion_andANote() {
        Document document({});
        document.adopt(testing::chain(6), QStringLiteral("net"));
        QTRY_VERIFY(document.facts().info());
        QSignalSpy changed(&document.randomWeights(), &RandomWeights::changed);
        QSignalSpy problems(&document.facts(), &VersionFacts::problemsChanged);
        const auto notes = [&] {
            QStringList texts;
            for (const Problem& problem : allProblems(document))
                if (problem.severity == Problem::Severity::Note) texts << problem.what;
            return texts.join(u'|');
        };
        QVERIFY(document.versions().edit(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps));
        const auto renamed = document.module();
        QTRY_VERIFY(document.randomWeights().ofEdit(renamed));
        QVERIFY(document.randomWeights().ofEdit(renamed)->empty());
        QVERIFY(changed.isEmpty()); // nothing to tell
        QVERIFY(document.versions().edit(
            QStringLiteral("Insert fc"),
            R"([{"step": "insert_after", "node": "other", "op": "call_module", "target": "fc", )"
            R"("args": [{"node": "other"}], "rewire_users": true, "module": {"type": )"
            R"("torch.nn.Linear", "settings": {"in_features": 8, "out_features": 8}}}])"_steps));
        const auto made = document.module();
        QTRY_COMPARE(document.randomWeights().current().modules, std::vector<std::string>{"fc"});
        QCOMPARE(document.randomWeights().current().node, made->graph.find("fc"));
        QCOMPARE(*document.randomWeights().ofEdit(made), std::vector<std::string>{"fc"});
        QCOMPARE(notes(), QStringLiteral("New random weights: fc"));
        QCOMPARE(problemCount(allProblems(document)), problemCount(document.facts().problems()));
        QTRY_VERIFY(document.facts().info());
        problems.clear();
        document.versions().undo();
        QVERIFY(!problems.isEmpty());
        QCOMPARE(notes(), QString());                   // at once
        QVERIFY(document.randomWeights().ofEdit(made)); // it can be redone
        document.versions().redo();
        QTRY_COMPARE(notes(), QStringLiteral("New random weights: fc"));
        QVERIFY(
            document.versions().edit(QStringLiteral("Erase fc"),
                                     R"([{"step": "replace_uses", "node": "fc", "with": "other"}, {"step": "erase", )"
                                     R"("node": "fc"}, {"step": "delete_module", "path": "fc"}])"_steps));
        QTRY_VERIFY(document.randomWeights().ofEdit(document.module()));
        QCOMPARE(notes(), QString());
    }

    void calls_areCountedWithTheTotals() {
        Document document({});
        document.adopt(testing::chain(9), QStringLiteral("net"));
        QTRY_VERIFY(document.facts().info());
        std::size_t all = 0;
        for (const auto& [name, count] : document.facts().calls()) all += count;
        QCOMPARE(all, document.module()->graph.size() - 2); // all but input and output
        QVERIFY(document.facts().calls()[0].second >= document.facts().calls()[1].second);
    }

    void edit_isToldByOneSentence() {
        QCOMPARE(doneText(QStringLiteral("Erase relu")), QStringLiteral("Erased relu. Press Ctrl+Z to undo."));
        QCOMPARE(doneText(QStringLiteral("Paste 2 nodes")), QStringLiteral("Pasted 2 nodes. Press Ctrl+Z to undo."));
        QCOMPARE(doneText(QStringLiteral("conv_bn_fuse")),
                 QStringLiteral("Applied conv_bn_fuse. Press Ctrl+Z to undo."));
        QCOMPARE(doneText(QStringLiteral("Erase relu"), QStringLiteral("Left unused: conv.")),
                 QStringLiteral("Erased relu. Left unused: conv. Press Ctrl+Z to undo."));
        QCOMPARE(randomWeightsText({"fc"}), QStringLiteral("New random weights: fc"));
        QCOMPARE(randomWeightsText({"a", "b", "c", "d"}), QStringLiteral("New random weights: a, b, c and 1 more"));
        QVERIFY(randomWeightsText({}).isEmpty());
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        QSignalSpy told(&document.versions(), &DocumentVersions::edited);
        QVERIFY(document.versions().edit(QStringLiteral("Rename relu"),
                                         R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        document.versions().undo();
        QCOMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), QStringLiteral("Rename relu"));
    }

    void replacement_byItself_isRefused() {
        Document document({});
        document.adopt(testing::chain(4), QStringLiteral("chain"));
        std::vector<fx::Message> refused;
        connect(&document.versions(), &DocumentVersions::refused, this,
                [&](const fx::Error& error) { refused.push_back(error.message()); });
        const auto replacing = [](const char* function) {
            return fx::StepList().replacePattern("def pattern(x):\n    return torch.relu(x)\n",
                                                 std::string("def replacement(x):\n    return ") + function + "(x)\n",
                                                 {});
        };
        QVERIFY(!document.versions().edit(QStringLiteral("Replace"), replacing("torch.relu")));
        QVERIFY(refused.size() == 1);
        QVERIFY(refused[0].is("window.same_replacement"));
        QVERIFY(document.module()->graph.find("relu") != fx::kNoNode);
        QVERIFY(document.versions().edit(QStringLiteral("Replace"), replacing("torch.tanh")));
    }

    void reveal_nodeInClosedGroup_opensIt() {
        Document document({});
        document.adopt(testing::chain(40), QStringLiteral("chain"));
        QTRY_VERIFY(document.picture().scene());
        document.picture().collapseAll();
        const fx::NodeId node = document.module()->graph.find("blocks_3_linear");
        QTRY_VERIFY(!document.picture().shows(node));
        QSignalSpy revealed(&document.picture(), &DocumentPicture::revealed);
        document.selection().goTo(node, nullptr);
        QTRY_COMPARE(revealed.size(), 1);
        QVERIFY(document.picture().shows(node));
    }

    void hide_nodes_goneUntilShowAll() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        document.picture().expandAll();
        const fx::NodeId relu = document.module()->graph.find("relu");
        QTRY_VERIFY(document.picture().shows(relu));
        document.picture().hide({relu});
        QTRY_VERIFY(!document.picture().shows(relu));
        document.picture().showAll();
        QTRY_VERIFY(document.picture().shows(relu));
    }

    void largeGraph_openedGroups_comeWithThePicture() {
        Document document({});
        const auto chain = testing::chain(6000);
        document.adopt(chain, QStringLiteral("chain"));
        QTRY_VERIFY(document.picture().scene());
        const auto initial = fx::LayoutOptions::initialFor(*chain);
        QVERIFY(!initial.expanded.empty());
        QCOMPARE(document.picture().options().expanded, initial.expanded);
        Document collapsed({});
        collapsed.adopt(chain, QStringLiteral("chain"));
        collapsed.picture().collapseAll(); // before there is a picture
        QTRY_VERIFY(collapsed.picture().scene());
        QVERIFY(collapsed.picture().options().expanded.empty());
    }

    void marks_areThoseOfTheVersion() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("small"));
        QVERIFY(!NodeMarks::makerFor(document)); // nothing was changed
        QVERIFY(document.versions().edit(QStringLiteral("rename"),
                                         R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        const NodeMarks::Make make = NodeMarks::makerFor(document);
        QVERIFY(make);
        const NodeMarker marker = make({});
        const fx::Graph& graph = document.module()->graph;
        QVERIFY(marker);
        QVERIFY(marker(graph.find("act")));
        QCOMPARE(marker(graph.find("act"))->kind, NodeMark::Kind::Edited);
        QVERIFY(!marker(graph.find("x")));
        document.versions().undo();
        QVERIFY(!NodeMarks::makerFor(document));
    }
};

QTEST_MAIN(TestDocument)
#include "tst_document.moc"
