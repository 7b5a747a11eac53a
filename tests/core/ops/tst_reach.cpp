// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/reach.h"

#include "core/ops/python_functions.h"
#include "core/ops/python_signatures.h"

#include <QTest>

#include <set>
#include <string>

using namespace fx::ops;

class TestReach : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reachesOutside_anySpelling_isSaid_data();
    void reachesOutside_anySpelling_isSaid();
    void reachesOutside_whatComputes_isNothing_data();
    void reachesOutside_whatComputes_isNothing();
    void catalogue_everyOperatorThatIsRefused_isListed();
    void catalogue_everyTextThatMayBeAPath_isRefused();
    void pythonFunctions_thatNameFiles_areRefused();
    void classes_thatHoldWeights_areHarmless();
    void isPure_effects_areNot_data();
    void isPure_effects_areNot();
};

void TestReach::reachesOutside_anySpelling_isSaid_data() {
    QTest::addColumn<int>("reach");
    const auto row = [](const char* name, Reach reach) { QTest::newRow(name) << static_cast<int>(reach); };
    for (const char* name :
         {"torch.from_file", "aten::from_file", "aten::from_file.out", "torch.ops.aten.from_file",
          "torch.ops.aten.from_file.default", "torch.ops.aten.from_file.out", "aten::save", "torch.ops.aten.save",
          "torch.save", "torch.load", "builtins.open", "open", "torch.jit.load", "torch.jit._serialization.save",
          "debugprims::load_tensor", "io.FileIO", "numpy.load"})
        row(name, Reach::Files);
    for (const char* name : {"torch.ops.load_library", "torch.classes.load_library", "torch.hub.load", "eval", "exec",
                             "builtins.__import__", "torch.utils.cpp_extension.load", "prim::PythonOp",
                             "importlib.import_module", "torch._inductor.aoti_load_package", "pickle.loads"})
        row(name, Reach::Code);
    for (const char* name : {"os.system", "os._exit", "sys.exit", "subprocess.run", "socket.socket", "prim::rpc_sync",
                             "torch.ops.c10d.send.default", "torch.ops._c10d_functional.all_reduce", "aten::to_here",
                             "torch.distributed.distributed_c10d.all_gather", "torch.ops.symm_mem.nvshmem_put"})
        row(name, Reach::Processes);
    for (const char* name : {"torch.ops.inductor._reinterpret_tensor.default", "mkldnn::data_ptr", "torch.frombuffer",
                             "aten::_sparse_coo_tensor_unsafe", "static_runtime::create_owned_ref"})
        row(name, Reach::Memory);
}

void TestReach::reachesOutside_anySpelling_isSaid() {
    QFETCH(int, reach);
    const auto found = reachesOutside(QTest::currentDataTag());
    QVERIFY(found);
    QCOMPARE(static_cast<int>(*found), reach);
    QVERIFY(refusalOf("f", *found).text().find("f ") == 0);
    QVERIFY(!refusalOf("f", *found).hint().empty());
}

void TestReach::reachesOutside_whatComputes_isNothing_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"torch.relu",
                             "torch.ops.aten.add.Tensor",
                             "torch.ops.aten.add",
                             "aten::format",
                             "aten::conv2d.padding",
                             "torch.nn.functional.interpolate",
                             "torch.Tensor.relu_",
                             "_operator.add",
                             "math.sqrt",
                             "getattr",
                             "len",
                             "torch.ops.quantized.linear.default",
                             "profiler::_record_function_enter_new",
                             "prim::RaiseException",
                             "aten::_print",
                             "torch.osmosis",
                             "systems.f",
                             "prim::fork",
                             "torch.jit.annotate",
                             "torch.ops.mine.custom",
                             "mine::load",
                             "torch.einsum",
                             "torch.sparse_coo_tensor"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestReach::reachesOutside_whatComputes_isNothing() {
    QFETCH(QString, name);
    QVERIFY(!reachesOutside(name.toStdString()));
}

/// A new version of PyTorch cannot bring in another one unseen, and none of these gets lost.
void TestReach::catalogue_everyOperatorThatIsRefused_isListed() {
    static constexpr std::string_view kWholeSpaces[] = {
        "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "c10d", "symm_mem", "static_runtime"};
    std::set<std::string> found, spaces;
    for (std::size_t i = 0; i < operatorCount(); ++i) {
        const Operator op = operatorAt(i);
        if (std::ranges::find(kWholeSpaces, op.nameSpace()) != std::end(kWholeSpaces)) {
            QVERIFY2(reachesOutside(op), op.qualifiedName().c_str());
            spaces.emplace(op.nameSpace());
        } else if (reachesOutside(op)) {
            found.emplace(op.name());
        }
    }
    const std::set<std::string> expected = {
        "aten::_nested_view_from_buffer",
        "aten::_nested_view_from_buffer_copy",
        "aten::_sparse_bsc_tensor_unsafe",
        "aten::_sparse_bsr_tensor_unsafe",
        "aten::_sparse_compressed_tensor_unsafe",
        "aten::_sparse_coo_tensor_unsafe",
        "aten::_sparse_csc_tensor_unsafe",
        "aten::_sparse_csr_tensor_unsafe",
        "aten::from_file",
        "aten::save",
        "inductor::_alloc_from_pool",
        "inductor::_reinterpret_tensor",
        "mkldnn::data_ptr",
        "prim::BailOut",
        "prim::DifferentiableGraph",
        "prim::FallbackGraph",
        "prim::FusionGroup",
        "prim::IgnoredPythonOp",
        "prim::StaticRuntimeCopyOuts",
        "prim::StaticSubgraph",
        "prim::TensorExprDynamicGroup",
        "prim::TensorExprGroup",
        "prim::oneDNNFusionGroup",
    };
    for (const std::string& name : found) QVERIFY2(expected.contains(name), name.c_str());
    for (const std::string& name : expected) QVERIFY2(found.contains(name), name.c_str());
    QCOMPARE(spaces.size(), std::size(kWholeSpaces));
}

/// Independent of the lists: names of arguments that speak of files, libraries, addresses or machines.
void TestReach::catalogue_everyTextThatMayBeAPath_isRefused() {
    int seen = 0;
    for (std::size_t i = 0; i < operatorCount(); ++i) {
        const Operator op = operatorAt(i);
        for (const Argument argument : op.arguments()) {
            const std::string name(argument.name());
            bool speaks = argument.type().find("RRef") != std::string_view::npos ||
                          argument.type().find("classes.c10d") != std::string_view::npos;
            for (const char* word :
                 {"file", "path", "dir", "url", "host", "socket", "library", "command", "group_name"})
                speaks = speaks || (argument.type().starts_with("str") && name.find(word) != std::string::npos);
            if (!speaks) continue;
            ++seen;
            QVERIFY2(reachesOutside(op), qPrintable(QString::fromStdString(op.schema())));
        }
    }
    QVERIFY(seen > 40);
}

void TestReach::pythonFunctions_thatNameFiles_areRefused() {
    int refused = 0;
    for (std::uint32_t i = 0; i < functionCount(); ++i) {
        const PythonFunction function = functionAt(i);
        for (const PythonSignature& signature : pythonSignatures(function.path()))
            for (const SignatureParameter& parameter : signature.parameters) {
                if (parameter.type != SignatureParameter::Type::String ||
                    parameter.name.find("file") == parameter.name.npos)
                    continue;
                QVERIFY2(reachesOutside(function.path()), std::string(function.path()).c_str());
                ++refused;
            }
    }
    QVERIFY(refused > 0);
}

void TestReach::classes_thatHoldWeights_areHarmless() {
    QVERIFY(isHarmlessClass("__torch__.torch.classes.quantized.LinearPackedParamsBase"));
    QVERIFY(isHarmlessClass("__torch__.torch.classes.rnn.CellParamsBase"));
    QVERIFY(!isHarmlessClass("__torch__.torch.classes._nnapi.Compilation"));
    QVERIFY(!isHarmlessClass("__torch__.torch.classes.c10d.ProcessGroup"));
    QVERIFY(!isHarmlessClass("quantized.LinearPackedParamsBase"));
}

void TestReach::isPure_effects_areNot_data() {
    QTest::addColumn<bool>("pure");
    for (const char* name : {"aten::relu", "aten::add_.Tensor", "aten::_assert_async.msg", "quantized::linear",
                             "aten::size", "prims::convert_element_type", "aten::randn", "aten::copy_", "prim::dtype"})
        QTest::newRow(name) << true;
    for (const char* name :
         {"aten::_print", "aten::warn", "aten::from_file", "aten::save", "prim::Print", "prim::RaiseException",
          "aten::manual_seed", "profiler::_record_function_enter", "c10d::send", "aten::set_.source_Storage"})
        QTest::newRow(name) << false;
}

void TestReach::isPure_effects_areNot() {
    QFETCH(bool, pure);
    const auto op = findOperator(QTest::currentDataTag());
    QVERIFY(op);
    QCOMPARE(isPure(*op), pure);
}

QTEST_APPLESS_MAIN(TestReach)
#include "tst_reach.moc"
