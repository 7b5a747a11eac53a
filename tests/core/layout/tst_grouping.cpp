// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/grouping.h"
#include "tests/support/model_graphs.h"

#include <QTest>

using fx::NodeId;
using model_graphs::Builder;

/// In which module's box calls without a path are.
class TestGrouping : public QObject {
    Q_OBJECT

    static QString groupOf(const Builder& b, NodeId node) {
        const auto grouping = fx::groupNodes(*b.module, {});
        return QString::fromStdString(grouping.groups[grouping.groupOf[fx::index(node)]].path);
    }
    /// Residual blocks with functional relus, in Sequentials whose classes are not known.
    struct ResNet {
        Builder b;
        std::vector<NodeId> adds, relus;
        ResNet() {
            auto x = b.call("stem", b.input("x"));
            for (const char* stage : {"layer1", "layer2"})
                for (const char* block : {".0", ".1"}) {
                    const std::string path = stage + std::string(block);
                    const auto inner = b.function("torch.relu", {b.call(path + ".conv1", x)});
                    adds.push_back(b.function("_operator.add", {b.call(path + ".conv2", inner), x}));
                    relus.push_back(x = b.function("torch.relu", {adds.back()}));
                }
            b.output(b.call("fc", x));
        }
    };

private Q_SLOTS:
    void relusAndAdds_ofBlocks_areInTheirBlocks() {
        const ResNet net;
        const char* blocks[] = {"layer1.0", "layer1.1", "layer2.0", "layer2.1"};
        for (std::size_t i = 0; i < net.adds.size(); ++i) {
            QCOMPARE(groupOf(net.b, net.adds[i]), QString(blocks[i]));
            QCOMPARE(groupOf(net.b, net.relus[i]), QString(blocks[i]));
        }
    }
    void calls_betweenLayersOfAList_areOutsideOfTheList() {
        Builder b;
        b.type("body.layers", "ModuleList");
        auto x = b.call("body.first", b.input("x"));
        std::vector<NodeId> relus;
        for (const char* layer : {"0", "1", "2"})
            relus.push_back(x = b.function("torch.relu", {b.call(std::string("body.layers.") + layer, x)}));
        b.output(b.call("body.last", x));
        for (const NodeId relu : relus) QCOMPARE(groupOf(b, relu), "body");
    }
    void sum_ofBranchesInAList_isOutsideOfTheList() {
        Builder b;
        const auto x = b.input("x");
        const auto one = b.call("branches.0.conv", b.call("branches.0.bn", x)),
                   two = b.call("branches.1.conv", b.call("branches.1.bn", x));
        const auto sum = b.function("_operator.add", {one, two});
        b.output(b.call("head", sum));
        QCOMPARE(groupOf(b, sum), "");
    }
    void difference_ofTwoCallsOfAModule_isOutsideOfIt() {
        Builder b;
        const auto one = b.call("encoder.fc", b.call("encoder.conv", b.input("a"))),
                   two = b.call("encoder.fc", b.call("encoder.conv", b.input("b")));
        const auto difference = b.function("_operator.sub", {one, two});
        b.output(difference);
        QCOMPARE(groupOf(b, difference), "");
    }
    void attention_betweenProjections_isWithThem() {
        Builder b;
        const auto x = b.call("embed", b.input("x"));
        const auto product = b.function("_operator.matmul", {b.call("attn.q", x), b.call("attn.k", x)});
        const auto out = b.call("attn.proj", b.function("torch.softmax", {product, -1}));
        const auto sum = b.function("_operator.add", {out, x});
        b.output(b.call("head", sum));
        QCOMPARE(groupOf(b, product), "attn");
        QCOMPARE(groupOf(b, sum), "");
    }
    void function_thatReadsParameters_isInTheirModule() {
        Builder b;
        const auto weight = b.attribute("layer1.proj.weight"), bias = b.attribute("layer1.proj.bias");
        const auto linear = b.function("torch.nn.functional.linear", {b.input("x"), weight, bias});
        b.output(linear);
        QCOMPARE(groupOf(b, linear), "layer1.proj");
    }
    void moduleStack_decidesBeforeAllElse() {
        Builder b;
        const auto relu = b.function("torch.relu", {b.call("a.conv", b.input("x"))});
        fx::NodeMeta meta;
        meta.moduleStack = {{"L__self__", "", "Net"}, {"b", "b", "mine.Block"}};
        b.graph().setMeta(relu, std::make_shared<const fx::NodeMeta>(meta));
        b.output(b.call("a.fc", relu));
        QCOMPARE(groupOf(b, relu), "b");
    }
};

QTEST_APPLESS_MAIN(TestGrouping)
#include "tst_grouping.moc"
