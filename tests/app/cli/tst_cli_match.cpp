// SPDX-License-Identifier: GPL-3.0-or-later
// Matching from the command line: near misses with their fixed keys, relaxations that are taken back in, filters,
// classes.
#include "program.h"

#include <QJsonArray>
#include <QTemporaryDir>
#include <QTest>

class TestCliMatch : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString source(const char* name, const QByteArray& text) const {
        const QString path = m_folder.filePath(name);
        put(path, text);
        return path;
    }

private Q_SLOTS:
    void explain_tellsFixedKeys_andItsRelaxationsHelp() {
        const QString pattern =
            source("p.py", "def pattern(x, c: nn.Conv2d, b: nn.BatchNorm2d):\n    return F.gelu(b(c(x)))\n");
        const Run plain = lancet({"match", sample("resnet.pt"), "--pattern", pattern, "--json"});
        QCOMPARE(plain.exit, 1);
        QVERIFY(plain.json()["near_misses"].toArray().isEmpty());
        const Run run =
            lancet({"match", sample("resnet.pt"), "--pattern", pattern, "--explain", "--limit", "2", "--json"});
        QCOMPARE(run.exit, 1);
        const QJsonArray misses = run.json()["near_misses"].toArray();
        QCOMPARE(misses.size(), 2);
        const QJsonObject first = misses[0].toObject();
        for (const char* key : {"anchor", "matched", "of", "pattern_node", "graph_node", "rule", "why", "relax"})
            QVERIFY2(first.contains(key), key);
        QCOMPARE(first["matched"].toInt(), 2);
        QCOMPARE(first["of"].toInt(), 3);
        QCOMPARE(first["rule"].toString(), QString("op"));
        const QString relax = first["relax"].toArray()[0].toString();
        const Run again = lancet({"match", sample("resnet.pt"), "--pattern", pattern, "--relax", relax, "--json"});
        QCOMPARE(again.exit, 0);
        QVERIFY(again.json()["matches"].toArray()[0].toObject()["anchors"].toArray().contains(first["anchor"]));
    }

    void wrongRelaxation_orFilter_isUsage() {
        const QString pattern = source("p.py", "def pattern(x):\n    return torch.relu(x)\n");
        for (const QStringList& wrong :
             {QStringList{"--relax", "users:nobody"}, QStringList{"--relax", "anything"},
              QStringList{"--filter", R"({"node": "relu", "usres": 1})"}, QStringList{"--filter", "{"}}) {
            const Run run = lancet(QStringList{"match", sample("simple_net.pt"), "--pattern", pattern} + wrong);
            QCOMPARE(run.exit, 2);
            QVERIFY(!run.error.isEmpty());
        }
    }

    void filter_choosesMatches() {
        const QString pattern = source("p.py", "def pattern(x, b: nn.BatchNorm2d):\n    return b(x)\n");
        const auto count = [&](const char* filter) {
            QStringList words{"match", sample("resnet.pt"), "--pattern", pattern, "--json"};
            if (*filter) words << "--filter" << filter;
            return lancet(words).json()["matches"].toArray().size();
        };
        const auto all = count("");
        const auto wide = count(R"({"node": "b", "settings": {"num_features": {"min": 16}}})"),
                   narrow = count(R"({"not": {"node": "b", "settings": {"num_features": {"min": 16}}}})");
        QVERIFY(wide > 0);
        QVERIFY(narrow > 0);
        QCOMPARE(wide + narrow, all);
    }

    void classReplacement_bringsItsModules() {
        const QString pattern = source("p.py", "def pattern(x, b: nn.BatchNorm2d):\n    return b(x)\n");
        const QString replacement = source(
            "r.py", "class R(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fresh = "
                    "nn.Linear(2, 3)\n    def forward(self, x, b: nn.BatchNorm2d):\n        return self.fresh(b(x))\n");
        const QString written = m_folder.filePath("out.pt");
        const Run run = lancet(
            {"replace", sample("resnet.pt"), "--pattern", pattern, "--replacement", replacement + ":R", "-o", written});
        QVERIFY2(run.exit == 0, run.error);
        const Run modules = lancet({"modules", written});
        QVERIFY2(modules.out.contains("fresh"), modules.out);
    }

    void generalPython_isFollowed() {
        const QString pattern = source(
            "g.py",
            "def pattern(x, scale):\n    return x * scale\n\ndef twice(x, f=torch.neg):\n    for _ in range(2):\n      "
            "  x = f(x)\n    return x\n\ndef replacement(x, scale):\n    return twice(x) * scale\n");
        const Run run = lancet({"replace", sample("simple_net.pt"), "--pattern", pattern, "--show", "code"});
        QVERIFY2(run.exit == 0, run.error);
        QVERIFY(run.out.contains("torch.neg("));
        QVERIFY(run.out.contains("neg_1"));
    }
};

QTEST_GUILESS_MAIN(TestCliMatch)
#include "tst_cli_match.moc"
