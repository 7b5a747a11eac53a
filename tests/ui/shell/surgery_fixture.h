// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>

namespace ui {

/// A window with simple_net.pt, whose graph is edited.
class SurgeryFixture : public QObject {
protected:
    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    void select(std::initializer_list<const char*> names) {
        std::vector<fx::NodeId> nodes;
        for (const char* name : names) nodes.push_back(node(name));
        document().selection().select(nodes, nullptr);
    }
    QString code() const {
        return document().facts().code() ? QString::fromStdString(document().facts().code()->text) : QString();
    }
    /// Runs `what` with the dialog that the next action opens.
    template<class T, class What> void inDialog(QAction* action, What what) {
        action->trigger();
        T* dialog = nullptr;
        QTRY_VERIFY((dialog = m_window->findChild<T*>()));
        what(*dialog);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    static QString textOf(const QWidget& sheet) {
        QString text;
        for (const QLabel* label : sheet.findChildren<QLabel*>()) text += label->text() + u'\n';
        return text;
    }
    static void accept(QDialog& dialog) { QMetaObject::invokeMethod(&dialog, "accept"); }

    void startUp() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code() &&
                    document().picture().scene());
    }
};

} // namespace ui
