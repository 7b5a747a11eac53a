// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/functional_forms.h"

#include <QStringList>
#include <QTest>

using namespace fx::ops;

/// Which functions compute what classes of torch.nn do.
class TestFunctionalForms : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void class_functions_data() {
        QTest::addColumn<QString>("functions");
        const auto row = [](const char* name, const char* functions) { QTest::newRow(name) << QString(functions); };
        row("ReLU", "relu");
        row("Sigmoid", "sigmoid");
        row("LeakyReLU", "leaky_relu");
        row("GELU", "gelu");
        row("Linear", "linear");
        row("Threshold", "threshold");
        row("Hardtanh", "hardtanh");
        row("LogSigmoid", "log_sigmoid");
        row("CrossEntropyLoss", "cross_entropy");
        row("Upsample", "interpolate");
        row("Unflatten", "unflatten");
        // More than one call, or another name
        row("BatchNorm2d", "batch_norm");
        row("ReLU6", "relu6");
        row("RNN", "rnn_tanh rnn_relu");
        // One of what the function does
        row("ReflectionPad2d", "");
        row("ZeroPad1d", "");
        row("Softmax2d", "");
        row("Identity", "");
        row("MyReLU", "");
    }
    void class_functions() {
        QStringList functions;
        for (const std::string& form : functionalForms(QTest::currentDataTag()))
            functions << QString::fromStdString(form);
        QTEST(functions.join(u' '), "functions");
    }
};

QTEST_APPLESS_MAIN(TestFunctionalForms)
#include "tst_functional_forms.moc"
