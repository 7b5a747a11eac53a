// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/in_float.h"

#include "core/ir/print.h"
#include "core/make/observer_spec.h"
#include "core/quant/module_values.h"
#include "core/quant/qconfig.h"

#include <QTest>

using namespace fx;
using namespace fx::quant;

class TestInFloat final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void preparedForTraining_computesInFloatingPoint();
};

namespace {

std::int64_t firstOf(const Module& module, std::string_view name) {
    const TensorPtr tensor = module.tensor(name);
    std::byte value{};
    tensor->storage->read(0, std::span(&value, 1));
    return static_cast<std::int64_t>(value);
}

} // namespace

void TestInFloat::preparedForTraining_computesInFloatingPoint() {
    GraphModule prepared;
    auto layer = emptyModule("torch.ao.nn.qat.modules.linear.Linear");
    layer->children.push_back({"weight_fake_quant", makeObserver(*namedObserver("default_fused_wt_fake_quant"))});
    auto root = std::make_shared<Module>();
    root->children.push_back({"activation_post_process_0", makeObserver(*namedObserver("default_fake_quant"))});
    root->children.push_back({"fc", layer});
    prepared.root = root;
    Graph& graph = prepared.graph;
    const NodeId x = graph.placeholder("x");
    const NodeId observed = graph.createNode(Op::CallModule, "activation_post_process_0", {Argument(x)});
    const NodeId fc = graph.createNode(Op::CallModule, "fc", {Argument(observed)});
    graph.output(Argument(fc));

    const GraphModule model = inFloat(prepared);
    QCOMPARE(graphText(model.graph), std::string("graph():\n"
                                                 "    %x : [num_users=1] = placeholder[target=x]\n"
                                                 "    %fc : [num_users=1] = call_module[target=fc](args = (%x,), "
                                                 "kwargs = {})\n"
                                                 "    return fc"));
    const Module& off = *model.root->child("fc")->child("weight_fake_quant");
    for (const char* name : {"fake_quant_enabled", "observer_enabled"}) {
        QCOMPARE(firstOf(off, name), 0);
        QCOMPARE(firstOf(*layer->child("weight_fake_quant"), name), 1); // the prepared model is as it was
    }
}

QTEST_APPLESS_MAIN(TestInFloat)
#include "tst_in_float.moc"
