// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"

#include <QCryptographicHash>
#include <QTest>

class TestSha256 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void digest_anyLengthInAnyPieces_isThatOfQt() {
        QByteArray bytes;
        for (int i = 0; i < 300; ++i) {
            const std::string expected =
                QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
            const std::string_view text(bytes.data(), static_cast<std::size_t>(bytes.size()));
            QCOMPARE(fx::sha256(text), expected);
            fx::Sha256 pieces;
            const auto cut = static_cast<std::size_t>(i * 7 % (i + 1));
            QCOMPARE(pieces.add(text.substr(0, cut)).add(text.substr(cut)).hex(), expected);
            bytes += static_cast<char>(i * 37);
        }
    }
};

QTEST_APPLESS_MAIN(TestSha256)
#include "tst_sha256.moc"
