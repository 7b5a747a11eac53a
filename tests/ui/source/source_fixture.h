// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/source/source_banner.h"
#include "ui/source/source_editor.h"
#include "ui/source/source_pane.h"

#include <QTemporaryDir>
#include <QTest>

namespace ui {

/// A window with Python source.
class SourceFixture : public QObject {
protected:
    inline static const QByteArray kNet =
        "import torch\n"
        "from torch import nn\n"
        "\n"
        "class Net(nn.Module):\n"
        "    def __init__(self, depth=2):\n"
        "        super().__init__()\n"
        "        self.layers = nn.Sequential(*[nn.Linear(4, 4) for _ in range(depth)])\n"
        "\n"
        "    def forward(self, x):\n"
        "        x = self.layers(x)\n"
        "        return torch.relu(x)\n";

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    DocumentSource& source() const { return *document().source(); }
    SourcePane& pane() const { return *m_window->currentPage()->sourcePane(); }
    SourceEditor& editor() const { return *pane().editor(); }
    SourceBanner& banner() const { return *m_window->currentPage()->findChild<SourceBanner*>(); }
    QString write(const char* name, const QByteArray& text) const {
        const QString path = m_folder->filePath(QLatin1String(name));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(text);
        return path;
    }
    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void open(const QString& path) {
        m_window->openFile(path);
        QTRY_VERIFY(document().state() == Document::State::Ready);
        QTRY_VERIFY(source().isCurrent());
        QVERIFY(m_window->currentPage()->sourcePane());
    }
    /// As if somebody had typed it: the editor tells it.
    void type(const QByteArray& text) {
        editor().typeText(text);
        Q_EMIT editor().typed();
        QTRY_VERIFY(source().isCurrent());
    }
    QString nodes() const {
        QStringList names;
        for (const fx::Node& node : document().module()->graph.nodes()) names << QString::fromStdString(node.name());
        return names.join(u' ');
    }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }

    void startUp(std::shared_ptr<fx::SourceReader> python = nullptr) {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
        m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
        m_window = std::make_unique<MainWindow>(*m_settings, std::move(python));
        m_window->resize(1600, 1000);
        m_window->show();
    }

    void shutDown() {
        m_window.reset();
        m_settings.reset();
    }
};

} // namespace ui
