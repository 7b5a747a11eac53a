// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"

#include <QTest>

using namespace fx;
using namespace fx::engine;

namespace {

at::Tensor random(std::vector<std::int64_t> sizes) { return randomInput(sizes, at::kFloat, 0); }

/// Which operator a call comes down to first.
class First : public CallObserver {
public:
    void called(const Kernel& kernel, const std::vector<c10::IValue>&, ResultStyle) override {
        if (name.empty()) name = kernelName(kernel);
    }
    void returned(const Value&) override {}
    std::string name;
};

} // namespace

class TestCalls : public QObject {
    Q_OBJECT

    /// The message of the error with which an operator is refused.
    static Message refusalOf(const char* name) {
        try {
            callOperator(name, {});
        } catch (const Error& error) { return error.message(); }
        return {};
    }

private Q_SLOTS:
    void unknownOperators_nameTheirLibraryOrLikeNames() {
        for (const char* name : {"torch.ops.torchvision.nms.default", "torchvision::nms"}) {
            const Message refused = refusalOf(name);
            QVERIFY(refused.is("engine.custom_operator"));
            QCOMPARE(refused.argument("space"), std::string("torchvision"));
            QVERIFY(QString::fromStdString(refused.commandLineHint()).contains("--library"));
        }
        const Message misspelled = refusalOf("torch.ops.aten.relu_.Tensor_of_nobody");
        QVERIFY(misspelled.is("engine.unknown_operator"));
        QVERIFY(QString::fromStdString(misspelled.argument("similar")).startsWith("aten.relu"));
    }

    /// LibTorch reads memory that is not there with these.
    void bags_outsideTheirIndices_areRefused() {
        const at::Tensor weight = random({4, 8});
        const Value packed = callOperator("quantized::embedding_bag_byte_prepack", {{weight}, {}});
        const auto refusal = [&](std::vector<std::int64_t> offsets, std::vector<std::int64_t> weights) {
            const Value starts = callFunction("torch.tensor", {Value::list(Values(offsets.begin(), offsets.end()))});
            const at::Tensor indices =
                callOperator("aten::zeros", {{Value::list({3})}, {{"dtype", at::kLong}}}).tensor();
            Arguments call{{packed, indices, starts}, {}};
            if (!weights.empty()) call.named.push_back({"per_sample_weights", random(weights)});
            try {
                callOperator("quantized::embedding_bag_byte_rowwise_offsets", call);
            } catch (const Error& error) { return error.message().code(); }
            return std::string();
        };
        QCOMPARE(refusal({0, 2}, {}), std::string());
        QCOMPARE(refusal({0, 2}, {3}), std::string());
        QCOMPARE(refusal({-1000000000, 1}, {}), std::string("engine.bag_offsets"));
        QCOMPARE(refusal({0, 1000000000}, {}), std::string("engine.bag_offsets"));
        QCOMPARE(refusal({2, 1}, {}), std::string("engine.bag_offsets"));
        QCOMPARE(refusal({0, 2}, {0}), std::string("engine.bag_weights"));
    }

    void prims_ofTorchCompile_areOperatorsOfAten() {
        const Value counted = callOperator("torch.ops.prims.iota.default", {{4}, {{"start", 2}, {"step", 3}}});
        const std::int64_t* numbers = counted.tensor().const_data_ptr<std::int64_t>();
        QCOMPARE(std::vector<std::int64_t>(numbers, numbers + 4), (std::vector<std::int64_t>{2, 5, 8, 11}));
        const at::Tensor x = random({2, 3});
        First first;
        QVERIFY(callOperator("torch.ops.prims.convert_element_type.default", {{x, Value()}, {}}).tensor().sizes() ==
                x.sizes());
        QCOMPARE(QString::fromStdString(first.name), QString("aten::_to_copy"));
    }

    void prims_ofInductor_compute() {
        const at::Tensor x = random({1, 2, 7, 6});
        const Value pair = Value::list({3, 2}), stride = Value::list({2, 1}), padding = Value::list({1, 0}),
                    dilation = Value::list({1, 2});
        const Value pooled = callOperator("torch.ops.prims._low_memory_max_pool_with_offsets.default",
                                          {{x, pair, stride, padding, dilation, false}, {}});
        const Value expected =
            callOperator("aten::max_pool2d_with_indices", {{x, pair, stride, padding, dilation, false}, {}});
        const at::Tensor indices = expected.items()->items[1].tensor();
        QVERIFY(pooled.items()->items[0].tensor().equal(expected.items()->items[0].tensor()));
        const at::Tensor offsets = pooled.items()->items[1].tensor();
        QVERIFY(offsets.scalar_type() == at::kChar);
        const Value back = callOperator("torch.ops.prims._low_memory_max_pool_offsets_to_indices.default",
                                        {{offsets, pair, Value::list({7, 6}), stride, padding, dilation}, {}});
        QVERIFY(back.tensor().equal(indices));
        const Value sum = callOperator("torch.ops.prims.fma.default", {{x, x, x}, {}});
        QVERIFY(sum.tensor().equal(x.mul(x).add(x)));
        const Value drawn = callOperator(
            "torch.ops.prims.inductor_random.default",
            {{Value::list({4}), callOperator("torch.ops.prims.inductor_seed.default", {{at::Device(at::kCPU)}, {}}),
              "randn"},
             {}});
        QVERIFY(drawn.tensor().sizes() == at::IntArrayRef({4}));
        const Value numbers = callFunction("torch.tensor", {Value::list({1.0, 1.5, 4.0})});
        const at::Tensor exponents =
            callOperator("torch.ops.prims.inductor_cvt_e8m0_rceil.default", {{numbers}, {}}).tensor();
        QVERIFY(exponents.scalar_type() == at::kByte);
        QVERIFY(exponents.to(at::kLong).equal(callFunction("torch.tensor", {Value::list({127, 128, 129})}).tensor()));
    }

    void signalWindow_hasPyTorchsValues_data() {
        QTest::addColumn<QString>("call");
        QTest::addColumn<QList<double>>("values");
        const auto row = [](const char* call, const QList<double>& values) {
            QTest::newRow(call) << QString(call) << values;
        };
        row("hann(5)", {0.0, 0.5, 1.0, 0.5, 0.0});
        row("hamming(4, sym=False)", {0.08000001311302185, 0.5400000214576721, 1.0, 0.5400000214576721});
        row("blackman(6)", {-1.4901161193847656e-08, 0.20077012479305267, 0.8492298722267151, 0.8492297530174255,
                            0.2007700800895691, -1.4901161193847656e-08});
        row("nuttall(3)", {0.00036279670894145966, 0.9999999403953552, 0.00036279670894145966});
        row("bartlett(5, sym=False)",
            {0.0, 0.3999999761581421, 0.800000011920929, 0.7999999523162842, 0.3999999761581421});
        row("cosine(4)", {0.3826834559440613, 0.9238795638084412, 0.9238796234130859, 0.38268351554870605});
        row("gaussian(5, std=2.0)",
            {0.6065306663513184, 0.8824968934059143, 1.0, 0.8824968934059143, 0.6065306663513184});
        row("exponential(4, tau=3.0)",
            {0.6065306663513184, 0.8464817404747009, 0.8464817404747009, 0.6065306663513184});
        row("exponential(4, center=1, sym=False)", {0.3678794503211975, 1.0, 0.3678794503211975, 0.1353352814912796});
        row("kaiser(5, beta=8.0)",
            {0.002338829915970564, 0.36897262930870056, 1.0, 0.36897262930870056, 0.002338829915970564});
        row("kaiser(4, sym=False, dtype=torch.float64)",
            {5.2773441320097665e-05, 0.2156727447589671, 1.0, 0.2156727447589671});
        row("general_cosine(5, a=[0.46, 0.23, 0.31])",
            {0.5400000214576721, 0.15000000596046448, 1.0, 0.15000000596046448, 0.5400000214576721});
        row("general_hamming(4, alpha=0.6)",
            {0.20000001788139343, 0.8000000715255737, 0.800000011920929, 0.20000001788139343});
        row("hann(1)", {1.0});
        row("gaussian(0)", {});
    }
    void signalWindow_hasPyTorchsValues() {
        QFETCH(QString, call);
        QFETCH(QList<double>, values);
        const std::string source = "torch.signal.windows.windows." + call.toStdString();
        const at::Tensor window = callMethod("to", {evaluateExpression(source), Value(at::kDouble)}).tensor();
        QCOMPARE(window.numel(), values.size());
        for (qsizetype i = 0; i < values.size(); ++i)
            QVERIFY(std::abs(window.const_data_ptr<double>()[i] - values[i]) < 1e-7);
    }
    void signalWindow_invalidSettings_raise() {
        QVERIFY_THROWS_EXCEPTION(Error, evaluateExpression("torch.signal.windows.windows.hann(-1)"));
        QVERIFY_THROWS_EXCEPTION(Error, evaluateExpression("torch.signal.windows.windows.gaussian(4, std=0.0)"));
        QVERIFY_THROWS_EXCEPTION(Error, evaluateExpression("torch.signal.windows.windows.hann(4, dtype=torch.int64)"));
    }

    void overload_isThatOfPython_data() {
        QTest::addColumn<QString>("function");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* function, const char* arguments, const char* expected) {
            QTest::newRow((std::string(function) + " " + arguments).c_str()) << function << arguments << expected;
        };
        row("torch.add", "x 1", "aten::add.Tensor");
        row("torch.add", "1 x", "aten::add.Tensor");
        row("_operator.gt", "x 1", "aten::gt.Scalar");
        row("_operator.gt", "1 x", "aten::lt.Scalar");
        row("_operator.mod", "x 2", "aten::remainder.Scalar");
        row("_operator.truediv", "x 2", "aten::div.Tensor");
        row("_operator.truediv", "2 x", "aten::reciprocal");
        row("_operator.sub", "1 x", "aten::rsub.Scalar");
        row("_operator.pow", "x 2", "aten::pow.Tensor_Scalar");
        row("_operator.pow", "2 x", "aten::pow.Scalar");
        row("torch.max", "x", "aten::max");
        row("torch.max", "x x", "aten::max.other");
        row("torch.max", "x 1", "aten::max.dim");
        row("torch.sum", "x 1", "aten::sum.dim_IntList");
        row("torch.where", "b x 0", "aten::where.ScalarOther");
        row("torch.functional.split", "x 1", "aten::split.Tensor");
        row("torch.softmax", "x 1", "aten::softmax.int");
        row("torch.nn.functional.relu", "x", "aten::relu");
    }
    void overload_isThatOfPython() {
        QFETCH(QString, function);
        QFETCH(QString, arguments);
        QFETCH(QString, expected);
        Values values;
        for (const QString& word : arguments.split(' ')) {
            if (word == "x") values.emplace_back(random({2, 3}));
            else if (word == "b") values.emplace_back(randomInput({2, 3}, at::kBool, 0));
            else values.emplace_back(word.toInt());
        }
        First first;
        callFunction(function.toStdString(), values);
        QCOMPARE(QString::fromStdString(first.name), expected);
    }

    void numbers_promoteAsPythonsDo() {
        const at::Tensor integers = randomInput({3}, at::kLong, 5);
        QCOMPARE(binaryOf("add", integers, 1.5).tensor().scalar_type(), at::kFloat);
        QCOMPARE(binaryOf("add", integers, 1).tensor().scalar_type(), at::kLong);
        QCOMPARE(binaryOf("mul", random({2}).to(at::kHalf), 2.0).tensor().scalar_type(), at::kHalf);
    }

    void intAndFloat_ofNumbersAndTensors() {
        const auto call = [](const char* name, Value value) {
            return callFunction(name, Arguments{{std::move(value)}, {}});
        };
        QCOMPARE(call("builtins.int", 2.9).integer(), std::int64_t{2});
        QCOMPARE(call("builtins.int", -2.9).integer(), std::int64_t{-2});
        QCOMPARE(call("builtins.int", random({1}).fill_(7)).integer(), std::int64_t{7});
        QCOMPARE(call("torch.sym_int", 3.5).integer(), std::int64_t{3});
        QCOMPARE(call("builtins.float", random({}).fill_(3)).real(), 3.0);
        QVERIFY_THROWS_EXCEPTION(fx::Error, call("builtins.int", Value()));
    }

    void sizes_areTuplesThatStaySizes() {
        const Value size = callMethod("size", {random({2, 3, 4})});
        const Value head = subscriptOf(size, std::make_shared<const SliceOf>(SliceOf{{}, -1, {}}));
        QCOMPARE(typeText(head), std::string("torch.Size"));
        QCOMPARE(binaryOf("add", head, Value::tuple({7})).items()->items.size(), 3u);
        QCOMPARE(*binaryOf("floordiv", -7, 2).integer(), -4);
        QCOMPARE(*binaryOf("mod", -7, 2).integer(), 1);
        QCOMPARE(*binaryOf("truediv", 7, 2).real(), 3.5);
    }

    void varargs_ofMethodsOnly() {
        const at::Tensor x = random({2, 3});
        QCOMPARE(callMethod("view", {x, 3, 2}).tensor().size(0), 3);
        QCOMPARE(callMethod("permute", {x, 1, 0}).tensor().size(0), 3);
        QVERIFY_THROWS_EXCEPTION(Error, callFunction("torch.permute", {x, 1, 0}));
        QCOMPARE(callFunction("torch.zeros", {2, 5}).tensor().size(1), 5);
    }

    void indexing_likeNumPy() {
        const at::Tensor x = random({4, 5, 6});
        const auto slice = [](Value start, Value stop, Value step) {
            return Value(std::make_shared<const SliceOf>(SliceOf{std::move(start), std::move(stop), std::move(step)}));
        };
        QVERIFY(subscriptOf(x, Value::tuple({slice({}, {}, {}), {}, slice(1, {}, 2)}))
                    .tensor()
                    .equal(x.slice(1, 1, 5, 2).unsqueeze(1)));
        QVERIFY(subscriptOf(x, Value::tuple({EllipsisValue{}, -1})).tensor().equal(x.select(2, 5)));
        QVERIFY(subscriptOf(x, Value::list({0, 2}))
                    .tensor()
                    .equal(x.index_select(0, callFunction("torch.tensor", {Value::list({0, 2})}).tensor())));
    }

    void tensorsInAListOfIndices_areNumbers() {
        const at::Tensor x = random({3, 4}), one = callFunction("torch.tensor", {Value::list({1})}).tensor();
        const auto indexed = [&](Value inner) { return subscriptOf(x, Value::tuple({std::move(inner)})).tensor(); };
        QVERIFY(indexed(Value::tuple({one})).equal(x.slice(0, 1, 2)));
        QVERIFY(indexed(Value::list({one, 0})).equal(x.slice(0, 0, 2).flip(0)));
        QCOMPARE(indexed(Value::tuple({Value::tuple({one})})).dim(), 3);
        QCOMPARE(indexed(Value::tuple({})).size(0), 0);
        QVERIFY_THROWS_EXCEPTION(Error, indexed(Value::tuple({randomInput({2}, at::kLong, 3)})));
    }

    void namedResults_haveFieldsAndPlaces() {
        const Value best = callFunction("torch.max", {random({2, 3}), 1});
        QVERIFY(attributeOf(best, "values").tensor().equal(best.items()->items[0].tensor()));
        QCOMPARE(best.items()->typeName, std::string("torch.return_types.max"));
        QVERIFY_THROWS_EXCEPTION(Error, attributeOf(best, "nothing"));
    }

    void wrongArguments_sayWhatIsTaken() {
        try {
            callFunction("torch.relu", {Value("text")});
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QByteArray(error.what()).contains("(str)"), error.what());
            QVERIFY2(QByteArray::fromStdString(error.hint).contains("input"), error.hint.c_str());
        }
        QVERIFY_THROWS_EXCEPTION(Error, callFunction("torch.ops.aten.nothing_here.default", {random({1})}));
    }

    void expressions_areEvaluated() {
        QCOMPARE(evaluateExpression("torch.zeros(2, 3).masked_fill(operator.eq(torch.zeros(2, 3), 0), -inf)")
                     .tensor()
                     .min()
                     .item<float>(),
                 -std::numeric_limits<float>::infinity());
        QCOMPARE(evaluateExpression("torch.arange(0, 10, 2, dtype=torch.float32)[1:3]").tensor().sum().item<float>(),
                 6.0f);
    }
};

QTEST_APPLESS_MAIN(TestCalls)
#include "tst_calls.moc"
