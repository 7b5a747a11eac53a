// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/glyph_font.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace ui;

/// Where texts are cut.
class TestGlyphFont : public QObject {
    Q_OBJECT

    static QImage drawn(const GlyphFont& font, const char* text, bool asText) {
        QImage image(200, 24, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setPen(Qt::black);
        const double width = font.draw(painter, text, {{4, 16}, 120, 1, asText});
        if (width > 120) image.fill(Qt::red); // wider than allowed: nothing is like it
        return image;
    }

private Q_SLOTS:
    void tooLong_middleKeepsTheEnd_data() {
        QTest::addColumn<bool>("asText");
        QTest::newRow("glyphs") << false;
        QTest::newRow("text") << true;
    }
    void tooLong_middleKeepsTheEnd() {
        QFETCH(bool, asText);
        QFont base = QGuiApplication::font();
        base.setPixelSize(13);
        const GlyphFont end(base), middle(base, GlyphFont::Elide::Middle);
        const char *const one = "features_denseblock2_denselayer3_norm1", *const two =
                                                                              "features_denseblock2_denselayer3_norm8";
        QVERIFY(end.width(one) > 120);
        QCOMPARE(drawn(end, one, asText), drawn(end, two, asText));
        QVERIFY(drawn(middle, one, asText) != drawn(middle, two, asText));
        QVERIFY(drawn(middle, one, asText).pixelColor(199, 0) == QColor(Qt::white));
        QCOMPARE(drawn(middle, "norm1", asText), drawn(end, "norm1", asText));
        QImage free(600, 24, QImage::Format_RGB32);
        QPainter painter(&free);
        QCOMPARE(middle.draw(painter, "18.3 µs", {{4, 16}, 1e9, 1, asText}),
                 middle.width("18.3 µs")); // no limit: nothing is cut
    }
};

QTEST_MAIN(TestGlyphFont)
#include "tst_glyph_font.moc"
