// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/interpreter.h"
#include "core/engine/machine.h"
#include "core/engine/stepped_run.h"
#include "core/trace/callables.h"

#include <ATen/TensorOperators.h>

#include <QTest>

using namespace fx;
using engine::Interpreter;
using engine::RunHooks;
using engine::TensorStore;
using engine::Value;

namespace {

at::Tensor random(std::vector<std::int64_t> sizes) { return engine::randomInput(sizes, at::kFloat, 0); }
CallablePtr function(const char* name) { return resolveCallable(name); }

/// x, y -> relu(x) + y
std::shared_ptr<GraphModule> small() {
    auto model = std::make_shared<GraphModule>();
    const NodeId x = model->graph.placeholder("x"), y = model->graph.placeholder("y");
    const NodeId relu = model->graph.callFunction(function("torch.relu"), {x});
    model->graph.output(model->graph.callFunction(function("operator.add"), {relu, y}));
    return model;
}

Interpreter interpreterOf(const std::shared_ptr<GraphModule>& model) {
    return Interpreter(model, std::make_shared<TensorStore>());
}

TensorPtr values(std::vector<float> numbers) {
    TensorRef out;
    out.sizes = {std::ssize(numbers)}, out.strides = {1};
    const auto* bytes = reinterpret_cast<const std::byte*>(numbers.data());
    out.storage = Storage::inMemory(std::vector<std::byte>(bytes, bytes + numbers.size() * sizeof(float)));
    return std::make_shared<const TensorRef>(std::move(out));
}
TensorPtr constant(const std::string& source) {
    TensorRef out;
    out.storage = Storage::expression(source, 0);
    return std::make_shared<const TensorRef>(std::move(out));
}
/// x -> x + the buffer of that path
std::shared_ptr<GraphModule> adding(const char* path, std::vector<Module::Slot> buffers) {
    auto model = std::make_shared<GraphModule>();
    model->root->buffers = std::move(buffers);
    const NodeId x = model->graph.placeholder("x"), read = model->graph.createNode(Op::GetAttr, path);
    model->graph.output(model->graph.callFunction(function("operator.add"), {x, read}));
    return model;
}

/// A layer whose weight is `length * direction / norm(direction)`: ParametrizedLinear of PyTorch.
std::shared_ptr<GraphModule> normalizedLinear(const char* parametrization) {
    const auto module = [](const char* name, const char* place) {
        auto made = std::make_shared<Module>();
        made->className = name, made->classModule = place;
        return made;
    };
    const auto norm = module(parametrization, "torch.nn.utils.parametrizations");
    norm->attributes.emplace_back("dim", Argument(std::int64_t{0}));
    const auto list = module("ParametrizationList", "torch.nn.utils.parametrize");
    list->parameters = {{"original0", constant("torch.full((1, 1), 2.0)")},
                        {"original1", constant("torch.tensor([[3.0, 4.0]])")}};
    list->children = {{"0", norm}};
    const auto lists = module("ModuleDict", "torch.nn.modules.container");
    lists->children = {{"weight", list}};
    const auto linear = module("ParametrizedLinear", "torch.nn.utils.parametrize");
    linear->parameters = {{"bias", nullptr}};
    linear->children = {{"parametrizations", lists}};
    auto model = std::make_shared<GraphModule>();
    model->root->children = {{"linear", linear}};
    const NodeId x = model->graph.placeholder("x");
    model->graph.output(model->graph.createNode(Op::CallModule, "linear", {x}));
    return model;
}

template<class Run> Error failureOf(Run run) {
    try {
        run();
    } catch (const Error& error) { return error; }
    return Error(ErrorKind::File, fx::Message::received({}, {}, "it did not fail"));
}

} // namespace

class TestInterpreter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { engine::seed(0); } // LibTorch starts each process with a new seed
    void run_again_givesTheSameAsTheFirstTime() {
        Interpreter interpreter = interpreterOf(small());
        const at::Tensor x = random({3, 4}), y = random({3, 4});
        const at::Tensor expected = x.relu() + y;
        for (int run = 0; run < 3; ++run) QVERIFY(interpreter.run({{x, y}, {}}).tensor().equal(expected));
    }

    void parametrizedWeights_areComputed() {
        const at::Tensor x = at::Tensor(random({1, 2})).fill_(1.0);
        const at::Tensor y = interpreterOf(normalizedLinear("_WeightNorm")).run({{x}, {}}).tensor();
        QVERIFY(y.isclose(x.new_full({1, 1}, 2.0 * (0.6 + 0.8))).item<bool>());
        const Error error = failureOf([&] { interpreterOf(normalizedLinear("_Unknown")).run({{x}, {}}); });
        QVERIFY(QString::fromUtf8(error.what()).contains("_Unknown"));
    }

    void argumentsOfOtherKinds_afterTensors_areStillPython() {
        Interpreter interpreter = interpreterOf(small());
        const at::Tensor x = random({3}), y = random({3});
        interpreter.run({{x, y}, {}});
        interpreter.run({{x, y}, {}});
        const Value number = interpreter.run({{x, 2}, {}}); // int, then tensors again
        QVERIFY(number.tensor().equal(x.relu() + 2));
        QCOMPARE(number.tensor().scalar_type(), at::kFloat);
        QVERIFY(interpreter.run({{x, y}, {}}).tensor().equal(x.relu() + y));
        QVERIFY(interpreter.run({{x.to(at::kLong), 1.5}, {}}).tensor().equal(x.to(at::kLong).relu() + 1.5));
    }

    void inputs_byName_defaultsAndStars() {
        auto model = std::make_shared<GraphModule>();
        const NodeId x = model->graph.placeholder("x"), scale = model->graph.placeholder("scale", {Argument(3)});
        const NodeId rest = model->graph.placeholder("*rest");
        const NodeId product = model->graph.callFunction(function("operator.mul"), {x, scale});
        model->graph.output(Argument::tuple({product, model->graph.callFunction(function("len"), {rest})}));
        Interpreter interpreter = interpreterOf(model);
        const at::Tensor input = random({2});
        const Value byName = interpreter.run({{}, {{"x", input}}});
        QVERIFY(byName.items()->items[0].tensor().equal(input * 3));
        QCOMPARE(*interpreter.run({{input, 2, 5, 6}, {}}).items()->items[1].integer(), 2);
        QCOMPARE(failureOf([&] { interpreter.run({{}, {}}); }).node, std::string("x"));
    }

    void failure_namesTheNode_andTheNextRunWorks() {
        Interpreter interpreter = interpreterOf(small());
        const Error error = failureOf([&] { interpreter.run({{random({2}), random({3})}, {}}); });
        QCOMPARE(error.kind(), ErrorKind::Run);
        QCOMPARE(error.node, std::string("add"));
        QVERIFY(QByteArray(error.what()).contains("must match"));
        QVERIFY(QByteArray::fromStdString(error.source).contains("operator.add"));
        QVERIFY(engine::currentNode() == nullptr); // what goes wrong from now on is none of that node's doing
        QCOMPARE(interpreter.run({{random({2}), random({2})}, {}}).tensor().size(0), 2);
    }

    void failure_tellsTheClassOfPythonsException() {
        const auto classOf = [](const char* name, Argument argument) {
            auto model = std::make_shared<GraphModule>();
            const NodeId x = model->graph.placeholder("x");
            model->graph.output(model->graph.callFunction(function(name), {x, std::move(argument)}));
            return failureOf([&] { interpreterOf(model).run({{random({2})}, {}}); }).message().argument("exception");
        };
        QCOMPARE(classOf("torch.sum", Argument(5)), std::string("IndexError"));
        QCOMPARE(classOf("torch.reshape", Argument::list({Argument(3)})), std::string("RuntimeError"));
        QCOMPARE(classOf("operator.getitem", Argument(std::string("a"))), std::string("IndexError"));
    }

    void currentNode_whileAndAfterAStep_isTheNodeThatRuns() {
        Interpreter interpreter = interpreterOf(small());
        std::string seen;
        RunHooks hooks;
        hooks.before = [&](const Node&) { seen += std::string(engine::currentNode()) + " "; };
        interpreter.run({{random({2}), random({2})}, {}}, hooks);
        QCOMPARE(seen, std::string("x y relu add output "));
        engine::SteppedRun run(interpreter, {{random({2}), random({3})}, {}});
        QCOMPARE(failureOf([&] {
                     while (run.next()) QVERIFY(engine::currentNode() == nullptr);
                 }).node,
                 std::string("add"));
        QVERIFY(engine::currentNode() == nullptr);
    }

    void integers_beyond64Bits_areNumbersOrRefused_neverZero() {
        const auto made = [](const char* digits, std::optional<at::ScalarType> type) {
            engine::Arguments call{{Value::constant(BigInt{digits})}, {}};
            if (type) call.named.emplace_back("dtype", *type);
            return engine::callFunction("torch.tensor", std::move(call));
        };
        const char* const wide = "1180591620717411303424"; // 2 ** 70
        QCOMPARE(made(wide, at::kDouble).tensor().item<double>(), 1180591620717411303424.0);
        const at::Tensor largest = made("18446744073709551615", at::kUInt64).tensor();
        QCOMPARE(*static_cast<const std::uint64_t*>(largest.const_data_ptr()), ~std::uint64_t{0});
        for (const auto type : {std::optional<at::ScalarType>(), std::optional(at::kLong), std::optional(at::kUInt64)})
            QCOMPARE(std::string(failureOf([&] { made(wide, type); }).what()),
                     std::string("ValueError: Overflow when unpacking long long"));
        const at::Tensor x = random({2});
        const Value number = Value::constant(BigInt{wide});
        QCOMPARE(std::string(failureOf([&] {
                                 engine::callFunction("torch.add", {x, number});
                             }).what()),
                 std::string("OverflowError: int too big to convert"));
        QVERIFY(!QByteArray(failureOf([&] {
                                engine::callFunction("torch.sum", {x, number});
                            }).what())
                     .contains("did not fail"));
        const Value large = engine::callFunction("torch.add", {x, Value::constant(BigInt{"9223372036854775808"})});
        QVERIFY(large.tensor().equal(x + std::ldexp(1.0, 63)));
        const Value wraps = engine::callFunction(
            "torch.add", {at::ones({2}, at::kLong), Value::constant(BigInt{"9223372036854775808"})});
        QCOMPARE(wraps.tensor().scalar_type(), at::kLong);
        QCOMPARE(wraps.tensor()[0].item<std::int64_t>(), std::numeric_limits<std::int64_t>::min() + 1);
    }

    void unknownFunction_saysWhatIsNear() {
        auto model = std::make_shared<GraphModule>();
        const NodeId x = model->graph.placeholder("x");
        model->graph.output(model->graph.callFunction(function("mypkg.relu"), {x}));
        const Error error = failureOf([&] { interpreterOf(model).run({{random({2})}, {}}); });
        QVERIFY(QByteArray(error.what()).contains("mypkg.relu"));
        QVERIFY2(QByteArray::fromStdString(error.hint).contains("torch.relu"), error.hint.c_str());
    }

    void hooks_seeEveryNodeInOrder() {
        Interpreter interpreter = interpreterOf(small());
        std::string seen;
        RunHooks hooks;
        hooks.before = [&](const Node& node) { seen += node.name() + " "; };
        hooks.after = [&](const Node& node, const Value& value) {
            seen += node.op() == Op::CallFunction ? std::to_string(value.tensor().dim()) + " " : "";
        };
        interpreter.run({{random({2}), random({2})}, {}}, hooks);
        QCOMPARE(seen, std::string("x y relu 1 add 1 output "));
    }

    void runFrom_knownValues_runsOnlyWhatIsLeft() {
        const auto model = small();
        Interpreter interpreter = interpreterOf(model);
        const NodeId relu = model->graph.find("relu"), add = model->graph.find("add");
        const at::Tensor known = random({2}), y = random({2});
        std::vector<Value> kept;
        int nodes = 0;
        RunHooks hooks;
        hooks.before = [&](const Node&) { ++nodes; };
        const Value out = interpreter.runFrom({{relu, known}}, {{{}, y}, {}}, {add}, kept, hooks);
        QVERIFY(out.tensor().equal(known + y));
        QVERIFY(kept.at(0).tensor().equal(out.tensor()));
        QCOMPARE(nodes, 3); // y, add, output
    }

    void values_areFreedAtTheirLastUse() {
        auto model = std::make_shared<GraphModule>();
        NodeId last = model->graph.placeholder("x");
        for (int i = 0; i < 4; ++i) last = model->graph.callFunction(function("torch.neg"), {last});
        model->graph.output(last);
        Interpreter interpreter = interpreterOf(model);
        std::vector<c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>> results;
        RunHooks hooks;
        std::size_t alive = 0;
        hooks.after = [&](const Node& node, const Value& value) {
            if (node.op() == Op::CallFunction) results.emplace_back(value.tensor().getIntrusivePtr());
        };
        hooks.before = [&](const Node&) {
            const auto count =
                std::count_if(results.begin(), results.end(), [](const auto& weak) { return !weak.expired(); });
            alive = std::max(alive, static_cast<std::size_t>(count));
        };
        interpreter.run({{random({2})}, {}}, hooks);
        QCOMPARE(alive, 1u);
    }

    void modes_switchedByNodes_endWithThem_andWithTheRun() {
        auto model = std::make_shared<GraphModule>();
        Graph& graph = model->graph;
        const NodeId x = graph.placeholder("x");
        const NodeId mode = graph.callFunction(function("torch.amp.autocast_mode._enter_autocast"),
                                               {"cpu", Argument::dtype("torch.bfloat16"), true, true});
        const NodeId cast = graph.callFunction(function("torch.matmul"), {x, x});
        const NodeId fails = graph.callFunction(function("torch.reshape"),
                                                {x, Argument::tuple({4})}); // only for inputs of four elements
        graph.callFunction(function("torch.amp.autocast_mode._exit_autocast"), {mode});
        const NodeId plain = graph.callFunction(function("torch.matmul"), {x, x});
        graph.output(Argument::tuple({cast, plain, fails}));
        Interpreter interpreter = interpreterOf(model), other = interpreterOf(model);

        const at::Tensor given = random({2, 2});
        const engine::Values out = engine::iterate(interpreter.run({{given}, {}}));
        QCOMPARE(out[0].tensor().scalar_type(), at::kBFloat16);
        QCOMPARE(out[1].tensor().scalar_type(), at::kFloat);
        QVERIFY_THROWS_EXCEPTION(Error, interpreter.run({{random({3, 3})}, {}})); // inside the region
        QCOMPARE(at::matmul(given, given).scalar_type(), at::kFloat);
    }

    void steppedRuns_sideBySide_keepTheirModes() {
        auto casts = std::make_shared<GraphModule>(), plain = std::make_shared<GraphModule>();
        const NodeId in = casts->graph.placeholder("x");
        casts->graph.callFunction(function("torch.amp.autocast_mode._enter_autocast"), {"cpu"});
        casts->graph.output(casts->graph.callFunction(function("torch.matmul"), {in, in}));
        const NodeId x = plain->graph.placeholder("x");
        plain->graph.callFunction(function("torch.neg"), {x});
        plain->graph.output(plain->graph.callFunction(function("torch.matmul"), {x, x}));
        Interpreter a = interpreterOf(casts), b = interpreterOf(plain);
        const at::Tensor given = random({2, 2});
        engine::SteppedRun first(a, {{given}, {}}), second(b, {{given}, {}});
        Value left, right;
        while (first.next()) left = first.value(), second.next(), right = second.value();
        QCOMPARE(left.tensor().scalar_type(), at::kBFloat16);
        QCOMPARE(right.tensor().scalar_type(), at::kFloat);
    }

    void constants_madeOfTensorsOfTheModel_areComputed_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<float>("sum"); // of three elements
        QTest::newRow("a tensor") << "torch.add(self.pos, 1)" << 9.0f;
        QTest::newRow("keywords") << "torch.ops.aten.add.Tensor(self=self.pos, other=getattr(self.inner, '0').scale)"
                                  << 66.0f;
        QTest::newRow("an attribute") << "self.pos.mul(2).T" << 12.0f;
        QTest::newRow("another constant") << "self.other + 1" << 15.0f;
        QTest::newRow("a device") << "torch.arange(3, device=device(type='cpu'), dtype=torch.float32)" << 3.0f;
        QTest::newRow("in its own memory") << "torch.ops.aten.add_.Tensor(torch.zeros(3), self.pos)" << 6.0f;
    }
    void constants_madeOfTensorsOfTheModel_areComputed() {
        QFETCH(QString, source);
        QFETCH(float, sum);
        const auto model = adding(
            "c",
            {{"c", constant(source.toStdString())}, {"other", constant("self.pos * 2")}, {"pos", values({1, 2, 3})}});
        auto inner = std::make_shared<Module>(), zero = std::make_shared<Module>();
        zero->buffers.push_back({"scale", values({10, 20, 30})});
        inner->children.push_back({"0", zero});
        model->root->children.push_back({"inner", inner});
        QCOMPARE(interpreterOf(model).run({{0.0}, {}}).tensor().sum().item<float>(), sum);
    }

    void constants_thatCannotBeComputed_sayWhy_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("code");
        QTest::newRow("a cycle") << "self.c + 1"
                                 << "engine.constant_circle";
        QTest::newRow("a longer cycle") << "self.d + 1"
                                        << "engine.constant_circle";
        QTest::newRow("a hidden cycle") << "getattr(self, 'c' + '') + 1"
                                        << "engine.constant_reads";
        QTest::newRow("a device") << "torch.arange(3, device=device(type='cuda', index=0))"
                                  << "engine.constant_device";
        QTest::newRow("no such tensor") << "torch.neg(self.gone)"
                                        << "engine.expression_name";
        QTest::newRow("in place") << "self.pos.view(-1).add_(1)"
                                  << "engine.expression_writes";
    }
    void constants_thatCannotBeComputed_sayWhy() {
        QFETCH(QString, source);
        QFETCH(QString, code);
        const auto model = adding(
            "c", {{"c", constant(source.toStdString())}, {"d", constant("self.c * 2")}, {"pos", values({1, 2, 3})}});
        const Error error = failureOf([&] { interpreterOf(model).run({{0.0}, {}}); });
        QCOMPARE(QString::fromStdString(error.message().code()), code);
    }

    void constants_thousandsInARow_areComputed() {
        constexpr int kLength = 20'000;
        std::vector<Module::Slot> buffers{{"c0", constant("self.pos + 0")}, {"pos", values({1, 2, 3})}};
        for (int i = 1; i <= kLength; ++i)
            buffers.push_back({"c" + std::to_string(i), constant("self.c" + std::to_string(i - 1) + " + 1")});
        const auto model = adding(("c" + std::to_string(kLength)).c_str(), std::move(buffers));
        QCOMPARE(interpreterOf(model).run({{0.0}, {}}).tensor().sum().item<float>(), 3.0f * kLength + 6);
    }

    void constants_ofNestedGraphs_readTheirOwnModel() {
        const auto inner = adding("c", {{"c", constant("self.pos * 10")}, {"pos", values({1, 2, 3})}});
        auto child = std::make_shared<Module>(*inner->root);
        child->graphModule = inner;
        auto model = std::make_shared<GraphModule>();
        model->root->buffers = {{"pos", values({4, 5, 6})}};
        model->root->children.push_back({"inner", child});
        const NodeId x = model->graph.placeholder("x");
        model->graph.output(model->graph.createNode(Op::CallModule, "inner", {x}));
        QCOMPARE(interpreterOf(model).run({{0.0}, {}}).tensor().sum().item<float>(), 60.0f);
    }

    void nestedGraph_runsAsAModule() {
        auto model = std::make_shared<GraphModule>();
        auto child = std::make_shared<Module>();
        child->graphModule = small();
        model->root->children.push_back({"inner", child});
        const NodeId x = model->graph.placeholder("x");
        model->graph.output(model->graph.createNode(Op::CallModule, "inner", {x}, {{"y", Argument(1)}}));
        const at::Tensor input = random({3});
        QVERIFY(interpreterOf(model).run({{input}, {}}).tensor().equal(input.relu() + 1));
    }

    void modulesThatAreValues_areCalled() { // as loading the branches of an export gives it
        auto model = std::make_shared<GraphModule>();
        auto inner = std::make_shared<Module>(), relu = std::make_shared<Module>();
        inner->graphModule = small();
        relu->className = "ReLU", relu->classModule = "torch.nn.modules.activation";
        relu->attributes.emplace_back("inplace", Argument(false));
        model->root->children = {{"inner", inner}, {"relu", relu}};
        Graph& graph = model->graph;
        const NodeId x = graph.placeholder("x"), first = graph.createNode(Op::GetAttr, "inner"),
                     second = graph.createNode(Op::GetAttr, "relu");
        const NodeId sum = graph.createNode(Op::CallMethod, "__call__", {first, x}, {{"y", Argument(-1)}});
        graph.output(graph.createNode(Op::CallMethod, "__call__", {second, sum}));
        const at::Tensor input = random({3});
        QVERIFY(interpreterOf(model).run({{input}, {}}).tensor().equal((input.relu() - 1).relu()));
    }

    void inputsOfModules_byKeyword_areThoseOfThatName() {
        auto model = std::make_shared<GraphModule>();
        auto loss = std::make_shared<Module>();
        loss->className = "KLDivLoss", loss->classModule = "torch.nn.modules.loss";
        loss->attributes.emplace_back("reduction", Argument("sum"));
        loss->attributes.emplace_back("log_target", Argument(false));
        model->root->children.push_back({"loss", loss});
        const NodeId x = model->graph.placeholder("x"), y = model->graph.placeholder("y");
        model->graph.output(model->graph.createNode(Op::CallModule, "loss", {}, {{"target", y}, {"input", x}}));
        const at::Tensor input = random({2, 3}), target = random({2, 3}).abs();
        const at::Tensor expected = (target * (target.log() - input)).sum();
        QVERIFY(interpreterOf(model).run({{input, target}, {}}).tensor().sub(expected).abs().item<float>() < 1e-4);
    }

    void inputsOfModules_leftOutBeforeAKeyword_areNone() {
        auto model = std::make_shared<GraphModule>();
        auto bag = std::make_shared<Module>();
        bag->className = "EmbeddingBag", bag->classModule = "torch.nn.modules.sparse";
        bag->parameters.push_back({"weight", values({1, 2, 4})});
        TensorRef weight = *bag->parameters[0].tensor;
        weight.sizes = {3, 1}, weight.strides = {1, 1};
        bag->parameters[0].tensor = std::make_shared<const TensorRef>(std::move(weight));
        for (const char* name : {"max_norm", "padding_idx"}) bag->attributes.emplace_back(name, Argument());
        for (const char* name : {"scale_grad_by_freq", "sparse", "include_last_offset"})
            bag->attributes.emplace_back(name, Argument(false));
        bag->attributes.emplace_back("norm_type", Argument(2.0));
        bag->attributes.emplace_back("mode", Argument("sum"));
        model->root->children.push_back({"bag", bag});
        const NodeId x = model->graph.placeholder("x"), weights = model->graph.placeholder("w");
        model->graph.output(model->graph.createNode(Op::CallModule, "bag", {x}, {{"per_sample_weights", weights}}));
        const at::Tensor places = engine::randomInput({2, 2}, at::kLong, 3), weighting = random({2, 2});
        const at::Tensor looked = at::pow(2.0, places.to(at::kFloat)); // 1, 2, 4
        const at::Tensor expected = (looked * weighting).sum(1, true);
        QVERIFY((interpreterOf(model).run({{places, weighting}, {}}).tensor() - expected).abs().max().item<float>() <
                1e-5);
    }
};

QTEST_APPLESS_MAIN(TestInterpreter)
#include "tst_engine_interpreter.moc"
