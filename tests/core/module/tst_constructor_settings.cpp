// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/constructor_settings.h"

#include "core/ir/print.h"

#include <QTest>

using namespace fx;

namespace {

Module::Slot slot(const char* name, bool present = true) {
    return {name, present ? std::make_shared<const TensorRef>() : nullptr};
}

Module made(const char* classModule, const char* className) {
    Module module;
    module.classModule = classModule;
    module.className = className;
    return module;
}

Module conv() {
    Module module = made("torch.nn.modules.conv", "Conv2d");
    module.parameters = {slot("weight"), slot("bias", false)};
    const Argument pair = Argument::tuple({1, 1}), zeros = Argument::tuple({0, 0});
    module.attributes = {{"in_channels", Argument(3)},
                         {"out_channels", Argument(8)},
                         {"kernel_size", Argument::tuple({3, 3})},
                         {"stride", pair},
                         {"padding", pair},
                         {"dilation", pair},
                         {"transposed", Argument(false)},
                         {"output_padding", zeros},
                         {"groups", Argument(1)},
                         {"padding_mode", Argument("zeros")}};
    return module;
}

Module norm(bool affine) {
    Module module = made("torch.nn.modules.batchnorm", "BatchNorm2d");
    module.parameters = {slot("weight", affine), slot("bias", affine)};
    module.attributes = {{"num_features", Argument(8)},
                         {"eps", Argument(1e-5)},
                         {"momentum", Argument()},
                         {"affine", Argument(affine)},
                         {"track_running_stats", Argument(true)}};
    return module;
}

Module gru() {
    Module module = made("torch.nn.modules.rnn", "GRU");
    module.parameters = {slot("weight_ih_l0"), slot("bias_ih_l0")};
    module.attributes = {
        {"mode", Argument("GRU")},   {"input_size", Argument(4)},        {"hidden_size", Argument(5)},
        {"num_layers", Argument(2)}, {"bias", Argument(true)},           {"batch_first", Argument(true)},
        {"dropout", Argument(0.0)},  {"bidirectional", Argument(false)}, {"proj_size", Argument(0)}};
    return module;
}

Module encoderLayer() {
    const auto attention = std::make_shared<Module>(made("torch.nn.modules.activation", "MultiheadAttention"));
    attention->parameters = {slot("in_proj_weight"), slot("in_proj_bias")};
    attention->attributes = {{"embed_dim", Argument(16)}, {"num_heads", Argument(4)}, {"batch_first", Argument(true)}};
    const auto linear = std::make_shared<Module>(made("torch.nn.modules.linear", "Linear"));
    linear->parameters = {slot("weight"), slot("bias")};
    linear->attributes = {{"in_features", Argument(16)}, {"out_features", Argument(32)}};
    const auto dropout = std::make_shared<Module>(made("torch.nn.modules.dropout", "Dropout"));
    dropout->attributes = {{"p", Argument(0.1)}, {"inplace", Argument(false)}};
    Module module = made("torch.nn.modules.transformer", "TransformerEncoderLayer");
    module.children = {{"self_attn", attention}, {"linear1", linear}, {"dropout", dropout}};
    module.attributes = {{"norm_first", Argument(true)}};
    return module;
}

Module own() {
    Module module = made("mypkg.layers", "Own");
    module.attributes = {{"width", Argument(3)}, {"_hidden", Argument(4)}, {"table", TensorPtr()}};
    return module;
}

/// "name=value" of each setting; defaults in brackets.
QString text(const Module& module) {
    QStringList parts;
    for (const Setting& setting : constructorSettings(module)) {
        const QString one = QString::fromStdString(setting.name + "=" + reprOf(Graph(), setting.value));
        parts += setting.isDefault ? "[" + one + "]" : one;
    }
    return parts.join(' ');
}

} // namespace

class TestConstructorSettings : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void settings_eachClass_areThoseOfTheConstructor_data() {
        QTest::addColumn<QString>("got");
        QTest::addColumn<QString>("expected");
        QTest::newRow("conv") << text(conv())
                              << "in_channels=3 out_channels=8 kernel_size=(3, 3) [stride=(1, 1)] padding=(1, 1) "
                                 "[dilation=(1, 1)] [groups=1] bias=False [padding_mode='zeros']";
        QTest::newRow("norm")
            << text(norm(true))
            << "num_features=8 [eps=1e-05] momentum=None [affine=True] [track_running_stats=True] [bias=True]";
        QTest::newRow("plain norm")
            << text(norm(false))
            << "num_features=8 [eps=1e-05] momentum=None affine=False [track_running_stats=True] [bias=True]";
        QTest::newRow("rnn") << text(gru())
                             << "input_size=4 hidden_size=5 num_layers=2 [bias=True] batch_first=True [dropout=0.0] "
                                "[bidirectional=False]";
        QTest::newRow("in children") << text(encoderLayer())
                                     << "d_model=16 nhead=4 dim_feedforward=32 [dropout=0.1] batch_first=True "
                                        "norm_first=True [bias=True]";
        QTest::newRow("unknown class") << text(own()) << "width=3";
    }
    void settings_eachClass_areThoseOfTheConstructor() {
        QFETCH(QString, got);
        QFETCH(QString, expected);
        QCOMPARE(got, expected);
    }

    void missing_wholeAndCutModules_namesWhatIsNeeded() {
        QVERIFY(missingSettings(conv(), constructorSettings(conv())).empty());
        Module cut = conv();
        cut.attributes.erase(cut.attributes.begin());
        QCOMPARE(missingSettings(cut, constructorSettings(cut)), std::vector<std::string>{"in_channels"});
        QCOMPARE(missingSettings(own(), constructorSettings(own())), std::vector<std::string>{"?"});
    }
};

QTEST_APPLESS_MAIN(TestConstructorSettings)
#include "tst_constructor_settings.moc"
