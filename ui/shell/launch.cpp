// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/launch.h"

#include "core/base/visible_text.h"
#include "core/files/leftovers.h"
#include "core/files/private_folder.h"
#include "core/files/temporary_folder.h"
#include "core/inputs/input_spec.h"
#include "core/remote/script_message.h"
#include "ui/document/document.h"
#include "ui/run/run_center.h"
#include "ui/shell/hand_over.h"
#include "ui/shell/headless.h"
#include "ui/shell/run_window.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/readable_width.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDeadlineTimer>
#include <QMessageBox>
#include <QProcess>
#include <QThread>
#include <QTimer>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace ui {

namespace {

/// The application; what a slot throws ends here as a message instead of ending the program.
class Application final : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception& error) {
            const QString text = linesFromCore(error.what());
            QMetaObject::invokeMethod(
                this,
                [text] {
                    QMessageBox box(QMessageBox::Warning,
                                    QCoreApplication::translate("ui::Application", "Could not complete the action"),
                                    text, QMessageBox::Ok, QApplication::activeWindow());
                    box.setTextFormat(Qt::PlainText);
                    setReadableWidth(box);
                    box.exec();
                },
                Qt::QueuedConnection);
            return false;
        }
    }
};

int fail(const fx::Error& error) {
    std::fprintf(stderr, "lancet-gui: error: %s\n", fx::visibleLine(error.what()).c_str());
    for (const auto& [label, text] : {std::pair{"file", error.file},
                                      {"where", error.where},
                                      {"node", error.node},
                                      {"module", error.modulePath},
                                      {"source", error.source},
                                      {"hint", error.hint},
                                      {"hint", error.commandLineHint}})
        if (!text.empty()) std::fprintf(stderr, "  %s: %s\n", label, fx::visibleText(text).c_str());
    const int codes[] = {2, 3, 4, 5, 6};
    return codes[static_cast<std::size_t>(error.kind())];
}

bool wantsNoDisplay(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], "--render", 8) == 0) return true;
    return qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
}

[[noreturn]] void usage(const QString& what) {
    throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.window_usage", {{"detail", what.toStdString()}}));
}

QSize sizeOf(const QString& text) {
    const QStringList parts = text.split(u'x');
    const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
    if (size.width() < 1 || size.height() < 1 || size.width() > 20'000 || size.height() > 20'000)
        usage(QStringLiteral("--window wants WIDTHxHEIGHT, as 1600x1000, not %1").arg(text));
    return size;
}

template<class Value>
Value oneOf(const QString& option, const QString& word, std::initializer_list<std::pair<const char*, Value>> known) {
    QStringList words;
    for (const auto& [name, value] : known) {
        if (word == QLatin1String(name)) return value;
        words << QLatin1String(name);
    }
    usage(QStringLiteral("--%1 wants %2, not %3").arg(option, words.join(QStringLiteral(" or ")), word));
}

QJsonObject readInputs(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) usage(QStringLiteral("--inputs: cannot read %1").arg(path));
    const QByteArray text = file.readAll();
    fx::inputsFromJson(text.toStdString());
    return QJsonDocument::fromJson(text).object();
}

LaunchOptions readCommandLine(const QStringList& arguments) {
    using Engine = fx::LayoutOptions::Engine;
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("The window of Lancet: opens traced PyTorch models, draws their graphs, shows their code."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("files to open"),
                                 QStringLiteral("[MODEL...]"));
    const auto option = [&](const char* name, const char* value, const char* about) {
        parser.addOption({QLatin1String(name), QLatin1String(about), QLatin1String(value)});
    };
    option("render", "FILE", "draw the model into a .png, .svg or .pdf file, without a window");
    option("screenshot", "FILE", "write what the window shows once the model is loaded, and quit");
    option("expand", "PATH", "open this group; all or none; may be repeated");
    option("select", "NODE", "mark this node; may be repeated");
    option("direction", "TB|LR", "top-down or left-right");
    option("engine", "NAME", "auto, layered or dot");
    option("window", "WxH", "size of the window, or of the picture");
    option("theme", "NAME", "light, dark or system");
    option("inputs", "FILE", "inputs to run the files with, as JSON");
    parser.addOption({QStringLiteral("new-window"), QStringLiteral("open a window of its own, even if one is open")});
    parser.addOption({QStringLiteral("wait"), QStringLiteral("return when the files are closed in the window")});
    if (!parser.parse(arguments)) usage(parser.errorText());
    if (parser.isSet(QStringLiteral("help"))) {
        std::fputs(qPrintable(parser.helpText().trimmed() + u'\n'), stdout);
        std::exit(0);
    }
    if (parser.isSet(QStringLiteral("version"))) parser.showVersion();
    LaunchOptions options;
    const auto value = [&](const char* name) { return parser.value(QLatin1String(name)); };
    options.models = parser.positionalArguments();
    options.render = parser.value(QStringLiteral("render"));
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    if (parser.isSet(QStringLiteral("inputs"))) options.inputs = readInputs(value("inputs"));
    options.newWindow = parser.isSet(QStringLiteral("new-window"));
    options.wait = parser.isSet(QStringLiteral("wait"));
    options.expand = parser.values(QStringLiteral("expand"));
    options.select = parser.values(QStringLiteral("select"));
    if (parser.isSet(QStringLiteral("direction")))
        options.direction = oneOf<fx::Direction>(QStringLiteral("direction"), value("direction"),
                                                 {{"TB", fx::Direction::TopDown}, {"LR", fx::Direction::LeftRight}});
    if (parser.isSet(QStringLiteral("engine")))
        options.engine = oneOf<Engine>(QStringLiteral("engine"), value("engine"),
                                       {{"auto", Engine::Auto}, {"layered", Engine::Layered}, {"dot", Engine::Dot}});
    if (parser.isSet(QStringLiteral("window"))) options.window = sizeOf(value("window"));
    if (parser.isSet(QStringLiteral("theme")))
        options.theme = oneOf<ThemeChoice>(
            QStringLiteral("theme"), value("theme"),
            {{"light", ThemeChoice::Light}, {"dark", ThemeChoice::Dark}, {"system", ThemeChoice::System}});
    if (!options.render.isEmpty() && options.models.size() != 1) usage(QStringLiteral("--render wants one MODEL"));
    if (options.wait && (options.models.isEmpty() || options.newWindow))
        usage(QStringLiteral("--wait wants a MODEL, and goes without --new-window"));
    return options;
}

/// Another window shows the files: one that is open, or with --wait one that is started for them.
bool isLeftToOther(const LaunchOptions& options, const QString& name) {
    if (options.newWindow) return false;
    const auto isTaken = [&] {
        const Offer offer = offerFiles(name, options.models, options.inputs, options.wait);
        if (offer == Offer::Lost) throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.window_lost"));
        return offer == Offer::Taken;
    };
    if (isTaken()) return true;
    if (!options.wait) return false;
    QProcess::startDetached(QCoreApplication::applicationFilePath(), {});
    constexpr std::chrono::seconds kStart{20};
    for (const QDeadlineTimer patience(kStart); !patience.hasExpired(); QThread::msleep(50))
        if (isTaken()) return true;
    throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.window_not_started"));
}

int openWindow(const LaunchOptions& options, Settings& settings, const std::shared_ptr<fx::SourceReader>& python) {
    const QString meeting = handOverName(settings);
    const bool attended = options.screenshot.isEmpty();
    if (attended && isLeftToOther(options, meeting)) return 0;
    MainWindow window(settings, python);
    const auto open = [&](const QString& path, const QJsonObject& inputs) {
        if (!inputs.isEmpty())
            settings.setRunOf(path, QJsonDocument(QJsonObject{{QStringLiteral("inputs"), inputs}}).toJson());
        window.openFile(path);
    };
    HandOver handOver([&](const HandOver::File& file) -> QObject* {
        if (!file.path.isEmpty()) open(file.path, file.inputs);
        window.setWindowState(window.windowState() & ~Qt::WindowMinimized);
        window.raise();
        window.activateWindow();
        if (file.path.isEmpty()) return nullptr;
        if (file.isAwaited) window.currentDocument()->file().setAwaited(file.path);
        return window.currentDocument();
    });
    if (attended && !options.newWindow) handOver.listen(meeting);
    if (options.window.isValid()) window.resize(options.window);
    window.show();
    for (const QString& model : options.models) open(QFileInfo(model).absoluteFilePath(), options.inputs);
    if (options.direction && window.currentDocument())
        window.currentDocument()->picture().setDirection(*options.direction);
    if (attended) {
        QTimer::singleShot(0, &window.run().worker(), &WorkerService::warmUp); // once the window is up
        window.offerRecovery(QString::fromStdString(fx::Journal::defaultFolder()));
        return runUntilClosed(window, settings);
    }
    screenshot(window, options);
    return 0;
}

/// Without XDG_RUNTIME_DIR, Qt makes `runtime-USER` in the folder for temporary files, a name that others can take
/// first. It gets the usual folder, else one beside the journals, so that the windows of a user find each other; if
/// neither can be had, a folder of this process for as long as `own` lives.
void provideRuntimeFolder(std::optional<fx::TemporaryFolder>& own) {
    if (!qEnvironmentVariableIsEmpty("XDG_RUNTIME_DIR")) return;
    std::string folder = "/run/user/" + std::to_string(::geteuid());
    if (!fx::isPrivateFolder(folder)) {
        folder = std::filesystem::path(fx::Journal::defaultFolder()).parent_path() / "run";
        try {
            fx::makePrivateFolder(folder);
        } catch (const fx::Error&) { folder = own.emplace().path(); }
    }
    qputenv("XDG_RUNTIME_DIR", QByteArray::fromStdString(folder));
}

} // namespace

int launch(int argc, char** argv, const std::shared_ptr<fx::SourceReader>& python) {
    if (wantsNoDisplay(argc, argv) && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    QCoreApplication::setApplicationName(QStringLiteral("lancet"));
    QCoreApplication::setApplicationVersion(QStringLiteral(LANCET_VERSION));
    try {
        std::optional<fx::TemporaryFolder> runtime;
        provideRuntimeFolder(runtime);
        Application application(argc, argv);
        QGuiApplication::setApplicationDisplayName(QString());
        QGuiApplication::setDesktopFileName(QStringLiteral("lancet"));
        const LaunchOptions options = readCommandLine(QCoreApplication::arguments());
        if (!options.render.isEmpty()) {
            applyTheme(application, options.theme.value_or(ThemeChoice::Light));
            renderModel(options, {python, fx::remote::scriptsByWorker()});
            return 0;
        }
        // A picture must not depend on, nor change, what somebody set in their window.
        const bool unattended = !options.screenshot.isEmpty();
        std::optional<fx::TemporaryFolder> scratch;
        if (unattended) scratch.emplace();
        Settings settings = scratch ? Settings(QString::fromStdString(scratch->path() + "/settings.ini")) : Settings();
        if (!scratch) fx::removeLeftovers(fx::temporaryPlace());
        applyTheme(application, options.theme.value_or(unattended ? ThemeChoice::Light : settings.theme()));
        QApplication::setWindowIcon(icon(QStringLiteral("lancet")));
        return openWindow(options, settings, python);
    } catch (const fx::Error& error) { return fail(error); } catch (const std::exception& error) { // of a library
        std::fprintf(stderr, "lancet-gui: error: %s\n", fx::visibleLine(error.what()).c_str());
        return 5;
    }
}

} // namespace ui
