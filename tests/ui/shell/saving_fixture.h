// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/open.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/save_path.h"

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <functional>

namespace ui {

/// A window whose documents are saved, with answers to its questions.
class SavingFixture : public QObject {
protected:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    int m_crashes = 0;
    QStringList m_asked; ///< texts of the boxes that were answered

    QString file(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    /// Copies of the journals that nobody holds: the next start would find them after a crash now.
    auto asACrashLeavesThem() {
        const QString copies = m_folder->filePath(QStringLiteral("copies%1").arg(++m_crashes));
        const QString journals = QString::fromStdString(fx::Journal::defaultFolder());
        const bool isDone = QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), journals, copies}) == 0;
        return fx::orphanedJournals(isDone ? copies.toStdString() : std::string());
    }
    QTabWidget* tabs() const { return m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }
    Document* open(const QString& path) {
        m_window->openFile(path);
        Document* document = m_window->currentDocument();
        const auto ready = [&] {
            return document->state() == Document::State::Ready && document->facts().code() &&
                   document->picture().scene();
        };
        return QTest::qWaitFor(ready, 20'000) ? document : nullptr;
    }
    /// A copy of a sample in the folder of the test.
    Document* openCopy(const char* name) {
        QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), file(name));
        return open(file(name));
    }
    static bool rename(Document& document, const char* from, const char* to) {
        return document.versions().edit(QStringLiteral("Rename"), fx::StepList().rename(from, to));
    }
    static QByteArray bytesOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static bool holds(const QString& path, const char* node) {
        return fx::openModel(path.toStdString())->graph.find(node) != fx::kNoNode;
    }
    /// Clicks the button of this text in the next box, whenever it comes. Each is as wide as a line is easily read.
    void answer(const QString& button, int tries = 200) {
        QTimer::singleShot(10, this, [this, button, tries] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box && tries > 0) return answer(button, tries - 1);
            QVERIFY(box);
            m_asked << box->text() + u'|' + box->informativeText();
            QVERIFY2(box->width() >= 64 * box->fontMetrics().averageCharWidth(), qPrintable(box->text()));
            QVERIFY2(box->width() <= 1280, qPrintable(box->text()));
            QVERIFY2(box->height() <= 800, qPrintable(box->text()));
            for (QAbstractButton* each : box->buttons())
                if (each->text().remove(u'&') == button) return each->click();
            const QString text = box->text();
            box->reject();
            QFAIL(qPrintable(QStringLiteral("no button %1: %2").arg(button, text)));
        });
    }
    /// Acts on the file dialog when it is there, and so many boxes have been answered. It reads its folder first, and
    /// would put its own proposal in place of a name that is typed before that.
    void whenFileDialog(const std::function<void(QFileDialog*)>& act, qsizetype asked = 0, int tries = 400) {
        QTimer::singleShot(10, this, [this, act, asked, tries] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if ((!dialog || m_asked.size() < asked) && tries > 0) return whenFileDialog(act, asked, tries - 1);
            QVERIFY(dialog);
            QTimer::singleShot(150, dialog, [act, dialog] { act(dialog); });
        });
    }
    static void click(const QWidget& parent, const QString& text) {
        for (QPushButton* button : parent.findChildren<QPushButton*>())
            if (button->text() == text) return button->click();
        QFAIL(qPrintable(QStringLiteral("no button ") + text));
    }

    /// Types a name into the next file dialog, answers the box that follows, and gives the dialog up when it is there
    /// again.
    void typeInDialog(const char* name, const char* button) {
        whenFileDialog([this, name, button](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QLatin1String(name));
            answer(QLatin1String(button));
            whenFileDialog([](QFileDialog* again) { again->reject(); }, m_asked.size() + 1);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
    }

    void startUp() {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        m_settings->setLastFolder(m_folder->path());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        m_asked.clear();
    }
};

} // namespace ui
