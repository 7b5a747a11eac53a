// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/steps.h"
#include "core/passes/fresh_values.h"
#include "core/trace/callables.h"
#include "tests/core/passes/pass_fixture.h"

using namespace fx;

namespace {

using Texts = std::vector<std::string>;

ValueInfo tensor(Texts sizes, const char* dtype = "torch.float32") {
    ValueInfo info;
    info.dtype = dtype, info.sizes = std::move(sizes), info.device = "cpu";
    return info;
}

/// Knows relu and gt, which keep the shape, t, which turns it, and cat of two in the first dimension.
class FewOperators final : public OneElement {
public:
    std::size_t calls = 0, nodes = 0;
    bool fails = false;

    NodeShapes partShapes(const GraphModule& part, bool) override {
        ++calls;
        if (fails) throw Error(ErrorKind::Run, Message("engine.unknown_input"));
        NodeShapes out;
        std::unordered_map<NodeId, ValueInfo> values;
        for (const Node& node : part.graph.nodes()) {
            if (node.op() == Op::Placeholder) values[node.id()] = node.meta().values.at(0);
            if (node.op() != Op::CallFunction) continue;
            ++nodes;
            const auto inputs = node.inputs();
            if (std::any_of(inputs.begin(), inputs.end(), [&](NodeId id) { return !values.contains(id); })) continue;
            const auto value = valueOf(node, values);
            if (value) values[node.id()] = *value, out.nodes.emplace_back(node.name(), std::vector{*value});
            else out.failures.push_back({node.name(), Message("engine.unknown_input"), {}, false, {}, {}});
        }
        return out;
    }

private:
    static std::optional<ValueInfo> valueOf(const Node& node, std::unordered_map<NodeId, ValueInfo>& values) {
        ValueInfo value = values.at(node.inputs()[0]);
        value.strides.clear();
        const std::string& target = node.target();
        if (target == "torch.ops.aten.gt.Scalar") value.dtype = "torch.bool";
        else if (target == "torch.ops.aten.t.default") std::swap(value.sizes.at(0), value.sizes.at(1));
        else if (target == "torch.ops.aten.cat.default")
            value.sizes[0] = std::to_string(std::stoll(value.sizes[0]) +
                                            std::stoll(values.at(node.inputs()[node.inputs().size() - 1]).sizes[0]));
        else if (target != "torch.ops.aten.relu.default") return std::nullopt;
        return value;
    }
};

struct Program {
    GraphModule model;
    NodeId x = model.graph.placeholder("x");

    Program(Texts sizes) { note(x, {tensor(std::move(sizes))}); }
    void note(NodeId id, std::vector<ValueInfo> values) {
        auto meta = std::make_shared<NodeMeta>();
        meta->values = std::move(values);
        model.graph.setMeta(id, std::move(meta));
    }
    NodeId call(const char* target, std::vector<Argument> arguments, std::vector<ValueInfo> values = {}) {
        const NodeId id = model.graph.callFunction(resolveCallable(target), std::move(arguments));
        note(id, std::move(values));
        return id;
    }
    QString value(NodeId id) const { return value(model, id); }
    static QString value(const GraphModule& model, NodeId id) {
        const auto& values = model.graph.node(id).meta().values;
        if (values.empty()) return "unknown";
        return QString::fromStdString(values[0].dtype.substr(6) + " " + values[0].shapeText());
    }
};

constexpr const char* kRelu = "torch.ops.aten.relu.default";
constexpr const char* kForeign = "torch.ops.other_library.thing.default";

} // namespace

class TestFreshValues : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void changedNodes_andTheirDependents_areComputed() {
        Program p({"2", "3"});
        const NodeId a = p.call(kRelu, {p.x}, {tensor({"2", "3"})}), b = p.call(kRelu, {a}, {tensor({"2", "3"})});
        p.model.graph.output(b);
        const GraphModule before = p.model;
        p.model.graph.setCallable(a, resolveCallable("torch.ops.aten.t.default"));
        FewOperators engine;
        QVERIFY(refreshValues(before, p.model, &engine).empty());
        QCOMPARE(p.value(a), "float32 3×2");
        QCOMPARE(p.value(b), "float32 3×2");
    }

    void unchangedValues_endTheWalk() {
        Program p({"2", "3"});
        NodeId last = p.x;
        for (int i = 0; i < 50; ++i) last = p.call(kRelu, {last}, {tensor({"2", "3"})});
        p.model.graph.output(last);
        const GraphModule before = p.model;
        const NodeId first = p.model.graph.next(p.x);
        p.model.graph.setInsertPoint({InsertPoint::Side::After, p.x});
        const NodeId made = p.model.graph.callFunction(resolveCallable(kRelu), {p.x});
        p.model.graph.replaceInput(first, p.x, made);
        FewOperators engine;
        refreshValues(before, p.model, &engine);
        QCOMPARE(p.value(made), "float32 2×3");
        QVERIFY(engine.nodes < 10);
    }

    void foreignOperators_keepTheirValues_whileTheirInputsDo() {
        Program p({"2", "3"});
        const NodeId a = p.call(kRelu, {p.x}, {tensor({"2", "3"})}), b = p.call(kForeign, {a}, {tensor({"7"})}),
                     c = p.call(kRelu, {b}, {tensor({"7"})});
        p.model.graph.output(Argument::tuple({c, a}));
        GraphModule before = p.model, after = p.model;
        FewOperators engine;
        after.graph.setInsertPoint({InsertPoint::Side::After, a}); // b gets an equal value
        const NodeId made = after.graph.callFunction(resolveCallable(kRelu), {a});
        after.graph.replaceInput(b, a, made);
        QVERIFY(unknownValueWarnings(refreshValues(before, after, &engine), after.graph).empty());
        QCOMPARE(Program::value(after, b), "float32 7");
        QCOMPARE(Program::value(after, c), "float32 7");
        after = before;
        after.graph.setCallable(a, resolveCallable("torch.ops.aten.t.default")); // b gets another shape
        const Warnings warnings = unknownValueWarnings(refreshValues(before, after, &engine), after.graph);
        QCOMPARE(Program::value(after, b), "unknown");
        QCOMPARE(Program::value(after, c), "unknown");
        QCOMPARE(warnings.size(), std::size_t(1));
        QCOMPARE(warnings[0].node, after.graph.node(b).name());
    }

    void nodesThatFailRepeatedly_areWarnedOfOnce() {
        Program p({"2", "3"});
        const NodeId a = p.call(kForeign, {p.x});
        const std::string name = p.model.graph.node(a).name();
        const std::vector<ShapeFailure> failures = {
            {name, Message("reader.bad_message"), {}, false, {}, {}},
            {name, Message("engine.unknown_input"), {}, false, {}, {}},
        };
        const Warnings warnings = unknownValueWarnings(failures, p.model.graph);
        QCOMPARE(warnings.size(), std::size_t(1));
        QCOMPARE(warnings[0].what.argument("cause"), std::string("engine.unknown_input"));
    }

    void withoutEngine_orIfItFails_valuesAreUnknown() {
        Program p({"2", "3"});
        const NodeId a = p.call(kRelu, {p.x}, {tensor({"2", "3"})}), b = p.call(kRelu, {a}, {tensor({"2", "3"})}),
                     c = p.call(kRelu, {p.x}, {tensor({"2", "3"})});
        p.model.graph.output(Argument::tuple({b, c}));
        FewOperators failing;
        failing.fails = true;
        for (TensorEngine* engine : {static_cast<TensorEngine*>(nullptr), static_cast<TensorEngine*>(&failing)}) {
            GraphModule after = p.model;
            after.graph.setCallable(a, resolveCallable("torch.ops.aten.t.default"));
            refreshValues(p.model, after, engine);
            QCOMPARE(Program::value(after, a), "unknown");
            QCOMPARE(Program::value(after, b), "unknown");
            QCOMPARE(Program::value(after, c), "float32 2×3");
        }
        GraphModule after = p.model; // a rule says what relu of a dense tensor is
        ValueInfo dense = tensor({"2", "3"});
        dense.strides = {"3", "1"};
        auto meta = std::make_shared<NodeMeta>();
        meta->values = {dense};
        after.graph.setMeta(p.x, std::move(meta));
        after.graph.setCallable(c, resolveCallable("torch.ops.aten.neg.default"));
        refreshValues(p.model, after, nullptr);
        QCOMPARE(Program::value(after, c), "float32 2×3");
    }

    void models_withoutRecordedValues_areLeftAlone() {
        Program p({"2", "3"});
        const NodeId a = p.call(kRelu, {p.x});
        const GraphModule before = p.model;
        p.model.graph.setCallable(a, resolveCallable("torch.ops.aten.t.default"));
        FewOperators engine;
        refreshValues(before, p.model, &engine);
        QCOMPARE(engine.calls, std::size_t(0));
    }

    void symbols_stay() {
        Program p({"s0", "s1 + 1"});
        const NodeId a = p.call(kRelu, {p.x}, {tensor({"s0", "s1 + 1"})}),
                     b = p.call(kRelu, {a}, {tensor({"s0", "s1 + 1"})});
        p.model.graph.output(b);
        const GraphModule before = p.model;
        p.model.graph.setCallable(a, resolveCallable("torch.ops.aten.cat.default"));
        p.model.graph.setArgs(a, {Argument::list({p.x, p.x})});
        FewOperators engine;
        refreshValues(before, p.model, &engine);
        QCOMPARE(p.value(a), "float32 2*s0×s1 + 1");
        QCOMPARE(p.value(b), "float32 2*s0×s1 + 1");
    }

    void steps_refreshBeforeAStepThatReadsValues() {
        Program p({"2", "3"});
        const NodeId a = p.call(kRelu, {p.x}, {tensor({"2", "3"})});
        p.model.graph.output(a);
        FewOperators engine;
        const StepList steps = StepList::parse(R"([
            {"step": "insert_after", "node": "relu_default", "op": "call_function", "args": [{"node": "relu_default"}],
             "target": "torch.ops.aten.t.default", "name": "turned", "rewire_users": true},
            {"step": "insert_after", "node": "turned", "op": "call_function", "args": [{"node": "turned"}],
             "target": "torch.ops.aten.relu.default", "name": "second", "rewire_users": true},
            {"step": "replace_pattern", "pattern": "def pattern(x):\n    return torch.ops.aten.relu.default(x)\n",
             "replacement": "def replacement(x):\n    return torch.ops.aten.gt.Scalar(x, 0)\n",
             "options": {"filter": {"node": "relu_default", "shape": [3, 2]}}}])");
        applySteps(p.model, steps, {}, &engine);
        QVERIFY(p.model.graph.find("second") == kNoNode);
        QVERIFY(p.model.graph.find("relu_default") != kNoNode);
        const Node& output = p.model.graph.node(p.model.graph.outputNode());
        QCOMPARE(p.value(output.inputs()[0]), "bool 3×2");
    }
};

QTEST_GUILESS_MAIN(TestFreshValues)
#include "tst_fresh_values.moc"
