// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/version_marks.h"
#include "core/module/module_editor.h"
#include "tests/failure.h"

#include <QTest>

using namespace fx;

/// What is new and what was edited between two versions.
class TestVersionMarks : public QObject {
    Q_OBJECT

    GraphModule m_before;
    NodeId m_x{}, m_conv{}, m_relu{}, m_mean{};

    static std::vector<NodeId> ids(std::initializer_list<NodeId> list) { return list; }

private Q_SLOTS:
    void init() {
        m_before = GraphModule();
        const auto conv = std::make_shared<Module>();
        m_before.root->children = {{"conv", conv}};
        Graph& graph = m_before.graph;
        m_x = graph.placeholder("x");
        m_conv = graph.createNode(Op::CallModule, "conv", {m_x});
        m_relu = graph.createNode(Op::CallMethod, "relu", {m_conv});
        m_mean = graph.createNode(Op::CallMethod, "mean", {m_relu, -1});
        graph.output(m_mean);
    }

    void sameVersion_hasNoMarks() {
        const GraphModule after = m_before;
        const VersionMarks marks = versionMarks(m_before, after);
        QVERIFY(marks.created.empty());
        QVERIFY(marks.edited.empty());
    }
    void replacedNode_isNew_itsUserIsNotEdited() {
        GraphModule after = m_before;
        after.graph.setInsertPoint({InsertPoint::Side::Before, m_mean});
        const NodeId gelu = after.graph.createNode(Op::CallMethod, "gelu", {m_conv});
        after.graph.replaceAllUses(m_relu, gelu);
        after.graph.erase(m_relu);
        const VersionMarks marks = versionMarks(m_before, after);
        QCOMPARE(marks.created, ids({gelu}));
        QVERIFY(marks.edited.empty());
        QCOMPARE(versionMarks(after, m_before).created, ids({m_relu})); // undone
    }
    void recreatedNode_isWhatItWas() {
        GraphModule after = m_before;
        after.graph.setInsertPoint({InsertPoint::Side::Before, m_mean});
        const NodeId conv = after.graph.createNode(Op::CallModule, "conv", {m_x});
        const NodeId gelu = after.graph.createNode(Op::CallMethod, "gelu", {conv});
        after.graph.replaceAllUses(m_relu, gelu);
        after.graph.erase(m_relu);
        after.graph.erase(m_conv);
        const VersionMarks marks = versionMarks(m_before, after);
        QCOMPARE(marks.created, ids({gelu}));
        QVERIFY(marks.edited.empty());
    }
    void newNodeBetween_makesItsUserEdited() {
        GraphModule after = m_before;
        after.graph.setInsertPoint({InsertPoint::Side::Before, m_mean});
        const NodeId gelu = after.graph.createNode(Op::CallMethod, "gelu", {m_relu});
        after.graph.setArgs(m_mean, {gelu, -1});
        const VersionMarks marks = versionMarks(m_before, after);
        QCOMPARE(marks.created, ids({gelu}));
        QCOMPARE(marks.edited, ids({m_mean}));
    }
    /// relu ─ gelu (new) ─ mean, of which relu is then replaced by a copy of itself.
    void newNodeBetween_behindARecreatedOne_makesItsUserEdited() {
        GraphModule after = m_before;
        after.graph.setInsertPoint({InsertPoint::Side::Before, m_mean});
        const NodeId copy = after.graph.createNode(Op::CallMethod, "relu", {m_conv});
        const NodeId gelu = after.graph.createNode(Op::CallMethod, "gelu", {copy});
        after.graph.replaceAllUses(m_relu, gelu);
        after.graph.setArgs(gelu, {copy});
        after.graph.erase(m_relu);
        const VersionMarks marks = versionMarks(m_before, after);
        QCOMPARE(marks.created, ids({gelu}));
        QCOMPARE(marks.edited, ids({m_mean}));
    }
    void otherCallOrName_isEdited() {
        GraphModule after = m_before;
        after.graph.setArgs(m_mean, {m_relu, -2});
        after.graph.rename(m_relu, "other");
        QCOMPARE(versionMarks(m_before, after).edited, ids({m_relu, m_mean}));
    }
    void whatFailsBehindAnEdit_isBlamedOnIt() {
        GraphModule after = m_before;
        after.graph.setTarget(m_relu, "abs");
        std::vector<ShapeFailure> failures(2);
        failures[0].node = "mean", failures[0].cause = "conv";
        failures[1].node = "conv", failures[1].cause = "x"; // before the edit
        blameEdits(failures, m_before, after);
        QCOMPARE(failures[0].cause, std::string("relu"));
        QCOMPARE(failures[1].cause, std::string("x"));
        QVERIFY(failures[0].causeIsEdit);
        QVERIFY(!failures[1].causeIsEdit);
    }
    void userOfAnErasedNode_isBlamed() {
        GraphModule after = m_before;
        after.graph.replaceAllUses(m_relu, m_conv);
        after.graph.erase(m_relu);
        std::vector<ShapeFailure> failures(1);
        failures[0].node = "mean", failures[0].cause = "conv";
        blameEdits(failures, m_before, after);
        QCOMPARE(failures[0].cause, std::string("mean"));
    }
    /// What a quantisation makes is a graph of its own, and so is the same when it is read from a file.
    void graphOfItsOwn_isComparedByNames() {
        for (const bool moreAtFirst : {false, true}) {
            GraphModule after;
            after.root = m_before.root;
            const NodeId x = after.graph.placeholder("x");
            NodeId scale = after.graph.createNode(Op::GetAttr, "scale", {}, {}, "scale");
            if (moreAtFirst)
                after.graph.erase(scale), scale = after.graph.createNode(Op::GetAttr, "scale", {}, {}, "scale");
            const NodeId quantize = after.graph.createNode(Op::CallMethod, "quantize", {x, scale});
            const NodeId conv = after.graph.createNode(Op::CallModule, "conv", {quantize});
            const NodeId relu = after.graph.createNode(Op::CallMethod, "relu", {conv});
            const NodeId mean = after.graph.createNode(Op::CallMethod, "mean", {relu, -1});
            after.graph.output(mean);
            const VersionMarks marks = versionMarks(m_before, after);
            QCOMPARE(marks.created, ids({scale, quantize}));
            QCOMPARE(marks.edited, ids({conv}));
        }
    }
    void cancelled_whileModulesAreCompared() {
        GraphModule after = m_before;
        after.root = deepCopy(*m_before.root);
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(failure([&] { versionMarks(m_before, after, Progress(stop.get_token())); }).kind(),
                 ErrorKind::Cancelled);
    }

    /// A pass in Python may leave modules of its own.
    void module_isEditedIfItsContentIs() {
        GraphModule after = m_before;
        after.root = deepCopy(*m_before.root);
        QVERIFY(versionMarks(m_before, after).edited.empty());
        after.root->children[0].module->attributes.emplace_back("groups", Argument(2));
        QCOMPARE(versionMarks(m_before, after).edited, ids({m_conv}));
    }
    void graphOfItsOwn_withEqualModules_hasNoMarks() {
        GraphModule after;
        after.root = deepCopy(*m_before.root);
        const NodeId unused = after.graph.placeholder("unused"), x = after.graph.placeholder("x");
        const NodeId conv = after.graph.createNode(Op::CallModule, "conv", {x});
        const NodeId relu = after.graph.createNode(Op::CallMethod, "relu", {conv});
        after.graph.output(after.graph.createNode(Op::CallMethod, "mean", {relu, -1}));
        after.graph.erase(unused);
        const VersionMarks marks = versionMarks(m_before, after);
        QVERIFY(marks.created.empty());
        QVERIFY(marks.edited.empty());
    }
};

QTEST_APPLESS_MAIN(TestVersionMarks)
#include "tst_version_marks.moc"
