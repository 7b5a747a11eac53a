// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/fitting_qconfigs.h"

#include <QTest>

using namespace fx::quant;

class TestFittingQConfigs final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void modes_haveTheirQConfigs_data();
    void modes_haveTheirQConfigs();
};

void TestFittingQConfigs::modes_haveTheirQConfigs_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("modes");
    const auto row = [](const char* name, const char* modes) {
        QTest::newRow(name) << QString(name) << QString(modes);
    };
    row("default_qconfig", "static");
    row("default_per_channel_qconfig", "static");
    row("default_symmetric_qnnpack_qconfig", "static"); // the mode has it; backends may not
    row("float16_static_qconfig", "static");
    row("default_dynamic_qconfig", "dynamic");
    row("float16_dynamic_qconfig", "dynamic");
    row("default_qat_qconfig", "qat");
    row("default_dynamic_qat_qconfig", "qat");
    row("default_embedding_qat_qconfig", "qat");
    row("default_reuse_input_qconfig", "static qat");
    row("float_qparams_weight_only_qconfig", "static dynamic weight-only");
    row("default_debug_qconfig", "");
    row("default_fp32_placeholder_qconfig", "");
    row("default_quint8_placeholder_qconfig", "");
}

void TestFittingQConfigs::modes_haveTheirQConfigs() {
    QFETCH(QString, name);
    QFETCH(QString, modes);
    QStringList found;
    for (const Mode mode : {Mode::Static, Mode::Dynamic, Mode::WeightOnly, Mode::Qat})
        if (isForMode(*namedQConfig(name.toStdString()), mode)) found << QString::fromUtf8(modeName(mode));
    QCOMPARE(found.join(QLatin1Char(' ')), modes);
}

QTEST_APPLESS_MAIN(TestFittingQConfigs)
#include "tst_fitting_qconfigs.moc"
