// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/canvas_look.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_field.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QCheckBox>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ui;

/// A pattern belongs to its document: text, options, ticks, matches and marks.
class TestPatternDocuments : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    Document& document() const { return *m_window->currentDocument(); }
    PatternPanel& panel() const { return *m_window->findChild<PatternPanel*>(); }
    QTabWidget& tabs() const { return *m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }
    QListWidget& list() const {
        for (QListWidget* each : panel().findChildren<QListWidget*>())
            if (each->accessibleName() == QLatin1String("Matches")) return *each;
        Q_UNREACHABLE();
    }
    void open(const char* name) {
        m_window->openFile(sample(name));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
    }
    void makeWindow() {
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
    }

private Q_SLOTS:
    /// 1280 x 800 pixels at a scale of 1.5.
    void smallWindow_textsAreWhole() {
        m_window->resize(853, 533);
        open("resnet.pt");
        for (auto* dock : m_window->findChildren<QDockWidget*>())
            if (dock->isAncestorOf(&panel())) dock->show(), dock->raise();
        QVERIFY(testing::settle());
        for (const auto* label : panel().findChildren<WrappedLabel*>())
            if (label->isVisible())
                QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
    }

    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        makeWindow();
    }
    void cleanup() { m_window.reset(); }

    void example_isInTheFontOfCode() {
        const auto* example = panel().findChild<QLabel*>(QStringLiteral("patternExample"));
        QVERIFY(example);
        QCOMPARE(example->font().family(), monoFont().family());
        QVERIFY(example->text().startsWith(QStringLiteral("def pattern(")));
    }

    void longText_leavesNoScrollBarInAShortOne() {
        open("simple_net.pt");
        for (QWidget* widget = &panel(); widget; widget = widget->parentWidget())
            if (auto* dock = qobject_cast<QDockWidget*>(widget)) dock->raise();
        QTRY_VERIFY(panel().pattern()->isVisible() && panel().pattern()->visibleRegion().boundingRect().width() > 100);
        const auto scrolls = [this] {
            return panel().pattern()->horizontalScrollBar()->maximum() > 0 &&
                   panel().pattern()->horizontalScrollBar()->isVisible();
        };
        panel().pattern()->setSource("def pattern(x):\n    return x  # " + QByteArray(400, 'x'));
        QTRY_VERIFY(scrolls());
        panel().pattern()->setSource("def pattern(x):\n    return x\n");
        QTRY_VERIFY(!scrolls());
    }

    void errorBesideMatches_hasTheWholeWidth() {
        open("simple_net.pt");
        panel().pattern()->setSource("def pattern(x):\n    return F.max_pool2d(x, 2)\n");
        QTRY_COMPARE(panel().result().matches.size(), 1u);
        panel().replacement()->setSource("def replacement(x):\n    return F.relu7(x)\n");
        QTRY_VERIFY(panel().result().replacementError);
        const auto labels = panel().findChildren<QLabel*>();
        const auto status = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("has no attribute 'relu7'"));
        });
        QVERIFY(status != labels.end());
        const auto hint = std::find_if(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->text().contains(QStringLiteral("did you mean"));
        });
        QVERIFY(hint != labels.end());
        QToolButton* all = nullptr;
        for (QToolButton* each : panel().findChildren<QToolButton*>())
            if (each->text() == QLatin1String("All")) all = each;
        const auto topOf = [this](const QWidget& widget) { return widget.mapTo(&panel(), QPoint()).y(); };
        QTRY_VERIFY(topOf(**status) < topOf(**hint) && topOf(**hint) < topOf(*all)); // what to do, before the steps
        QTRY_VERIFY((*status)->width() > list().width() - 8);
        panel().replacement()->setSource("def replacement(x):\n    return F.relu6(x)\n");
        QTRY_VERIFY(!panel().result().replacementError);
        QTRY_VERIFY((*status)->width() < list().width() / 2 + 60); // the steps are beside it again
    }

    void replacementWithThePattern_isNotReplacedAgain() {
        open("simple_net.pt");
        panel().pattern()->setSource("def pattern(x):\n    return F.max_pool2d(x, 2)\n");
        panel().replacement()->setSource("def replacement(x):\n    return torch.relu(F.max_pool2d(x, 2))\n");
        QTRY_COMPARE(panel().result().matches.size(), 1u);
        QPushButton* all = nullptr;
        for (QPushButton* each : panel().findChildren<QPushButton*>())
            if (each->text().startsWith(QLatin1String("Replace All"))) all = each;
        QVERIFY(all);
        QTRY_VERIFY(all->isEnabled());
        const std::string before = panel().result().matches[0].anchor;
        all->click();
        all->click(); // a double click
        QTRY_VERIFY(document().versions().history()->current() == 1 && panel().result().matches.size() == 1 &&
                    panel().result().matches[0].anchor != before);
        QCOMPARE(document().versions().history()->entries().size(), 2u);
        QCOMPARE(list().item(0)->checkState(), Qt::Unchecked);
        QVERIFY(!all->isEnabled());
        document().versions().undo();
        QTRY_VERIFY(panel().result().matches.size() == 1 && panel().result().matches[0].anchor == before);
        QCOMPARE(list().item(0)->checkState(), Qt::Checked);
        QTRY_VERIFY(all->isEnabled());
    }

    void pattern_belongsToItsTab() {
        open("simple_net.pt");
        panel().pattern()->setSource("def pattern(x):\n    return F.max_pool2d(x, 2)\n");
        panel().replacement()->setSource("def replacement(x):\n    return torch.tanh(x)\n");
        QTRY_COMPARE(panel().result().matches.size(), 1u);
        list().item(0)->setCheckState(Qt::Unchecked);
        const fx::NodeId max_pool2d = document().module()->graph.find("max_pool2d");
        QVERIFY(panel().styleOf(max_pool2d));
        open("resnet.pt");
        QVERIFY(panel().pattern()->source().isEmpty());
        QVERIFY(panel().replacement()->source().isEmpty());
        QVERIFY(panel().result().matches.empty());
        QVERIFY(!m_window->currentPage()->canvas().look()); // no marks of the other model
        panel().pattern()->setSource("def pattern(x, y):\n    return x + y\n");
        for (QCheckBox* box : panel().findChildren<QCheckBox*>())
            if (box->text() == QStringLiteral("Operands in any order")) box->click();
        tabs().setCurrentIndex(0); // at once: what was typed is kept
        QCOMPARE(panel().pattern()->source(), QByteArray("def pattern(x):\n    return F.max_pool2d(x, 2)\n"));
        QCOMPARE(panel().replacement()->source(), QByteArray("def replacement(x):\n    return torch.tanh(x)\n"));
        QTRY_COMPARE(panel().result().matches.size(), 1u);
        QCOMPARE(list().item(0)->checkState(), Qt::Unchecked);
        QVERIFY(panel().styleOf(max_pool2d));
        for (QCheckBox* box : panel().findChildren<QCheckBox*>()) QVERIFY(!box->isChecked());
        panel().pattern()->undo(); // never into the text of another document
        QCOMPARE(panel().pattern()->source(), QByteArray("def pattern(x):\n    return F.max_pool2d(x, 2)\n"));
        tabs().setCurrentIndex(1);
        QCOMPARE(panel().pattern()->source(), QByteArray("def pattern(x, y):\n    return x + y\n"));
        QTRY_VERIFY(!panel().result().matches.empty());
    }

    void matches_areMarkedWhileThePanelIsSeen() {
        open("simple_net.pt");
        QDockWidget* dock = nullptr;
        for (QWidget* widget = &panel(); widget; widget = widget->parentWidget())
            if (auto* each = qobject_cast<QDockWidget*>(widget)) dock = each;
        QVERIFY(dock);
        QVERIFY(panel().visibleRegion().isEmpty()); // another one is in front
        panel().pattern()->setSource("def pattern(x):\n    return F.max_pool2d(x, 2)\n");
        QTRY_COMPARE(panel().result().matches.size(), 1u);
        const auto& canvas = m_window->currentPage()->canvas();
        QVERIFY(!canvas.look());
        dock->raise();
        QTRY_VERIFY(canvas.look());
    }

    void typedLongLine_leavesNoScrollBar() {
        open("simple_net.pt");
        for (QWidget* widget = &panel(); widget; widget = widget->parentWidget())
            if (auto* dock = qobject_cast<QDockWidget*>(widget)) dock->raise();
        QTRY_VERIFY(panel().pattern()->isVisible());
        CodeField& field = *panel().pattern();
        const auto scrolls = [&] { return field.horizontalScrollBar()->maximum() > 0; };
        field.setFocus();
        QTest::keyClicks(&field, QStringLiteral("x").repeated(200));
        QTRY_VERIFY(scrolls());
        for (int i = 0; i < 190; ++i) QTest::keyClick(&field, Qt::Key_Backspace);
        QCOMPARE(field.source(), QByteArray(10, 'x'));
        QTRY_VERIFY(!scrolls() || !field.horizontalScrollBar()->isVisible());
    }

    void pattern_isKeptWithTheFile() {
        open("simple_net.pt");
        panel().pattern()->setSource("def pattern(x):\n    return F.max_pool2d(x, 2)\n");
        m_window->close(); // within the typing pause
        m_window.reset();
        makeWindow();
        QVERIFY(panel().pattern()->source().isEmpty());
        open("resnet.pt");
        QVERIFY(panel().pattern()->source().isEmpty());
        open("simple_net.pt");
        QCOMPARE(panel().pattern()->source(), QByteArray("def pattern(x):\n    return F.max_pool2d(x, 2)\n"));
    }

    void messages_areWhole_inANarrowPanel() {
        open("simple_net.pt");
        m_window->actions().replacePattern->trigger();
        panel().pattern()->setSource(
            "def pattern(x, weight, bias):\n    return torch.nn.functional.a_function_of_a_rather_long_name_that_"
            "nobody_has_ever_written(x, weight, bias)\n");
        QTRY_VERIFY(panel().result().patternError);
        const QString what = QString::fromUtf8(panel().result().patternError->what());
        QLabel* badge = nullptr;
        for (QLabel* label : panel().findChildren<QLabel*>())
            if (label->text().contains(what)) badge = label;
        QVERIFY(badge); // all of it
        QTRY_VERIFY2(
            badge->height() >= badge->heightForWidth(badge->width()),
            qPrintable(QStringLiteral("%1 < %2").arg(badge->height()).arg(badge->heightForWidth(badge->width()))));
        const int letters = badge->fontMetrics().averageCharWidth();
        QVERIFY(badge->heightForWidth(badge->width()) > badge->fontMetrics().height() ||
                letters * what.size() < badge->width());
    }
};

QTEST_MAIN(TestPatternDocuments)
#include "tst_pattern_documents.moc"
