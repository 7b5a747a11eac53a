// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/model_graphs.h"
#include "ui/document/op_explanation.h"
#include "ui/shell/legend.h"
#include "ui/shell/operations/export_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QTest>

/// Choices of exported pictures and what becomes of them, and what the legend explains.
class TestExportDialog : public QObject {
    Q_OBJECT

    static ui::ExportRequest requestOf(const model_graphs::ModulePtr& module, ui::ExportKind kind) {
        ui::ExportRequest request;
        request.kind = kind;
        request.module = module;
        request.scene = ui::Scene::make(std::make_shared<const fx::Picture>(fx::Layout(module).layered({})), module);
        request.theme = ui::lightTheme();
        return request;
    }

private Q_SLOTS:
    void dialog_asksWhatTheKindNeeds() {
        using ui::ExportKind;
        ui::ExportDialog png(ExportKind::Png, {}, false), pdf(ExportKind::Pdf, {}, true);
        QCOMPARE(png.findChildren<QSpinBox*>().size(), 1);
        QCOMPARE(pdf.findChildren<QSpinBox*>().size(), 0);
        QCOMPARE(pdf.findChildren<QComboBox*>().size(), 3); // content, background, page
        ui::ExportChoice choice;
        choice.content = ui::ExportChoice::Content::Selection;
        QVERIFY(ui::ExportDialog(ExportKind::Svg, choice, true).choice().content ==
                ui::ExportChoice::Content::Selection);
        QVERIFY(ui::ExportDialog(ExportKind::Svg, choice, false).choice().content == ui::ExportChoice::Content::Shown);
    }
    void svg_hasFullNamesOfAllModules_andNoBackground() {
        const auto module = model_graphs::resnet(2);
        ui::ExportRequest request = requestOf(module, ui::ExportKind::Svg);
        QVERIFY(!ui::exportBytes(request).contains(">layer1_0_bn2</text>")); // in a closed module
        ui::ExportChoice choice;
        choice.content = ui::ExportChoice::Content::AllOpen;
        choice.background = ui::ExportChoice::Background::None;
        ui::applyChoice(choice, {}, {}, request);
        const QByteArray svg = ui::exportBytes(request);
        QVERIFY(svg.contains(">layer1_0_bn2</text>"));
        QVERIFY(!svg.contains("fill=\"#F7F8FA\""));
    }
    void png_hasTheSizeAndBackgroundAskedFor() {
        const auto module = model_graphs::chain(3);
        ui::ExportRequest request = requestOf(module, ui::ExportKind::Png);
        ui::ExportChoice choice;
        choice.percent = 100;
        ui::applyChoice(choice, {}, {}, request);
        const QImage once = ui::exportImage(request);
        QCOMPARE(once.pixelColor(0, 0), ui::lightTheme().canvas);
        choice.percent = 300, choice.background = ui::ExportChoice::Background::None;
        ui::applyChoice(choice, {}, {}, request);
        const QImage large = ui::exportImage(request);
        QVERIFY(qAbs(large.width() - 3 * once.width()) <= 3);
        QCOMPARE(large.pixelColor(0, 0).alpha(), 0);
        choice.background = ui::ExportChoice::Background::Dark;
        ui::applyChoice(choice, {}, {}, request);
        QCOMPARE(ui::exportImage(request).pixelColor(0, 0), ui::darkTheme().canvas);
    }
    void dialog_saysHowManyPixelsAPngHas() {
        const auto module = model_graphs::resnet(2);
        const auto requestFor = [&](const ui::ExportChoice& choice) {
            ui::ExportRequest request = requestOf(module, ui::ExportKind::Png);
            ui::applyChoice(choice, {}, {}, request);
            return request;
        };
        ui::ExportDialog dialog(ui::ExportKind::Png, {}, false);
        dialog.setRequests(requestFor);
        const auto says = [&](const ui::ExportChoice& choice) {
            const QSize size = ui::exportImage(requestFor(choice)).size();
            const QString words = QStringLiteral("%1 × %2 pixels").arg(size.width()).arg(size.height());
            for (const QLabel* label : dialog.findChildren<QLabel*>())
                if (label->text() == words) return true;
            return false;
        };
        QTRY_VERIFY(says(dialog.choice()));
        dialog.findChild<QSpinBox*>()->setValue(75);
        QVERIFY(says(dialog.choice()));
        dialog.findChild<QComboBox*>()->setCurrentIndex(1); // all modules open: another layout
        QTRY_VERIFY(says(dialog.choice()));
        QCOMPARE(ui::imageSize({100'000, 100'000}, 100), QSize(8000, 8000)); // 64 megapixels
    }
    void legend_explainsWhatIsUnderThePointer() {
        ui::Legend legend;
        legend.resize(300, legend.sizeHint().height());
        QVERIFY(legend.tipAt({30, 10}).contains(QStringLiteral("graph.placeholder(")));
        ui::ColourLegend colours;
        colours.title = QStringLiteral("Partitions");
        for (int i = 0; i < 12; ++i)
            colours.entries.push_back({Qt::red, Qt::black, -1, QStringLiteral("partition %1").arg(i),
                                       QStringLiteral("conv%1 to relu%1").arg(i)});
        legend.setColours(colours);
        legend.resize(300, legend.sizeHint().height());
        QVERIFY(legend.tipAt({20, 10}).contains(QStringLiteral("Partitions")));
        QStringList tips;
        for (int y = 0; y < legend.height(); y += 5)
            for (int x = 0; x < legend.width(); x += 10) tips << legend.tipAt({x, y});
        const QString all = tips.join(u'\n');
        QVERIFY(all.contains(QStringLiteral("conv6 to relu6")));
        QVERIFY(!all.contains(QStringLiteral("conv7 to relu7")));
        QVERIFY(all.contains(QStringLiteral("partition 11"))); // below "and 5 more"
    }
    void legend_thatIsNarrow_hasItsKindsBelowEachOther() {
        ui::Legend legend;
        legend.resize(1000, 200);
        const int wide = legend.sizeHint().height();
        legend.resize(150, 200);
        QVERIFY2(legend.sizeHint().height() > wide, qPrintable(QString::number(legend.sizeHint().height())));
        QVERIFY(legend.tipAt({30, 10}).contains(QStringLiteral("graph.placeholder(")));
        QVERIFY(legend.tipAt({30, legend.sizeHint().height() - 10}).contains(QStringLiteral("graph.output(")));
    }
    void legend_explainsEveryKind() {
        for (const fx::Op op : {fx::Op::Placeholder, fx::Op::CallModule, fx::Op::CallFunction, fx::Op::CallMethod,
                                fx::Op::GetAttr, fx::Op::Output}) {
            const QString text = ui::opExplanation(op), name = QString::fromUtf8(fx::opName(op).data());
            QVERIFY2(text.contains("<b>" + name + "</b>"), qPrintable(text));
            QVERIFY2(text.contains("graph." + name + "("), qPrintable(text));
        }
    }
};

QTEST_MAIN(TestExportDialog)
#include "tst_export_dialog.moc"
