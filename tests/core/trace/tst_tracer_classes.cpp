// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/module/module.h"
#include "core/trace/retrace.h"

#include <QTest>

namespace {
constexpr const char* kImports = "import torch\n";
const std::string kKeyTracer = "torch.fx.experimental.proxy_tensor.PythonKeyTracer";

fx::TensorPtr tensor(std::vector<std::int64_t> sizes, bool parameter) {
    auto out = std::make_shared<fx::TensorRef>();
    out->sizes = std::move(sizes);
    out->isParameter = out->requiresGrad = parameter;
    return out;
}

/// Parameters w and inner.w, a buffer b, and a GraphModule `fused`.
fx::GraphModule sample(const std::string& tracer) {
    fx::GraphModule module;
    module.tracerClass = tracer;
    module.root->parameters.push_back({"w", tensor({3, 4}, true)});
    module.root->buffers.push_back({"b", tensor({3}, false)});
    auto inner = std::make_shared<fx::Module>();
    inner->className = "Linear";
    inner->parameters.push_back({"w", tensor({2}, true)});
    module.root->children.push_back({"inner", inner});
    auto fused = std::make_shared<fx::Module>();
    fused->graphModule = std::make_shared<fx::GraphModule>();
    *fused->graphModule->root = *fused;
    fused->graphModule->root->graphModule = nullptr;
    fx::retraceSavedCode(*fused->graphModule, kImports,
                         "def forward(self, a, b = 2):\n    add = a + b\n"
                         "    return (add.relu(), torch.mul(add, 3)[0])\n");
    module.root->children.push_back({"fused", fused});
    return module;
}

QString traced(fx::GraphModule& module, const QString& body) {
    fx::retraceSavedCode(module, kImports, ("def forward(self, x):\n    " + body + "\n").toStdString());
    return QString::fromStdString(fx::graphText(module.graph)).section('\n', 2).replace("\n    ", "\n").trimmed();
}
} // namespace

class TestTracerClasses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parameter_keyTracer_recordedAtEachUse() {
        fx::GraphModule module = sample(kKeyTracer);
        QCOMPARE(traced(module, "w = self.w\n    y = torch.relu(x)\n    return torch.add(torch.add(y, w), w)"),
                 QString("%relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
                         "%w : [num_users=1] = get_attr[target=w]\n"
                         "%add : [num_users=1] = call_function[target=torch.add](args = (%relu, %w), kwargs = {})\n"
                         "%w_1 : [num_users=1] = get_attr[target=w]\n"
                         "%add_1 : [num_users=1] = call_function[target=torch.add](args = (%add, %w_1), kwargs = {})\n"
                         "return add_1"));
        QVERIFY(module.warnings.empty());
    }

    void operatorOnParameters_keyTracer_isAConstant() {
        fx::GraphModule module = sample(kKeyTracer);
        QCOMPARE(traced(module, "t = torch.ops.aten.t.default(self.w)\n    return torch.mm(x, t)"),
                 QString("%_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]\n"
                         "%mm : [num_users=1] = call_function[target=torch.mm](args = (%x, %_tensor_constant0), "
                         "kwargs = {})\nreturn mm"));
        const fx::TensorPtr made = module.root->buffers.back().tensor;
        QCOMPARE(made->storage->expressionSource(), std::string("torch.ops.aten.t.default(self.w)"));
        QVERIFY((made->sizes == std::vector<std::int64_t>{4, 3}));
    }

    void parameter_standardTracer_recordedOnce() {
        fx::GraphModule module = sample("");
        const QString text =
            traced(module, "w = self.w\n    y = torch.relu(x)\n    return torch.add(torch.add(y, w), w)");
        QVERIFY(text.startsWith("%w : [num_users=2] = get_attr[target=w]\n%relu"));
    }

    void pathBelowTheRoot_keyTracer_doesNotLoad() {
        fx::GraphModule module = sample(kKeyTracer);
        QCOMPARE(traced(module, "inner_w = self.inner.w\n    return x + inner_w"),
                 QString("%inner_w : [num_users=1] = get_attr[target=inner.w]\n%add : [num_users=1] = "
                         "call_function[target=operator.add](args = (%x, %inner_w), kwargs = {})\nreturn add"));
        QVERIFY(module.notLoadable);
        QVERIFY(module.warnings.front().what.text().find("no attribute 'inner.w'") != std::string::npos);
    }

    void graphModule_keyTracer_tracedThrough() {
        fx::GraphModule module = sample(kKeyTracer);
        QCOMPARE(traced(module, "return self.fused(x)"),
                 QString("%add : [num_users=2] = call_function[target=operator.add](args = (%x, 2), kwargs = {})\n"
                         "%relu : [num_users=1] = call_method[target=relu](args = (%add,), kwargs = {})\n"
                         "%mul : [num_users=1] = call_function[target=torch.mul](args = (%add, 3), kwargs = "
                         "{})\n%getitem : [num_users=1] = call_function[target=operator.getitem](args = (%mul, 0), "
                         "kwargs = {})\nreturn (relu, getitem)"));
    }

    void otherModule_keyTracer_keptAsWritten() {
        fx::GraphModule module = sample(kKeyTracer);
        QCOMPARE(
            traced(module, "inner = self.inner(x)\n    return inner"),
            QString("%inner : [num_users=1] = call_module[target=inner](args = (%x,), kwargs = {})\nreturn inner"));
        QVERIFY(module.warnings.front().what.text().find("traces through self.inner") != std::string::npos);
        QVERIFY(!module.notLoadable);
    }

    void parameter_writtenWhileLoading_doesNotLoad() {
        fx::GraphModule module = sample(kKeyTracer);
        traced(module, "add_ = torch.ops.aten.add_.Tensor(self.w, 1)\n    return x");
        QVERIFY(module.notLoadable);
        QVERIFY(module.warnings.front().what.text().find("a leaf Variable that requires grad") != std::string::npos);
    }

    void tracer_thatTakesArguments_doesNotLoad() {
        fx::GraphModule module = sample("torch.fx.experimental.proxy_tensor._ModuleStackTracer");
        QCOMPARE(traced(module, "inner_w = self.inner.w\n    y = torch.relu(x)\n    return y"),
                 QString("%inner_w : [num_users=0] = get_attr[target=inner.w]\n%y : [num_users=1] = "
                         "call_function[target=torch.relu](args = (%x,), kwargs = {})\nreturn y"));
        QVERIFY(module.notLoadable);
        QVERIFY(module.warnings.front().where.empty());
        QVERIFY(module.warnings.front().what.text().find("'scope_root'") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestTracerClasses)
#include "tst_tracer_classes.moc"
