// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/pysrc/expression_names.h"
#include "core/trace/allowance.h"
#include "tests/core/trace/retrace_fixture.h"

using namespace retracing;

/// The code of saved GraphModules.
class TestRetrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void code_anyStatement_recordsWhatTorchFxRecords_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("graph");
        const auto row = [](const char* name, const char* body, std::initializer_list<const char*> list) {
            QTest::newRow(name) << QString(body) << lines(list);
        };
        row("names come from targets", "zz = torch.relu(x);  x = None\n    return zz",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})", "return relu"});
        row("functional gets its defaults", "a = torch.nn.functional.max_pool2d(x, 2)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%max_pool2d : [num_users=1] = call_function[target=torch.nn.functional.max_pool2d](args = (%x, 2), "
             "kwargs = {stride: None, padding: 0, dilation: 1, ceil_mode: False, return_indices: False})",
             "return max_pool2d"});
        row("functional that becomes a method", "a = torch.nn.functional.sigmoid(x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%sigmoid : [num_users=1] = call_method[target=sigmoid](args = (%x,), kwargs = {})", "return sigmoid"});
        row("submodule by getattr", "a = getattr(self.layer1, \"0\").conv(x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%layer1_0_conv : [num_users=1] = call_module[target=layer1.0.conv](args = (%x,), kwargs = {})",
             "return layer1_0_conv"});
        row("a parameter is read once, under its first name",
            "p = self.tied\n    q = self.p\n    a = p + q\n    return a",
            {"%x : [num_users=0] = placeholder[target=x]", "%p : [num_users=1] = get_attr[target=p]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%p, %p), kwargs = {})", "return add"});
        row("a buffer is read at each use", "b = self.b\n    a = x + b\n    c = b - a\n    return c",
            {"%x : [num_users=1] = placeholder[target=x]", "%b : [num_users=1] = get_attr[target=b]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%x, %b), kwargs = {})",
             "%b_1 : [num_users=1] = get_attr[target=b]",
             "%sub : [num_users=1] = call_method[target=sub](args = (%b_1, %add), kwargs = {})", "return sub"});
        row("a number attribute becomes a literal", "e = self.eps\n    a = x + e\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%x, 1e-05), kwargs = {})",
             "return add"});
        row("attributes are lazy", "s = x.shape\n    t = x.dtype\n    a = x.view(s)\n    return a",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%getattr_1 : [num_users=1] = call_function[target=builtins.getattr](args = (%x, shape), kwargs = {})",
             "%view : [num_users=1] = call_method[target=view](args = (%x, %getattr_1), kwargs = {})", "return view"});
        row("unpacking and augmented assignment", "a, b = x.chunk(2)\n    a += b\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%chunk : [num_users=2] = call_method[target=chunk](args = (%x, 2), kwargs = {})",
             "%getitem : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 0), kwargs = {})",
             "%getitem_1 : [num_users=1] = call_function[target=operator.getitem](args = (%chunk, 1), kwargs = {})",
             "%add : [num_users=1] = call_function[target=operator.add](args = (%getitem, %getitem_1), kwargs = {})",
             "return add"});
        row("reflected operators", "a = 1 - x\n    b = 1 < a\n    return b",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%sub : [num_users=1] = call_function[target=operator.sub](args = (1, %x), kwargs = {})",
             "%gt : [num_users=1] = call_function[target=operator.gt](args = (%sub, 1), kwargs = {})", "return gt"});
        row("constant sizes fold", "a = x.view(torch.zeros(3, 4).shape[0], -1)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%view : [num_users=1] = call_method[target=view](args = (%x, 3, -1), kwargs = {})", "return view"});
        row("operators and overloads", "a = torch.ops.aten.add.Tensor(x, 1, alpha = 2)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%add_tensor : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), kwargs = "
             "{alpha: 2})",
             "return add_tensor"});
        row("literals of every kind",
            "a = x.foo(1e-05, inf, -1, (1+2j), device(type='cuda', index=0), torch.float16, slice(None, 3, None), "
            "range(0, 3), Ellipsis, torch.channels_last)\n    return (a, {'k': [x]})",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%foo : [num_users=1] = call_method[target=foo](args = (%x, 1e-05, inf, -1, (1+2j), cuda:0, "
             "torch.float16, slice(None, 3, None), range(0, 3), Ellipsis, torch.channels_last), kwargs = {})",
             "return (foo, {'k': [x]})"});
        row("enum and named tuple", "a = x.foo(Color.RED, mine_Pair(1, x))\n    return a",
            {"%x : [num_users=2] = placeholder[target=x]",
             "%pair : [num_users=1] = call_function[target=mine.Pair](args = (1, %x), kwargs = {})",
             "%foo : [num_users=1] = call_method[target=foo](args = (%x, Color.RED, %pair), kwargs = {})",
             "return foo"});
        row("one list of tensors",
            "a = torch.functional.meshgrid([x, x], indexing = 'xy')\n    b = torch.functional.atleast_1d()\n    return "
            "(a, b)",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%meshgrid : [num_users=1] = call_function[target=torch.meshgrid](args = ([%x, %x],), kwargs = {indexing: "
             "xy})",
             "return (meshgrid, ())"});
        row("another name of a C function", "a = torch.hsmm(x, x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%hspmm : [num_users=1] = call_function[target=torch.hspmm](args = (%x, %x), kwargs = {})",
             "return hspmm"});
        row("collectives get their defaults", "a = torch.distributed.distributed_c10d.all_gather(x, x)\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%all_gather : [num_users=1] = call_function[target=torch.distributed.distributed_c10d.all_gather](args = "
             "(%x, %x), kwargs = {group: None, async_op: False})",
             "return all_gather"});
        row("no return", "a = torch.relu(x)",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%relu : [num_users=0] = call_function[target=torch.relu](args = (%x,), kwargs = {})", "return None"});
    }
    void code_anyStatement_recordsWhatTorchFxRecords() {
        QFETCH(QString, body);
        QFETCH(QString, graph);
        fx::GraphModule module;
        QCOMPARE(retraced(body, &module), graph);
        QVERIFY(module.warnings.empty());
        QVERIFY(!module.notLoadable);
    }

    void codeThatCannotBeLoaded_readsModulesByNumber() {
        fx::GraphModule module;
        QCOMPARE(retraced("w = getattr(self.layer1, \"0\").conv.weight\n    a = torch.add(x, w)\n    a[0] = 1\n    b = "
                          "len(a)\n    return b",
                          &module)
                     .section('\n', 1, 1),
                 QString("%w : [num_users=1] = get_attr[target=layer1.0.conv.weight]"));
        QVERIFY(module.notLoadable);
    }

    void namesOfExpressions_keywordsAreNone() {
        using Names = std::set<std::string>;
        const auto found = fx::py::namesIn(
            "torch.ops.aten.add.Tensor(self=getattr(self.layers, '0').pos, other=self.k.T, device=device(type='cpu'))");
        QVERIFY(found.reads == Names({"k.T", "layers.0.pos"}));
        QVERIFY(found.names == Names({"device", "torch"}));
        QVERIFY(fx::py::namesIn("torch.ops.aten.neg.default(self=torch.ones(2))").reads.empty());
        QCOMPARE(fx::py::seenFromAbove("torch.add(self=self.b, other=getattr(self, '0'))", "a.1"),
                 std::string("torch.add(self=getattr(self.a, '1').b, other=getattr(getattr(self.a, '1'), '0'))"));
        QCOMPARE(fx::py::readText("a.0.b"), std::string("getattr(self.a, '0').b"));
    }

    void plainTensor_thatIsRead_becomesBuffer() {
        fx::GraphModule module;
        retraced("t = self.t\n    a = torch.mul(x, t)\n    return a", &module);
        QVERIFY(module.root->buffer("t"));
        QVERIFY(!module.root->attribute("t"));
    }

    void signature_everyForm_makesPlaceholders() {
        QCOMPARE(retraced("input_1 = input\n    _args = args\n    return (input_1, _args, kw)", nullptr,
                          "input : typing_List[torch.Tensor], k = 1.5, *args, **kw"),
                 lines({"%input_1 : typing.List[torch.Tensor] [num_users=1] = placeholder[target=input]",
                        "%k : [num_users=0] = placeholder[target=k](default=1.5)",
                        "%_args : [num_users=1] = placeholder[target=*args]",
                        "%_kw : [num_users=1] = placeholder[target=**kw]", "return (input_1, _args, _kw)"}));
    }

    void indentation_thatPythonRefuses_isRefused_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("what");
        QTest::newRow("deeper") << "a = x + 1\n        b = a\n    return x"
                                << "unexpected indent";
        QTest::newRow("after a value that is freed") << "a = x;  x = None\n     return a"
                                                     << "unexpected indent";
        QTest::newRow("less deep") << "a = x + 1\n  return a"
                                   << "unindent does not match";
        QTest::newRow("after the return") << "return x\n      a = 1"
                                          << "unexpected indent";
    }
    void indentation_thatPythonRefuses_isRefused() {
        QFETCH(QString, body);
        QFETCH(QString, what);
        try {
            retraced(body);
            QFAIL("expected an error");
        } catch (const fx::Error& error) { QVERIFY2(QString(error.what()).contains(what), error.what()); }
    }

    void wrapLine_marksCalls() {
        fx::GraphModule module = sampleModule();
        const std::string code = "\ntorch.fx._symbolic_trace.wrap(\"mine_helper\")\n\ndef forward(self, x):\n    a = "
                                 "mine_helper(x, 2)\n    b = math_sqrt(a)\n    return b\n    ";
        fx::retraceSavedCode(module, kImports, code);
        const auto helper = module.graph.find("helper"), sqrt = module.graph.find("sqrt");
        QVERIFY(helper != fx::kNoNode);
        QVERIFY(module.graph.node(helper).meta().wrapped);
        QVERIFY(sqrt != fx::kNoNode);
        QVERIFY(module.graph.node(sqrt).meta().wrapped);
        QVERIFY(module.warnings.empty());
    }

    void sharedText_countsForEachNode() {
        QString body = "a = 'x'\n";
        for (int i = 0; i < 24; ++i) body += "    a = a + a\n";
        for (int i = 0; i < 100; ++i) body += "    x = x.foo(a)\n";
        try {
            retraced(body + "    return x");
            QFAIL("expected a refusal");
        } catch (const fx::Error& error) {
            QVERIFY(error.kind() == fx::ErrorKind::File);
            QVERIFY2(QString(error.what()).contains("the values of the source need more than"), error.what());
        }
    }

    void copiedList_looksAtStopRequests() {
        std::stop_source stop;
        stop.request_stop();
        fx::GraphModule module = sampleModule();
        const std::string code = "def forward(self, x):\n    a = [1] * 131072\n    return x.foo(a)\n";
        try {
            fx::retraceSavedCode(module, kImports, code, fx::Progress(stop.get_token()));
            QFAIL("expected Cancelled");
        } catch (const fx::Error& error) { QVERIFY(error.kind() == fx::ErrorKind::Cancelled); }
    }

    /// The code of a folder, which Python runs as it is.
    void writtenCode_keepsWritesAndNames_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("graph");
        const auto row = [](const char* name, const char* body, std::initializer_list<const char*> list) {
            QTest::newRow(name) << QString(body) << lines(list);
        };
        row("write to an input", "x -= 3;  minus = x\n    zz = torch.relu(minus)\n    return zz",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%minus : [num_users=1] = call_function[target=operator.isub](args = (%x, 3), kwargs = {})",
             "%zz : [num_users=1] = call_function[target=torch.relu](args = (%minus,), kwargs = {})", "return zz"});
        row("write to a buffer", "b = self.b\n    b += 1;  iadd = b\n    a = x + iadd\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]", "%b : [num_users=1] = get_attr[target=b]",
             "%iadd : [num_users=1] = call_function[target=operator.iadd](args = (%b, 1), kwargs = {})",
             "%a : [num_users=1] = call_function[target=operator.add](args = (%x, %iadd), kwargs = {})", "return a"});
        row("writes of a person", "x *= 2\n    x[0] = 1\n    x //= 4\n    return x",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%imul : [num_users=2] = call_function[target=operator.imul](args = (%x, 2), kwargs = {})",
             "%setitem : [num_users=0] = call_function[target=operator.setitem](args = (%imul, 0, 1), kwargs = {})",
             "%ifloordiv : [num_users=1] = call_function[target=operator.ifloordiv](args = (%imul, 4), kwargs = {})",
             "return ifloordiv"});
        row("random numbers of each run", "noise = torch.rand(3)\n    a = x + noise\n    return a",
            {"%x : [num_users=1] = placeholder[target=x]",
             "%noise : [num_users=1] = call_function[target=torch.rand](args = (3,), kwargs = {})",
             "%a : [num_users=1] = call_function[target=operator.add](args = (%x, %noise), kwargs = {})", "return a"});
    }
    void writtenCode_keepsWritesAndNames() {
        QFETCH(QString, body);
        QFETCH(QString, graph);
        fx::GraphModule module;
        QCOMPARE(retraced(body, &module, "x", fx::readWrittenCode), graph);
        QVERIFY(module.warnings.empty());
        QVERIFY(!module.notLoadable);
    }

    void unknownFunction_isKeptWithWarning() {
        fx::GraphModule module;
        QVERIFY(retraced("a = mine_helper(x, 2)\n    return a", &module)
                    .contains("call_function[target=mine.helper](args = (%x, 2)"));
        QCOMPARE(module.warnings.size(), std::size_t{1});
        QCOMPARE(module.warnings[0].node, std::string("helper"));
        QCOMPARE(module.warnings[0].where, std::string("line 5"));
    }

    void codeThatPythonCannotLoad_isShownAsWritten_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("node");
        QTest::newRow("item assignment")
            << QString("y = torch.relu(x)\n    y[0] = 5.0;  put = y;  put = None\n    return y")
            << QString(
                   "%put : [num_users=0] = call_function[target=operator.setitem](args = (%y, 0, 5.0), kwargs = {})");
        QTest::newRow("not")
            << QString("y = _operator_not_(x);  x = None\n    return y")
            << QString("%y : [num_users=1] = call_function[target=operator.not_](args = (%x,), kwargs = {})");
        QTest::newRow("missing module")
            << QString("y = self.nope.a(x)\n    return y")
            << QString("%y : [num_users=1] = call_module[target=nope.a](args = (%x,), kwargs = {})");
        QTest::newRow("the module for a tensor")
            << QString("y = torch.neg(self)\n    return y")
            << QString("%y : [num_users=1] = call_function[target=torch.neg](args = (%");
        QTest::newRow("a proxy's own method")
            << QString("y = x.__getitem__;  x = None\n    return [y]")
            << QString("%y : [num_users=1] = call_function[target=builtins.getattr](args = (%x, __getitem__), kwargs = "
                       "{})");
        QTest::newRow("a traced size after a number in an operator's list")
            << QString(
                   "n = x.size(0);  x = None\n    y = torch.ops.aten.zeros.default([4, n]);  n = None\n    return y")
            << QString("%y : [num_users=1] = call_function[target=torch.ops.aten.zeros.default](args = ([4, %n],), "
                       "kwargs = {})");
        QTest::newRow("bytes") << QString("y = x.foo(b'a')\n    return y")
                               << QString(
                                      "%y : [num_users=1] = call_method[target=foo](args = (%x, b'a'), kwargs = {})");
        QTest::newRow("missing attribute")
            << QString("y = self.nope\n    return y") << QString("%y : [num_users=1] = get_attr[target=nope]");
    }
    void codeThatPythonCannotLoad_isShownAsWritten() {
        QFETCH(QString, body);
        QFETCH(QString, node);
        fx::GraphModule module;
        const QString graph = retraced(body, &module);
        QVERIFY2(graph.contains(node), qPrintable(graph));
        QVERIFY(module.notLoadable);
        QCOMPARE(module.warnings.size(), std::size_t{1});
    }

    void onlyInputs_opensWithWarning() {
        fx::GraphModule module;
        QCOMPARE(retraced("", &module), QString("%x : [num_users=0] = placeholder[target=x]"));
        QVERIFY(module.notLoadable);
    }

    void controlFlow_isRefusedWithLine() {
        try {
            retraced("y = torch.relu(x)\n    if y:\n        return x\n    return y");
            QFAIL("must throw");
        } catch (const fx::Error& error) {
            QCOMPARE(error.kind(), fx::ErrorKind::File);
            QVERIFY(error.where.starts_with("line 6"));
            QCOMPARE(error.source, std::string("    if y:"));
        }
    }

    void doublingTuples_areRefusedInTime() {
        QString body = "y = (x, x)";
        for (int i = 0; i < 100; ++i) body += "\n    y = (y, y)";
        QVERIFY_THROWS_EXCEPTION(fx::Error, retraced(body + "\n    return y"));
    }

    /// GraphModules of one file: what the first has used, the next lacks.
    void allowance_ofTheFile_isOneForAll() {
        std::string code = "\n\n\ndef forward(self, x):\n";
        for (int i = 0; i < 100; ++i) code += "    y = 'a' * 900000\n";
        code += "    return x\n";
        fx::trace::Allowance allowance;
        const fx::trace::Spending spending(allowance);
        const auto outcome = [&]() -> std::string {
            fx::GraphModule module = sampleModule();
            try {
                fx::retraceSavedCode(module, kImports, code);
                return "followed";
            } catch (const fx::Error& error) { return error.message().code(); }
        };
        QCOMPARE(outcome(), std::string("followed"));
        std::string last;
        for (int i = 0; i < 60 && (last = outcome()) == "followed"; ++i) {}
        QVERIFY2(last == "trace.too_much_memory", last.c_str());
    }
};

QTEST_APPLESS_MAIN(TestRetrace)
#include "tst_retrace.moc"
