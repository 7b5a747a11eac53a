// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/leaf_table.h"

#include <QTest>

using namespace fx::script;

/// What a trace of a layer looks like.
class TestLeafTable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void leafPatterns_classOfOneCall_areItsOperator_data() {
        QTest::addColumn<QString>("pattern");
        const auto row = [](const char* name, const char* pattern) { QTest::newRow(name) << QString(pattern); };
        row("ConstantPad2d", "aten::pad($0, {padding}, 'constant', {value})");
        row("Linear", "aten::linear($0, weight, bias)");
        row("GELU", "aten::gelu($0, {approximate})");
        row("ELU", "aten::elu($0, {alpha}, 1, 1)");
        row("Softmax", "aten::softmax($0, {dim}, None)");
        row("Dropout2d", "aten::feature_dropout($0, {p}, training)");
        row("LayerNorm", "aten::layer_norm($0, {normalized_shape}, weight, bias, {eps}, _)");
        row("Embedding", "aten::embedding(weight, $0, {padding_idx}, {scale_grad_by_freq}, {sparse})");
        row("Flatten", "aten::flatten($0, {start_dim}, {end_dim})");
        row("AdaptiveMaxPool2d", "aten::adaptive_max_pool2d($0, {output_size})");
        row("AvgPool2d", "aten::avg_pool2d($0, {kernel_size}, {stride}, {padding}, {ceil_mode}, {count_include_pad}, "
                         "{divisor_override})");
        row("Unfold", "aten::im2col($0, {kernel_size}, {dilation}, {padding}, {stride})");
        row("CosineSimilarity", "aten::cosine_similarity($0, $1, {dim}, {eps})");
        row("Softmax2d", "aten::softmax($0, -3, None)");
        row("PairwiseDistance", "aten::pairwise_distance($0, $1, {p}, {eps}, {keepdim})");
        // Written down
        row("ReLU6", "aten::hardtanh($0, 0., 6.)");
        // More than one operator, or a number for a word
        row("Softsign", "");
        row("MSELoss", "");
    }
    void leafPatterns_classOfOneCall_areItsOperator() {
        QString first;
        if (const auto patterns = leafPatterns(QTest::currentDataTag()); !patterns.empty())
            first =
                QString::fromUtf8(patterns.front().body.data(), static_cast<qsizetype>(patterns.front().body.size()));
        QTEST(first, "pattern");
    }
};

QTEST_APPLESS_MAIN(TestLeafTable)
#include "tst_leaf_table.moc"
