// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>
#include <QWindow>

namespace ui {

/// A window without a document.
class MainWindowFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    QString settingsFile() const {
        return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini"));
    }
    void makeWindow() {
        m_window.reset();
        m_settings = std::make_unique<Settings>(settingsFile());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    Document& document() const { return *m_window->currentDocument(); }
    bool ready() const {
        Document* shown = m_window->currentDocument();
        return shown && shown->state() == Document::State::Ready && shown->picture().scene() && shown->facts().code() &&
               shown->facts().index();
    }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
};

} // namespace ui
