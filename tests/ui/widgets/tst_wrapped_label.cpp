// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wrapped_label.h"

#include <QPlainTextEdit>
#include <QTest>
#include <QVBoxLayout>

using namespace ui;

/// Messages are never cut off.
class TestWrappedLabel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void longWord_breaks() {
        WrappedLabel label(nullptr, QString(200, u'x'));
        label.setTextFormat(Qt::PlainText);
        const int line = label.heightForWidth(label.fontMetrics().horizontalAdvance(label.text()) + 50);
        const int width = label.fontMetrics().horizontalAdvance(label.text()) / 4;
        QVERIFY(label.heightForWidth(width) >= 4 * line);
        // What is painted stays inside: the last line is where it is said to be.
        label.resize(width, label.heightForWidth(width));
        QImage image(label.size(), QImage::Format_RGB32);
        image.fill(Qt::white);
        label.render(&image);
        const auto inked = [&](int from, int to) {
            for (int y = from; y < to; ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y).lightness() < 128) return true;
            return false;
        };
        QVERIFY(inked(image.height() - line, image.height()));
    }

    void layoutWithTooLittleRoom_shrinksOthers() {
        QWidget panel;
        auto* column = new QVBoxLayout(&panel);
        auto* editor = new QPlainTextEdit(&panel);
        editor->setMinimumHeight(10);
        auto* label = new WrappedLabel(&panel, QStringLiteral("several words ").repeated(30));
        label->setTextFormat(Qt::PlainText);
        column->addWidget(editor, 3);
        column->addWidget(label);
        panel.resize(200, 260);
        panel.show();
        QTRY_VERIFY(label->height() >= label->heightForWidth(label->width()));
        panel.resize(150, 340);
        QTRY_VERIFY(label->height() >= label->heightForWidth(label->width()));
    }

    void breakable_hasPlacesToBreak() {
        const QString letters(30, u'a');
        QCOMPARE(breakable(letters + QStringLiteral(".b_c d.e\n")), letters + QStringLiteral(".\u200Bb_\u200Bc d.e\n"));
        QCOMPARE(breakable(QString()), QString());
    }
};

QTEST_MAIN(TestWrappedLabel)
#include "tst_wrapped_label.moc"
