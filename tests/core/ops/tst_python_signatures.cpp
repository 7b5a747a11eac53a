// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/catalogue.h"
#include "core/ops/python_signatures.h"

#include <QTest>

using namespace fx::ops;
using Type = SignatureParameter::Type;

class TestPythonSignatures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sum_ofTensor_triesTheWholeFirst() {
        const auto signatures = pythonSignatures("torch.sum");
        QCOMPARE(signatures.size(), 2u);
        QCOMPARE(signatures[0].op, std::string_view("aten::sum"));
        QCOMPARE(signatures[1].op, std::string_view("aten::sum.dim_IntList"));
        QCOMPARE(signatures[1].outOp, std::string_view("aten::sum.IntList_out"));
        const SignatureParameter& dim = signatures[1].parameters[1];
        QCOMPARE(dim.type, Type::IntList);
        QCOMPARE(dim.size, 1);
        QVERIFY(dim.nullable);
        QVERIFY(!dim.optional);
        QVERIFY(!dim.keywordOnly);
        QCOMPARE(signatures[1].positional, 3u);
    }

    void add_oldForm_isTriedLastAndSaysWhatGoesWhere() {
        const auto signatures = pythonSignatures("torch.add");
        QVERIFY(signatures.front().operatorArguments.empty());
        QVERIFY(
            (signatures.back().operatorArguments == std::vector<std::string_view>{"out", "self", "other", "alpha"}));
    }

    void method_hasNoSelf() {
        const auto signatures = pythonSignatures("torch.Tensor.view");
        QCOMPARE(signatures.size(), 2u);
        QCOMPARE(signatures[0].parameters[0].type, Type::Dtype);
        QCOMPARE(signatures[1].parameters[0].type, Type::IntList);
    }

    void names_ofTorch_leadToTheFunctionsOfC() {
        QVERIFY(!pythonSignatures("torch.fft.fft").empty());
        QCOMPARE(pythonSignatures("torch.fft.fft")[0].op, std::string_view("aten::fft_fft"));
        QVERIFY(pythonSignatures("torch.nn.functional.relu").empty());
    }

    void everyOperator_isInTheCatalogue_withKnownTypes() {
        for (const char* name : {"torch.add", "torch.conv2d", "torch._C._nn.gelu", "torch.Tensor.index_put_",
                                 "torch.arange", "torch.where", "torch.linalg.norm"}) {
            const auto signatures = pythonSignatures(name);
            QVERIFY2(!signatures.empty(), name);
            for (const PythonSignature& signature : signatures) {
                QVERIFY2(findOperator(signature.op), std::string(signature.op).c_str());
                for (const SignatureParameter& parameter : signature.parameters)
                    QVERIFY2(parameter.type != Type::Other, std::string(parameter.name).c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestPythonSignatures)
#include "tst_python_signatures.moc"
