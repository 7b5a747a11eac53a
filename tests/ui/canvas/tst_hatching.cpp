// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/hatching.h"
#include "ui/canvas/region_painter.h"

#include <QImage>
#include <QPainter>
#include <QTest>

/// Hatchings of exported pictures.
class TestHatching : public QObject {
    Q_OBJECT

    static QImage painted(Qt::BrushStyle style, double scale) {
        QImage image(static_cast<int>(64 * scale), static_cast<int>(64 * scale), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        QPainterPath area;
        area.addRect(QRectF(8 * scale, 8 * scale, 48 * scale, 48 * scale));
        ui::paintHatching(painter, area, style, Qt::black, scale);
        return image;
    }
    /// How much of the area is covered.
    static double ink(const QImage& image) {
        double sum = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) sum += 1 - image.pixelColor(x, y).lightnessF();
        return sum / (image.width() * image.height() * 0.5625);
    }

private Q_SLOTS:
    void eachStyle_isAnother_andGrowsWithThePicture() {
        QList<QImage> all;
        for (const Qt::BrushStyle style : ui::kHatchings) {
            const QImage small = painted(style, 1), large = painted(style, 8);
            QVERIFY2(ink(small) > 0.03, qPrintable(QString::number(ink(small))));
            QVERIFY2(ink(small) < 0.5, qPrintable(QString::number(ink(small))));
            QVERIFY2(ink(large) > 0.5 * ink(small), // thin lines are fainter
                     qPrintable(QString::number(ink(large))));
            QVERIFY2(ink(large) < 2 * ink(small), // thin lines are fainter
                     qPrintable(QString::number(ink(large))));
            QVERIFY(!all.contains(small));
            all << small;
        }
    }
    void outsideTheArea_nothingIsPainted() {
        for (const Qt::BrushStyle style : ui::kHatchings) {
            const QImage image = painted(style, 1);
            for (int i = 0; i < 64; ++i)
                for (const int edge : {2, 61}) {
                    QVERIFY(image.pixelColor(i, edge) == Qt::white);
                    QVERIFY(image.pixelColor(edge, i) == Qt::white);
                }
        }
    }
    void emptyArea_isNoError() {
        QImage image(4, 4, QImage::Format_RGB32);
        QPainter painter(&image);
        ui::paintHatching(painter, {}, Qt::BDiagPattern, Qt::black);
    }
};

QTEST_MAIN(TestHatching)
#include "tst_hatching.moc"
