// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/blame.h"
#include "core/trace/callables.h"

#include <QTest>

using namespace fx;

namespace {

ValueInfo info(std::vector<std::string> sizes, std::vector<std::string> strides = {}) {
    ValueInfo out;
    out.dtype = "torch.float32", out.sizes = std::move(sizes), out.strides = std::move(strides);
    return out;
}

} // namespace

class TestNodeShapes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void memoryFormat_asTorchFxNotesIt() {
        QCOMPARE(memoryFormat(info({"2", "3"}, {"3", "1"})), std::string_view("torch.contiguous_format"));
        QCOMPARE(memoryFormat(info({"2", "3"}, {"1", "2"})), std::string_view());
        QCOMPARE(memoryFormat(info({"2", "3", "4", "5"}, {"60", "1", "15", "3"})),
                 std::string_view("torch.channels_last"));
        QCOMPARE(memoryFormat(info({"2", "3", "2", "4", "5"}, {"120", "1", "60", "15", "3"})),
                 std::string_view("torch.channels_last_3d"));
        QCOMPARE(memoryFormat(info({"2", "1"}, {"1", "9"})),
                 std::string_view("torch.contiguous_format")); // one element: any stride
        QCOMPARE(memoryFormat(info({}, {})), std::string_view("torch.contiguous_format"));
        QCOMPARE(memoryFormat(info({"s0", "3"}, {"3", "1"})), std::string_view());
    }

    void blame_isOfTheNodeThatGaveTheShape() {
        // a = conv(x); b = relu(a); c = relu(x'); add(b, c) fails
        GraphModule model;
        const auto function = [&](const char* name, std::vector<Argument> arguments) {
            return model.graph.callFunction(resolveCallable(name), std::move(arguments));
        };
        const NodeId x = model.graph.placeholder("x"), y = model.graph.placeholder("y");
        const NodeId sum = function("torch.sum", {x}), a = function("torch.relu", {sum}),
                     b = function("torch.sigmoid", {a}), c = function("torch.relu", {y});
        const NodeId add = function("operator.add", {b, c});
        std::vector<ValueInfo> infos(model.graph.idLimit(), info({"4"}));
        infos[index(x)] = info({"4", "4"});
        for (const NodeId id : {y, c}) infos[index(id)] = info({"3"});
        ShapeFailure failure;
        explainFailure(failure, model, model.graph.node(add), [&](NodeId id) { return &infos[index(id)]; });
        QCOMPARE(failure.operands.size(), std::size_t(2));
        QCOMPARE(failure.operands[0].origin, std::string("sum_1"));
        QCOMPARE(failure.operands[1].origin, std::string("y"));
        QCOMPARE(failure.cause, std::string("sum_1"));
    }
};

QTEST_GUILESS_MAIN(TestNodeShapes)
#include "tst_node_shapes.moc"
