// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/nn_modules.h"

#include "core/ops/compositions.h"

#include <QMap>
#include <QTest>

using namespace fx::ops;

namespace {
QString text(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

using Values = QMap<QString, QString>; // Python's repr by attribute

NnModule::Lookup lookupIn(const Values& values) {
    return [values](std::string_view path) -> std::optional<NnModule::Value> {
        const auto found = values.find(text(path));
        if (found == values.end()) return std::nullopt;
        QString shown = *found;
        if (shown.startsWith('\'')) shown = shown.mid(1, shown.size() - 2);
        return NnModule::Value{shown.toStdString(), found->toStdString(), *found == "None",
                               *found != "None" && *found != "False" && *found != "0"};
    };
}
} // namespace

class TestNnModules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findModule_publicPath_leadsToClass();
    void findModule_unknownPath_isNothing();
    void constants_batchNorm_keepTheirOrder();
    void parameters_conv_haveDefaultsAndAnnotations();
    void settings_linear_showBiasByPresence();
    void attributes_batchNorm_tellTheirKind();
    void extraRepr_settings_printAsInPyTorch_data();
    void extraRepr_settings_printAsInPyTorch();
    void extraRepr_quantisedWeights_areNotTold();
    void forwardText_layers_areThoseOfPyTorch();
    void table_everyRow_isConsistent();
};

void TestNnModules::findModule_publicPath_leadsToClass() {
    const auto linear = findModule("torch.nn.Linear");
    QVERIFY(linear);
    QCOMPARE(text(linear->path()), QString("torch.nn.modules.linear.Linear"));
    QCOMPARE(text(linear->publicPath()), QString("torch.nn.Linear"));
    QVERIFY(*linear == findModule("torch.nn.modules.linear.Linear"));
}

void TestNnModules::findModule_unknownPath_isNothing() {
    for (const char* path : {"", "Linear", "torch.nn.linear", "torch.nn.Linear.forward"})
        QVERIFY2(!findModule(path), path);
}

void TestNnModules::constants_batchNorm_keepTheirOrder() {
    QStringList names;
    for (const auto name : findModule("torch.nn.BatchNorm2d")->constants()) names << text(name);
    QCOMPARE(names, (QStringList{"track_running_stats", "momentum", "eps", "num_features", "affine"}));
}

void TestNnModules::parameters_conv_haveDefaultsAndAnnotations() {
    const NnModule conv = *findModule("torch.nn.Conv2d");
    const auto parameters = conv.parameters();
    const auto annotations = conv.annotations();
    QCOMPARE(parameters.size(), std::size_t(11));
    QCOMPARE(annotations.size(), parameters.size());
    QCOMPARE(text(parameters[8].name), QString("padding_mode"));
    QCOMPARE(text(parameters[8].defaultValue), QString("'zeros'"));
    QCOMPARE(text(annotations[2]), QString("Union[int, tuple[int, int]]"));
}

void TestNnModules::settings_linear_showBiasByPresence() {
    const auto settings = findModule("torch.nn.Linear")->settings();
    QCOMPARE(settings.size(), std::size_t(3));
    QCOMPARE(text(settings[0].attribute), QString("in_features"));
    QVERIFY(!settings[0].isPresence);
    QCOMPARE(text(settings[2].parameter), QString("bias"));
    QVERIFY(settings[2].isPresence);
}

void TestNnModules::attributes_batchNorm_tellTheirKind() {
    using Kind = NnModule::Attribute::Kind;
    const auto attributes = findModule("torch.nn.BatchNorm1d")->attributes();
    QCOMPARE(text(attributes[0].name), QString("weight"));
    QCOMPARE(attributes[0].kind, Kind::Parameter);
    QCOMPARE(text(attributes[2].name), QString("running_mean"));
    QCOMPARE(attributes[2].kind, Kind::Buffer);
    QCOMPARE(attributes.back().kind, Kind::Setting);
}

void TestNnModules::extraRepr_settings_printAsInPyTorch_data() {
    QTest::addColumn<QString>("type");
    QTest::addColumn<Values>("values");
    QTest::addColumn<QString>("expected");
    const Values conv{{"in_channels", "3"},         {"out_channels", "8"}, {"kernel_size", "(3, 3)"},
                      {"stride", "(2, 2)"},         {"padding", "(0, 0)"}, {"dilation", "(1, 1)"},
                      {"output_padding", "(0, 0)"}, {"groups", "1"},       {"bias", "Parameter"},
                      {"padding_mode", "'zeros'"}};
    Values unusual = conv;
    unusual.insert({{"padding", "'same'"},
                    {"dilation", "(2, 1)"},
                    {"groups", "2"},
                    {"bias", "None"},
                    {"padding_mode", "'circular'"}});
    const Values lstm{{"input_size", "4"}, {"hidden_size", "5"},    {"proj_size", "0"}, {"num_layers", "2"},
                      {"bias", "True"},    {"batch_first", "True"}, {"dropout", "0.0"}, {"bidirectional", "False"}};
    QTest::newRow("conv") << "torch.nn.Conv2d" << conv << "3, 8, kernel_size=(3, 3), stride=(2, 2)";
    QTest::newRow("conv, unusual")
        << "torch.nn.Conv2d" << unusual
        << "3, 8, kernel_size=(3, 3), stride=(2, 2), padding=same, dilation=(2, 1), groups=2, "
           "bias=False, padding_mode=circular";
    QTest::newRow("linear") << "torch.nn.Linear"
                            << Values{{"in_features", "2"}, {"out_features", "3"}, {"bias", "None"}}
                            << "in_features=2, out_features=3, bias=False";
    QTest::newRow("relu") << "torch.nn.ReLU" << Values{{"inplace", "False"}} << "";
    QTest::newRow("relu in place") << "torch.nn.ReLU" << Values{{"inplace", "True"}} << "inplace=True";
    QTest::newRow("gelu") << "torch.nn.GELU" << Values{{"approximate", "'none'"}} << "approximate='none'";
    QTest::newRow("upsample") << "torch.nn.Upsample"
                              << Values{{"scale_factor", "2.0"}, {"size", "None"}, {"mode", "'nearest'"}}
                              << "scale_factor=2.0, mode='nearest'";
    QTest::newRow("embedding, 2.0 is 2") << "torch.nn.Embedding"
                                         << Values{{"num_embeddings", "10"}, {"embedding_dim", "3"},
                                                   {"padding_idx", "0"},     {"max_norm", "None"},
                                                   {"norm_type", "2.0"},     {"scale_grad_by_freq", "False"},
                                                   {"sparse", "False"}}
                                         << "10, 3, padding_idx=0";
    QTest::newRow("lstm, 0.0 is 0") << "torch.nn.LSTM" << lstm << "4, 5, num_layers=2, batch_first=True";
    QTest::newRow("container") << "torch.nn.Sequential" << Values{} << "";
    QTest::newRow("attribute that is not there") << "torch.nn.Softmax" << Values{} << "dim=?";
}

void TestNnModules::extraRepr_settings_printAsInPyTorch() {
    QFETCH(QString, type);
    QFETCH(Values, values);
    const auto module = findModule(type.toStdString());
    QVERIFY(module);
    const auto shown = module->extraRepr(lookupIn(values));
    QVERIFY(shown);
    QTEST(text(*shown), "expected");
}

void TestNnModules::extraRepr_quantisedWeights_areNotTold() {
    QVERIFY(!findModule("torch.ao.nn.quantized.Linear")->extraRepr(lookupIn({})));
}

void TestNnModules::forwardText_layers_areThoseOfPyTorch() {
    const auto forward = [](const char* path) { return text(findModule(path)->forwardText()); };
    QCOMPARE(
        forward("torch.nn.ZeroPad2d"),
        QString("(self, input: Tensor) -> Tensor:\n    return F.pad(input, self.padding, 'constant', self.value)"));
    QCOMPARE(forward("torch.nn.Identity"), QString("(self, input: Tensor) -> Tensor:\n    return input"));
    QCOMPARE(forward("torch.nn.BatchNorm2d"), QString());
    QCOMPARE(QString(moduleComposition("PoissonNLLLoss")),
             QString("torch.nn.functional.poisson_nll_loss($0, $1, log_input=log_input, full=full, eps=eps, "
                     "reduction=reduction)"));
    QCOMPARE(QString(moduleComposition("Flatten")), QString("torch.flatten($0, start_dim, end_dim)"));
    QVERIFY(!moduleComposition("Identity"));
}

void TestNnModules::table_everyRow_isConsistent() {
    QVERIFY(moduleCount() > 300);
    for (std::uint32_t i = 0; i < moduleCount(); ++i) {
        const NnModule module = moduleAt(i);
        const QByteArray path = text(module.path()).toUtf8();
        QVERIFY2(findModule(module.path()) == module, path);
        QVERIFY2(findModule(module.publicPath()) == module, path);
        QStringList names;
        for (const Parameter& parameter : module.parameters()) names << text(parameter.name);
        for (const auto& setting : module.settings()) QVERIFY2(names.contains(text(setting.parameter)), path);
        for (const auto& attribute : module.attributes()) QVERIFY2(!attribute.name.empty(), path);
    }
}

QTEST_APPLESS_MAIN(TestNnModules)
#include "tst_nn_modules.moc"
