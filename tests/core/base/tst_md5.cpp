// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/md5.h"

#include <QCryptographicHash>
#include <QTest>

class TestMd5 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void digest_anyLength_isThatOfQt() {
        QByteArray bytes;
        for (int i = 0; i < 300; ++i) {
            QCOMPARE(fx::md5(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size()))),
                     QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex().toStdString());
            bytes += static_cast<char>(i * 37);
        }
    }
};

QTEST_APPLESS_MAIN(TestMd5)
#include "tst_md5.moc"
