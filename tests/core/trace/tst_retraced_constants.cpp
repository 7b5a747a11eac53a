// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/trace/retrace_fixture.h"

using namespace retracing;

/// Tensors that saved code makes while PyTorch loads it.
class TestRetracedConstants : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constant_thatWouldRunAtLoad_isKeptAsExpression() {
        fx::GraphModule module;
        QCOMPARE(retraced("a = torch.zeros(2, 3)\n    b = x + a\n    return b", &module),
                 lines({"%x : [num_users=1] = placeholder[target=x]",
                        "%_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]",
                        "%add : [num_users=1] = call_function[target=operator.add](args = (%x, %_tensor_constant0), "
                        "kwargs = {})",
                        "return add"}));
        const auto& buffer = module.root->buffers.back();
        QCOMPARE(buffer.name, std::string("_tensor_constant0"));
        QCOMPARE(buffer.tensor->sizes, (std::vector<std::int64_t>{2, 3}));
        QCOMPARE(buffer.tensor->storage->expressionSource(), std::string("torch.zeros(2, 3)"));
        QCOMPARE(buffer.tensor->storage->byteCount(), std::uint64_t{24});
    }

    void constant_madeOfTensorsOfTheModel_saysWhichTheyAre_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("source");
        QTest::newRow("a plain tensor") << "torch.add(self.t, 1)"
                                        << "torch.add(self.t, 1)";
        QTest::newRow("a method") << "self.b.unsqueeze(0)"
                                  << "self.b.unsqueeze(0)";
        QTest::newRow("an operator") << "torch.ops.aten.add.Tensor(self = self.b, other = self.t)"
                                     << "torch.ops.aten.add.Tensor(self=self.b, other=self.t)";
        QTest::newRow("behind a number") << "getattr(self.layer1, \"0\").mask * 2"
                                         << "operator.mul(getattr(self.layer1, '0').mask, 2)";
        QTest::newRow("a view") << "self.b.T"
                                << "self.b.T";
        QTest::newRow("a chain") << "torch.neg(self.b.mT) + self.b.mT"
                                 << "operator.add(torch.neg(self.b.mT), self.b.mT)";
        QTest::newRow("under its first name") << "torch.neg(self.second)"
                                              << "torch.neg(self.b)";
    }
    void constant_madeOfTensorsOfTheModel_saysWhichTheyAre() {
        QFETCH(QString, code);
        QFETCH(QString, source);
        fx::GraphModule module = sampleModule();
        module.root->buffers.push_back({"second", module.root->buffers[0].tensor});
        module.root->children[0].module->children[0].module->buffers.push_back({"mask", tensor({4}, false)});
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY(module.warnings.empty());
        QCOMPARE(module.root->buffers.back().name, std::string("_tensor_constant0"));
        QCOMPARE(QString::fromStdString(module.root->buffers.back().tensor->storage->expressionSource()), source);
    }

    void constant_thatIsWrittenToAtLoad_hasItsNewValues_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("source");
        const auto row = [](const char* name, const char* code, const char* source) {
            QTest::newRow(name) << code << source;
        };
        row("a method", "a.add_(1)\n    b = a", "torch.zeros(3).add_(1)");
        row("its result is the tensor", "b = a.add_(1)", "torch.zeros(3).add_(1)");
        row("after it was used", "b = a\n    c = x * a\n    a.fill_(2)", "torch.zeros(3).fill_(2)");
        row("a function", "torch.relu_(a)\n    b = a", "torch.relu_(torch.zeros(3))");
        row("an operator", "c = torch.ops.aten.add_.Tensor(a, 1)\n    b = a",
            "torch.ops.aten.add_.Tensor(torch.zeros(3), 1)");
        row("an operator of any overload", "torch.ops.aten.mul_(a, 2)\n    b = a",
            "torch.ops.aten.mul_(torch.zeros(3), 2)");
        row("where asked to", "torch.nn.functional.relu(a, inplace = True)\n    b = a",
            "torch.nn.functional.relu(torch.zeros(3), inplace=True)");
        row("where asked to, by place", "torch.nn.functional.relu(a, True)\n    b = a",
            "torch.nn.functional.relu(torch.zeros(3), True)");
        row("not where not asked to", "torch.nn.functional.relu(a, False)\n    b = a", "torch.zeros(3)");
        row("augmented", "c = a\n    c += 2\n    b = a", "torch.zeros(3).add_(2)");
        row("augmented division", "c = a\n    c /= 2\n    b = a", "torch.zeros(3).div_(2)");
        row("what was computed before keeps its values", "b = a + 5\n    a.fill_(2)",
            "operator.add(torch.zeros(3), 5)");
        row("a copy does not follow", "b = a.clone()\n    a.fill_(2)", "torch.zeros(3).clone()");
        row("a view that is all that is left", "b = a.unsqueeze(0);  a = None\n    b.fill_(2)",
            "torch.zeros(3).unsqueeze(0).fill_(2)");
    }
    void constant_thatIsWrittenToAtLoad_hasItsNewValues() {
        QFETCH(QString, code);
        QFETCH(QString, source);
        fx::GraphModule module;
        retraced("a = torch.zeros(3)\n    " + code + "\n    return x + b", &module);
        QVERIFY(module.warnings.empty());
        const fx::Node* last = nullptr;
        for (const fx::Node& node : module.graph.nodes())
            if (node.op() == fx::Op::GetAttr) last = &node;
        QVERIFY(last);
        QCOMPARE(
            QString::fromStdString(fx::resolvePath(*module.root, last->target()).tensor->storage->expressionSource()),
            source);
    }

    void constant_thatChangesItsSizesAtLoad_hasThem() {
        QCOMPARE(retraced("a = torch.zeros(3)\n    a.unsqueeze_(0)\n    return x.view(a.shape)"),
                 lines({"%x : [num_users=1] = placeholder[target=x]",
                        "%view : [num_users=1] = call_method[target=view](args = (%x, (1, 3)), kwargs = {})",
                        "return view"}));
    }

    void constantAndTracedValue_inAnAugmentedAssignment_areRecordedAsTheMethod() {
        QCOMPARE(
            retraced("a = torch.zeros(3)\n    a -= x\n    return a"),
            lines({"%x : [num_users=1] = placeholder[target=x]",
                   "%_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]",
                   "%sub_ : [num_users=1] = call_method[target=sub_](args = (%_tensor_constant0, %x), kwargs = {})",
                   "return sub_"}));
    }

    void writesAtLoad_thatOthersSee_areShownAsTheyAreWritten_data() {
        QTest::addColumn<QString>("code");
        QTest::newRow("a view of it") << "a = torch.zeros(3)\n    b = a.view(1, 3)\n    a.fill_(2)";
        QTest::newRow("through a view") << "b = torch.zeros(3)\n    a = b.view(1, 3)\n    a.fill_(2)";
        QTest::newRow("through a part") << "b = torch.zeros(3)\n    a = b[0:2]\n    a.fill_(2)";
        QTest::newRow("out") << "b = torch.zeros(3)\n    a = torch.add(b, 1, out = b)";
        QTest::newRow("a buffer that is used") << "b = self.b\n    b.add_(1)";
        QTest::newRow("a buffer that is used before") << "b = self.b\n    c = x + b\n    b.add_(1)\n    b = 1";
        QTest::newRow("a constant of it") << "b = self.b\n    b.add_(1)\n    b = b * 2";
        QTest::newRow("in a module that is called")
            << "m = getattr(self.layer1, \"0\").conv.mean\n    m.add_(1)\n    b = getattr(self.layer1, \"0\").conv(x)";
    }
    void writesAtLoad_thatOthersSee_areShownAsTheyAreWritten() {
        QFETCH(QString, code);
        fx::GraphModule module = sampleModule();
        module.root->children[0].module->children[0].module->children[0].module->buffers.push_back(
            {"mean", tensor({4}, false)});
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    " + code + "\n    return x + b\n    ").toStdString());
        const std::string text = fx::graphText(module.graph);
        const auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
        QVERIFY2(has("target=add_]") || has("target=fill_]") || has("out: "), text.c_str());
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY(!module.notLoadable);
    }

    void tensorOfTheModel_thatIsWrittenToAtLoadAndNotUsed_isTold() {
        fx::GraphModule module;
        QCOMPARE(retraced("b = self.b\n    torch.ops.aten.add_.Tensor(b, 1)\n    b.mul_(2)\n    return x", &module),
                 lines({"%x : [num_users=1] = placeholder[target=x]", "return x"}));
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY(module.warnings[0].what.text().starts_with("PyTorch changes self.b while it loads the file"));
    }

    void sizesOfConstants_thatNobodyCanCount_areNotMadeUp_data() {
        QTest::addColumn<QString>("constant");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* constant, const char* why) { QTest::newRow(constant) << constant << why; };
        row("torch.zeros(20000).chunk(20000)[0]", "chunk gives 20000 tensors, more than 10000");
        row("torch.zeros(20000).split(1)[0]", "split gives 20000 tensors");
        row("torch.zeros(20000).unbind()[0]", "unbind gives 20000 tensors");
        row("torch.zeros(3).repeat(9223372036854775807, 9)", "size of torch.");
        row("torch.zeros(9223372036854775807, 2)", "size of torch.");
        row("torch.zeros(0, 9223372036854775807, 2)", "size of torch.");
        row("torch.zeros(4611686018427387904, 4).reshape(-1, 2)", "size of torch.");
        row("torch.zeros(4).view(9223372036854775807, 2, -1)", "size of torch.");
        row("torch.arange(1e300)", "size of torch.");
        constexpr const char* kLarge = "torch.cat([torch.zeros(2305843009213693951), torch.zeros(2305843009213693951), "
                                       "torch.zeros(2305843009213693951), torch.zeros(2305843009213693951), "
                                       "torch.zeros(2305843009213693951)])";
        row(kLarge, "size of torch.");
    }
    void sizesOfConstants_thatNobodyCanCount_areNotMadeUp() {
        QFETCH(QString, constant);
        QFETCH(QString, why);
        fx::GraphModule module;
        retraced("a = " + constant + "\n    return x.view(a.shape[0])", &module);
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QVERIFY2(module.warnings[0].what.is("trace.partly_unknown"), module.warnings[0].what.text().c_str());
        QVERIFY2(module.warnings[0].what.argument("reason").find(why.toStdString()) != std::string::npos,
                 module.warnings[0].what.text().c_str());
    }

    void partsOfConstants_largeSteps_areWhatTheyAreInPyTorch() {
        const auto parts = [](const char* cut) {
            const QString graph =
                retraced(QString("a = torch.zeros(7).") + cut + "\n    return x.view(a[0].shape[0], a[-1].shape[0])");
            return graph.section("(args = (%x, ", 1).section(")", 0, 0);
        };
        QCOMPARE(parts("split(9223372036854775807)"), QString("7, 7"));
        QCOMPARE(parts("chunk(9223372036854775807)"), QString("1, 1"));
        QCOMPARE(parts("split(4)"), QString("4, 3"));
        QCOMPARE(parts("chunk(3)"), QString("3, 1"));
    }

    void constantThatDoublesWithEachLine_isShownAsItIsWritten() {
        QString code = "a = torch.ones(2)\n    ";
        for (int i = 0; i < 40; ++i) code += "a = torch.add(a, a)\n    ";
        fx::GraphModule module;
        QCOMPARE(retraced(code + "return x * a", &module).count("torch.add"), 40);
        QVERIFY(!module.warnings.empty());
        QVERIFY(!module.notLoadable);
    }

    void constant_thatIsABufferItself_isReadUnderItsName_data() {
        QTest::addColumn<QString>("code");
        for (const char* code :
             {"self.b.contiguous()", "self.b.contiguous(memory_format = torch.contiguous_format)",
              "self.b.to(torch.float32)", "self.b.to()", "self.b.to(torch.float32, True)",
              "self.b.to('cpu', torch.float32, False, False)", "torch.as_tensor(self.b)", "self.b.type(torch.float32)",
              "self.b.float()", "self.b.real", "torch.real(self.b)", "self.b.resolve_neg()", "self.b.detach_()",
              "torch.conj_physical(self.b)", "torch.nn.functional.alpha_dropout(self.b, 0.5)",
              "torch.feature_dropout(self.b, 0.5, False)", "torch.nn.functional.dropout2d(self.b, 0.5, False)",
              "torch.ops.aten.dropout.default(self.b, 0.5, False)", "self.b.flatten(1, 1)"})
            QTest::newRow(code) << code;
    }
    void constant_thatIsABufferItself_isReadUnderItsName() {
        QFETCH(QString, code);
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY(module.warnings.empty());
        QVERIFY2(fx::graphText(module.graph).find("get_attr[target=b]") != std::string::npos,
                 fx::graphText(module.graph).c_str());
    }

    void constant_thatIsANewTensor_isAConstant_data() {
        QTest::addColumn<QString>("code");
        for (const char* code :
             {"self.b.to(torch.float32, copy = True)", "self.b.to(torch.float32, False, True)", "self.b.double()",
              "self.b.detach()", "self.b.flatten()", "self.b.T.contiguous()",
              "torch.nn.functional.dropout(self.b, 0.5)", "torch.nn.functional.dropout2d(self.b, 0.5)",
              "torch.nn.functional.dropout1d(self.b, 0.5, False)",
              "torch.nn.functional.dropout3d(self.b, training = False)", "torch.atleast_3d(self.b)",
              "self.b.view(3, 4)", "torch.ops.aten.detach_.default(torch.ops.aten.lift_fresh_copy.default(self.b))"})
            QTest::newRow(code) << code;
    }
    void constant_thatIsANewTensor_isAConstant() {
        QFETCH(QString, code);
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             ("\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ").toStdString());
        QVERIFY2(fx::graphText(module.graph).find("get_attr[target=_tensor_constant0]") != std::string::npos,
                 fx::graphText(module.graph).c_str());
    }

    void strides_ofViews_areNotGuessed() {
        fx::GraphModule module = withStrides();
        fx::retraceSavedCode(module, kImports,
                             "\n\n\ndef forward(self, x):\n    return x + self.b.T.stride()[0]\n    ");
        QVERIFY(!module.warnings.empty()); // kept as it is written
        QVERIFY(fx::graphText(module.graph).find("(%x, 3)") == std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestRetracedConstants)
#include "tst_retraced_constants.moc"
