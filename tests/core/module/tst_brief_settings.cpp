// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/brief_settings.h"

#include <QTest>

using namespace fx;

/// The settings on cards, for module classes with all kinds of them.
class TestBriefSettings : public QObject {
    Q_OBJECT

    static Module made(const char* part, const char* className,
                       std::initializer_list<std::pair<const char*, Argument>> attributes) {
        Module module;
        module.classModule = part;
        module.className = className;
        for (const auto& [name, value] : attributes) module.attributes.emplace_back(name, value);
        return module;
    }

private Q_SLOTS:
    void briefSettings_ofModules_areShort() {
        const Argument one = Argument::tuple({1, 1}), three = Argument::tuple({3, 3});
        const auto row = [](const Module& module, const char* expected) {
            QCOMPARE(QString::fromStdString(briefSettings(module)), QString::fromUtf8(expected));
        };
        const char *conv = "torch.nn.modules.conv", *pool = "torch.nn.modules.pooling";
        row(made(conv, "Conv2d",
                 {{"in_channels", 64},
                  {"out_channels", 64},
                  {"kernel_size", three},
                  {"stride", one},
                  {"padding", one},
                  {"dilation", Argument::tuple({2, 2})},
                  {"groups", 64},
                  {"padding_mode", "reflect"}}),
            "64→64 3×3 dilation=2×2 groups=64 padding_mode='reflect'");
        row(made(conv, "Conv1d",
                 {{"in_channels", 1},
                  {"out_channels", 8},
                  {"kernel_size", Argument::tuple({5})},
                  {"stride", Argument::tuple({2})}}),
            "1→8 5 /2");
        row(made(pool, "MaxPool2d", {{"kernel_size", 3}, {"stride", 2}, {"padding", 1}, {"ceil_mode", false}}),
            "3×3 /2");
        row(made(pool, "AdaptiveAvgPool2d", {{"output_size", 1}}), "→1×1");
        row(made("torch.nn.modules.linear", "Linear", {{"in_features", 512}, {"out_features", 1000}}), "512→1000");
        row(made("torch.nn.modules.linear", "Bilinear",
                 {{"in1_features", 20}, {"in2_features", 30}, {"out_features", 40}}),
            "20,30→40");
        row(made("torch.nn.modules.sparse", "Embedding",
                 {{"num_embeddings", 1000}, {"embedding_dim", 64}, {"padding_idx", 0}}),
            "1000×64 padding_idx=0");
        row(made("torch.nn.modules.batchnorm", "BatchNorm2d",
                 {{"num_features", 64}, {"eps", 1e-5}, {"momentum", 0.1}, {"affine", true}}),
            "");
        row(made("torch.nn.modules.normalization", "LayerNorm",
                 {{"normalized_shape", Argument::tuple({512})}, {"eps", 1e-12}}),
            "512 eps=1e-12");
        row(made("torch.nn.modules.normalization", "GroupNorm", {{"num_groups", 32}, {"num_channels", 64}}),
            "32 groups");
        row(made("torch.nn.modules.dropout", "Dropout", {{"p", 0.5}, {"inplace", false}}), "p=0.5");
        row(made("torch.nn.modules.activation", "ReLU", {{"inplace", true}}), "");
        row(made("torch.nn.modules.activation", "GELU", {{"approximate", "tanh"}}), "approximate='tanh'");
        row(made("torch.nn.modules.activation", "LeakyReLU", {{"negative_slope", 0.2}}), "negative_slope=0.2");
        row(made("torch.nn.modules.activation", "Softmax", {{"dim", -1}}), "dim=-1");
        row(made("torch.nn.modules.activation", "MultiheadAttention",
                 {{"embed_dim", 512}, {"num_heads", 8}, {"dropout", 0.0}, {"batch_first", true}}),
            "512 8 heads");
        row(made("torch.nn.modules.rnn", "LSTM",
                 {{"mode", "LSTM"},
                  {"input_size", 80},
                  {"hidden_size", 256},
                  {"num_layers", 2},
                  {"bidirectional", true}}),
            "80→256 2 layers bidirectional");
        row(made("torch.nn.modules.padding", "ZeroPad2d", {{"padding", Argument::tuple({1, 1, 2, 2})}}), "1×1×2×2");
        row(made("torch.nn.modules.pixelshuffle", "PixelShuffle", {{"upscale_factor", 2}}), "×2");
        row(made("torch.nn.modules.upsampling", "Upsample",
                 {{"size", Argument()}, {"scale_factor", 2.0}, {"mode", "bilinear"}}),
            "scale_factor=2.0 mode='bilinear'");
        row(made("torch.nn.modules.flatten", "Flatten", {{"start_dim", 1}, {"end_dim", -1}}), "");
    }
    void briefSettings_ofClassesOutsidePyTorch_showUsualNamesAlone() {
        QCOMPARE(briefSettings(made("mine", "Own", {{"width", 3}, {"hidden_size", 5}})), std::string());
        QCOMPARE(briefSettings(made("timm.layers", "Conv2dSame",
                                    {{"in_channels", 3},
                                     {"out_channels", 8},
                                     {"kernel_size", Argument::tuple({7, 7})},
                                     {"stride", Argument::tuple({2, 2})},
                                     {"groups", 1}})),
                 std::string("3→8 7×7 /2"));
    }
    void briefSettings_ofMkldnn_haveTheSizesOfTheWeight() {
        const auto converted = [](const char* className, std::vector<std::int64_t> sizes,
                                  std::initializer_list<std::pair<const char*, Argument>> attributes) {
            Module module = made("torch.utils.mkldnn", className, attributes);
            const auto weight = std::make_shared<TensorRef>();
            weight->sizes.assign(sizes.begin(), sizes.end());
            module.buffers = {{"weight", weight}};
            return briefSettings(module);
        };
        const Argument one = Argument::tuple({1, 1}), two = Argument::tuple({2, 2});
        QCOMPARE(converted("MkldnnConv2d", {64, 3, 7, 7},
                           {{"stride", two}, {"padding", two}, {"dilation", one}, {"groups", 1}}),
                 std::string("3→64 7×7 /2"));
        QCOMPARE(converted("MkldnnConv2d", {32, 1, 3, 3},
                           {{"stride", one}, {"padding", one}, {"dilation", two}, {"groups", 32}}),
                 std::string("32→32 3×3 dilation=2×2 groups=32"));
        QCOMPARE(converted("MkldnnLinear", {10, 512}, {}), std::string("512→10"));
        QCOMPARE(converted("MkldnnBatchNorm", {64}, {{"eps", 1e-5}, {"exponential_average_factor", 0.1}}),
                 std::string());
    }
};

QTEST_APPLESS_MAIN(TestBriefSettings)
#include "tst_brief_settings.moc"
