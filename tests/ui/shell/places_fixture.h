// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/layout/picture.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/module_tree_model.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>
#include <QWindow>

namespace ui {

/// A window with simple_net.pt, whose canvas is clicked and dragged on.
class PlacesFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    GraphCanvas& canvas() const { return m_window->currentPage()->canvas(); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    QString code() const {
        return document().facts().code() ? QString::fromStdString(document().facts().code()->text) : QString();
    }

    void startUp() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1600, 1000);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
        QVERIFY(testing::settle()); // dot may still move things
    }
};

} // namespace ui
