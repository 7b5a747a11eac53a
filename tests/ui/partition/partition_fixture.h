// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"
#include "ui/partition/partition_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

namespace ui {

/// A window with the partition panel.
class PartitionFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    PartitionPanel& panel() const { return *m_window->findChild<PartitionPanel*>(); }
    QTreeView& tree() const { return *panel().findChild<QTreeView*>(); }
    QTableView& table() const { return *panel().findChild<QTableView*>(QStringLiteral("partitions")); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    QString code() const {
        return document().facts().code() ? QString::fromStdString(document().facts().code()->text) : QString();
    }
    bool shows(const QString& text) const {
        for (const QLabel* label : panel().findChildren<QLabel*>())
            if (label->isVisibleTo(&panel()) && label->text().contains(text)) return true;
        return false;
    }
    QPushButton* button(const QString& start) const {
        for (QPushButton* each : panel().findChildren<QPushButton*>())
            if (each->text().startsWith(start)) return each;
        return nullptr;
    }
    QModelIndex row(const QString& title) const {
        const auto found = tree().model()->match(tree().model()->index(0, 0), Qt::DisplayRole, title, 1,
                                                 Qt::MatchExactly | Qt::MatchRecursive);
        return found.isEmpty() ? QModelIndex() : found.front();
    }
    /// A click into the box of an operator.
    void tick(const QString& title) {
        const QModelIndex index = row(title);
        QVERIFY2(index.isValid(), qPrintable(title));
        tree().scrollTo(index);
        const QRect rect = tree().visualRect(index);
        QTest::mouseClick(tree().viewport(), Qt::LeftButton, {}, QPoint(rect.left() + 10, rect.center().y()));
    }
    void tickAll() {
        for (QToolButton* each : panel().findChildren<QToolButton*>())
            if (each->text() == QStringLiteral("All")) QTest::mouseClick(each, Qt::LeftButton);
    }
    std::size_t count() const { return panel().outcome().report.partitions.size(); }
    void open(const QString& file) {
        m_window->openFile(file);
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
        m_window->actions().partition->trigger();
        QTRY_VERIFY(panel().isSeen());
        QTRY_VERIFY(tree().model()->rowCount() > 0);
    }
    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }

    /// Two partitions with max_pool2d between them.
    void makeTwo() {
        open(sample("simple_net.pt"));
        tickAll();
        QTRY_COMPARE(count(), 1u);
        panel().setFlags(1); // single nodes stay
        document().selection().select({node("max_pool2d")}, nullptr);
        panel().markSelection(Support::Unsupported);
        QTRY_COMPARE(count(), 2u);
    }

    void startUp() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 900);
        m_window->show();
    }
};

} // namespace ui
