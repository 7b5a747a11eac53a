// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/run/worker_settings.h"
#include "ui/shell/document_page.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/document_tabs.h"
#include "ui/shell/window/main_window.h"
#include "ui/values/values_panel.h"

#include <QDialog>
#include <QDockWidget>
#include <QHeaderView>
#include <QLayout>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextLayout>
#include <QWidget>

#include <map>

using namespace ui;

/// A window of 1280 x 800 stays that large, and its panels stay where they are, whatever they show.
class TestWindowSize : public QObject {
    Q_OBJECT

    static constexpr int kWidth = 1280, kHeight = 800;
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    QDockWidget* dock(const char* name) const { return m_window->findChild<QDockWidget*>(QLatin1String(name)); }
    static QWidget& panelOf(const QDockWidget& dock) { return *static_cast<QScrollArea*>(dock.widget())->widget(); }
    /// The docks and how wide they would have to be.
    QString widths() const {
        QStringList all;
        for (const auto* each : m_window->findChildren<QDockWidget*>())
            all << QStringLiteral("%1 %2 x %3")
                       .arg(each->objectName())
                       .arg(panelOf(*each).minimumSizeHint().width())
                       .arg(panelOf(*each).minimumSizeHint().height());
        for (const auto& [area, place] : borders())
            all << QStringLiteral("%1: %2 %3 %4 x %5")
                       .arg(static_cast<int>(area))
                       .arg(place.x())
                       .arg(place.y())
                       .arg(place.width())
                       .arg(place.height());
        return QStringLiteral("window %1 x %2, needs %3; %4")
            .arg(m_window->width())
            .arg(m_window->height())
            .arg(m_window->minimumSizeHint().width())
            .arg(all.join(QStringLiteral(", ")));
    }
    bool fits() const {
        return m_window->size() == QSize(kWidth, kHeight) && m_window->layout()->minimumSize().width() <= kWidth &&
               m_window->minimumSizeHint().width() <= kWidth;
    }
    /// Of each area the dock in front: its borders.
    std::map<Qt::DockWidgetArea, QRect> borders() const {
        std::map<Qt::DockWidgetArea, QRect> all;
        for (auto* each : m_window->findChildren<QDockWidget*>())
            if (each->isVisible() && m_window->rect().contains(each->geometry()) /* tabs behind are elsewhere */ &&
                each->objectName() != QLatin1String("legend"))
                all[m_window->dockWidgetArea(each)] = each->geometry();
        return all;
    }

private Q_SLOTS:
    void manyTabs_keepReadableTitles() {
        ui::DocumentTabs tabs;
        for (int i = 0; i < 13; ++i) tabs.addTab(new QWidget, QStringLiteral("a_model_with_a_long_name_%1.pt").arg(i));
        tabs.resize(700, 200);
        tabs.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tabs));
        const QTabBar* bar = tabs.tabBar();
        for (int i = 0; i < bar->count(); ++i)
            QVERIFY(bar->tabRect(i).width() >= 16 * bar->fontMetrics().averageCharWidth());
    }

    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_settings->setWorker({QStringLiteral(LANCET_WORKER), true, 0, 120});
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(kWidth, kHeight);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
        QVERIFY(testing::settle());
    }
    void cleanup() { m_window.reset(); }

    /// 1280 x 800 pixels at a scale of 1.5, less what a desktop takes for its bar and the frame.
    void smallScreen_windowFits() {
        constexpr QSize kSmall{837, 485};
        for (const char* sample : {"resnet.pt", "two_branches.py", "transformer.pt2"}) {
            m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(sample));
            QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
            for (auto* each : m_window->findChildren<QDockWidget*>()) {
                each->raise();
                QVERIFY(testing::settle());
                const QSize least = m_window->minimumSizeHint().expandedTo(m_window->layout()->minimumSize());
                QVERIFY2(least.boundedTo(kSmall) == least, qPrintable(each->objectName() + u' ' + widths()));
            }
        }
        m_window->resize(kSmall);
        QVERIFY(testing::settle());
        QCOMPARE(m_window->size(), kSmall);
    }

    /// What a first user sees there: the graph has room, and panels that are asked for come.
    void smallScreen_firstArrangement_leavesRoomForTheGraph() {
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("small.ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(837, 485);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        QVERIFY(testing::settle());
        const QSize canvas = m_window->currentPage()->canvas().size();
        QVERIFY2(canvas.width() >= 400, qPrintable(widths()));
        QVERIFY2(canvas.height() >= 250, qPrintable(widths()));
        m_window->actions().findInCode->trigger();
        QVERIFY(testing::settle());
        QVERIFY(isInFront(*dock("code")));
        QVERIFY(m_window->size() == QSize(837, 485));
    }

    void smallScreen_smallPanel_scrolls() {
        m_window->resize(1280, 500);
        QDockWidget* partition = dock("partition");
        partition->raise();
        QVERIFY(testing::settle());
        const QWidget& panel = panelOf(*partition);
        QVERIFY2(panel.height() >= panel.minimumSizeHint().height(), qPrintable(widths()));
        QVERIFY(static_cast<QScrollArea*>(partition->widget())->verticalScrollBar()->isVisible());
    }

    void dialogs_largerThanTheScreen_fitIt() {
        QDialog dialog(m_window.get());
        dialog.resize(5000, 4000);
        dialog.show();
        QVERIFY(m_window->screen()->availableGeometry().contains(QRect(QPoint(), dialog.size())));
    }

    void narrowerWindow_takesFromTheCanvas() {
        m_window->resize(1700, kHeight);
        QVERIFY(testing::settle());
        m_window->resizeDocks({dock("modules"), dock("inspector")}, {260, 430}, Qt::Horizontal);
        QVERIFY(testing::settle());
        const auto wide = borders();
        m_window->resize(kWidth, kHeight);
        QVERIFY(testing::settle());
        const auto narrow = borders();
        for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea})
            QVERIFY2(std::abs(narrow.at(area).width() - wide.at(area).width()) <= 2, qPrintable(widths()));
    }

    void widerWindow_givesBackWhatDocksHadToGive() {
        m_window->resize(1700, kHeight);
        QVERIFY(testing::settle());
        m_window->resizeDocks({dock("modules"), dock("inspector")}, {260, 430}, Qt::Horizontal);
        QVERIFY(testing::settle());
        const auto wide = borders();
        m_window->resize(900, kHeight); // too little room for a canvas
        QVERIFY(testing::settle());
        m_window->resize(1700, kHeight);
        QVERIFY(testing::settle());
        const auto again = borders();
        for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea})
            QVERIFY2(std::abs(again.at(area).width() - wide.at(area).width()) <= 2, qPrintable(widths()));
    }

    void sourceBesideTheGraph_fits_andTakesNothingFromTheDocks() {
        const auto before = borders();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/two_branches.py"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().source());
        QTRY_VERIFY(document().picture().scene());
        QVERIFY(testing::settle());
        QVERIFY(m_window->currentPage()->isSourceShown());
        QVERIFY2(fits(), qPrintable(widths()));
        const auto after = borders();
        for (const auto area : {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea})
            QVERIFY2(after.at(area) == before.at(area), qPrintable(widths()));
    }

    void panels_shownOneAfterTheOther_nothingMoves() {
        QVERIFY2(fits(), qPrintable(widths()));
        const auto before = borders();
        QCOMPARE(before.size(), std::size_t(3));
        for (const char* name : {"nodes", "modules", "pattern", "partition", "changes", "history", "inspector", "table",
                                 "problems", "verify", "timing", "values", "code"}) {
            dock(name)->raise();
            for (const std::vector<fx::NodeId>& chosen :
                 {std::vector{node("conv1")}, std::vector{node("conv1"), node("relu"), node("add")},
                  std::vector<fx::NodeId>()}) {
                document().selection().select(chosen, nullptr);
                QVERIFY(testing::settle());
                QVERIFY2(fits(), qPrintable(QLatin1String(name) + u' ' + widths()));
                QVERIFY2(borders() == before, qPrintable(QLatin1String(name) + u' ' + widths()));
            }
        }
    }

    void firstArrangement_standsAsSoonAsItIsShown() {
        const auto after = borders();
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("another.ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(kWidth, kHeight);
        m_window->show(); // no event has been handled since
        QVERIFY2(fits(), qPrintable(widths()));
        const auto atOnce = borders();
        const QString first = widths();
        m_window->offerRecovery(m_folder.filePath(QStringLiteral("journals")));
        QVERIFY(testing::settle());
        QVERIFY2(borders() == atOnce, qPrintable(first + QStringLiteral(", then ") + widths()));
        QVERIFY2(borders() == after, qPrintable(widths()));
    }

    void resetPanels_windowStays() {
        const auto before = borders();
        m_window->resizeDocks({dock("inspector")}, {450}, Qt::Horizontal);
        dock("pattern")->setFloating(true);
        QVERIFY(testing::settle());
        m_window->actions().resetLayout->trigger();
        QVERIFY2(fits(), qPrintable(widths()));
        QVERIFY2(borders() == before, qPrintable(widths())); // at once
        QVERIFY(testing::settle());
        QVERIFY2(fits(), qPrintable(widths()));
        QVERIFY2(borders() == before, qPrintable(widths()));
    }

    void namesOfPanels_canBeRead() {
        const auto bars = m_window->findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(bars.size() >= 3);
        for (const QTabBar* bar : bars) {
            if (!bar->isVisible()) continue;
            QCOMPARE(bar->elideMode(), Qt::ElideNone);
            QVERIFY2(bar->sizeHint().width() <= bar->width(), qPrintable(QStringLiteral("%1: %2 in %3")
                                                                             .arg(bar->tabText(0))
                                                                             .arg(bar->sizeHint().width())
                                                                             .arg(bar->width())));
        }
    }

    void panels_eachAlone_areNarrow() {
        constexpr int kSide = 296, kBelow = 400;
        for (auto* each : m_window->findChildren<QDockWidget*>()) {
            const bool below = m_window->dockWidgetArea(each) == Qt::BottomDockWidgetArea;
            QVERIFY2(panelOf(*each).minimumSizeHint().width() <= (below ? kBelow : kSide),
                     qPrintable(each->objectName() + u' ' + widths()));
        }
    }

    void values_ofFourDimensions_nothingMoves() {
        auto* values = m_window->findChild<ValuesPanel*>();
        dock("values")->raise();
        QVERIFY(testing::settle());
        const auto before = borders();
        for (const char* name : {"conv1", "fc"}) {
            if (node(name) == fx::kNoNode) continue;
            document().selection().select({node(name)}, nullptr);
            QTRY_VERIFY2_WITH_TIMEOUT(values->values() &&
                                          values->values()->value.sizes.size() == (name[0] == 'c' ? 4u : 2u),
                                      qPrintable(values->message()), 60000);
            QVERIFY(testing::settle());
            QVERIFY2(fits(), qPrintable(widths()));
            QVERIFY2(borders() == before, qPrintable(widths()));
            for (QTextBlock block = values->statistics()->document()->begin(); block.isValid(); block = block.next())
                QVERIFY2(block.layout()->lineCount() <= 1, qPrintable(block.text()));
            const QTableView* table = values->findChild<QTableView*>();
            const QImage numbers = table->verticalHeader()->viewport()->grab().toImage();
            int top = -1, bottom = -1;
            for (int y = 0; y < table->rowHeight(0); ++y)
                for (int x = 0; x < numbers.width() - 3; ++x)
                    if (numbers.pixelColor(x, y).lightness() < 160) top = top < 0 ? y : top, bottom = y;
            QVERIFY2(top >= 0, qPrintable(QStringLiteral("the number stands from %1 to %2").arg(top).arg(bottom)));
            QVERIFY2(qAbs((top + bottom) / 2.0 - (table->rowHeight(0) - 1) / 2.0) <= 2,
                     qPrintable(QStringLiteral("the number stands from %1 to %2").arg(top).arg(bottom)));
            for (const QSpinBox* index : values->indices()) {
                QVERIFY(!index->visibleRegion().isEmpty());
                QVERIFY(values->rect().contains(QRect(index->mapTo(values, QPoint()), index->size())));
            }
        }
    }
};

QTEST_MAIN(TestWindowSize)
#include "tst_window_size.moc"
