// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/headless.h"

#include "core/files/replaced_file.h"
#include "core/model_files/open.h"
#include "ui/shell/document_page.h"
#include "ui/shell/exporter.h"
#include "ui/shell/window/main_window.h"

#include <QBuffer>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QFileInfo>
#include <QTimer>

namespace ui {

namespace {

fx::LayoutOptions layoutOptions(const fx::GraphModule& module, const LaunchOptions& options) {
    fx::LayoutOptions layout = fx::LayoutOptions::initialFor(module);
    if (!options.expand.isEmpty()) {
        layout.expandAll = options.expand.contains(QStringLiteral("all"));
        layout.expanded.clear();
        for (const QString& path : options.expand)
            if (path != QLatin1String("all") && path != QLatin1String("none"))
                layout.expanded.insert(path.toStdString());
    }
    if (options.direction) layout.direction = *options.direction;
    layout.engine = options.engine;
    return layout;
}

std::vector<fx::NodeId> namedNodes(const fx::Graph& graph, const QStringList& names) {
    std::vector<fx::NodeId> nodes;
    for (const QString& name : names) {
        const fx::NodeId node = graph.find(name.toStdString());
        if (node == fx::kNoNode)
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.unknown_node", {{"name", name.toStdString()}}));
        nodes.push_back(node);
    }
    return nodes;
}

/// Turns the event loop until `done`, at most a minute.
template<class Done> void waitUntil(Done done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < 60'000) {
        QEventLoop loop;
        QTimer::singleShot(10, &loop, &QEventLoop::quit);
        loop.exec();
    }
}

bool settled(const DocumentPage& page) {
    Document& document = page.document();
    if (document.state() == Document::State::Failed) return true;
    return document.state() == Document::State::Ready && document.picture().scene() && !document.picture().busy() &&
           document.facts().index() && document.facts().info();
}

} // namespace

void renderModel(const LaunchOptions& options, const fx::Readers& readers) {
    fx::OpenOptions opening;
    opening.readers = readers;
    const std::shared_ptr<const fx::GraphModule> module = fx::openModel(options.models.front().toStdString(), opening);
    fx::LayoutOptions layoutOption = layoutOptions(*module, options);
    layoutOption.fullNames = true;
    fx::Layout layout(module);
    fx::Picture picture = layout.layered(layoutOption);
    if (std::optional<fx::Picture> refined = layout.refined(layoutOption)) picture = std::move(*refined);
    ExportRequest request;
    request.kind = exportKindOf(options.render);
    request.module = module;
    request.scene = Scene::make(std::make_shared<const fx::Picture>(std::move(picture)), module);
    request.marked = namedNodes(module->graph, options.select);
    request.size = options.window;
    request.theme = theme();
    request.title = QFileInfo(options.models.front()).fileName();
    exportTo(options.render, request);
}

void screenshot(MainWindow& window, const LaunchOptions& options) {
    waitUntil([&] { return !window.currentPage() || settled(*window.currentPage()); });
    if (DocumentPage* page = window.currentPage(); page && page->document().state() == Document::State::Ready) {
        Document& document = page->document();
        const fx::LayoutOptions layout = layoutOptions(*document.module(), options);
        if (!options.expand.isEmpty()) {
            document.picture().setOptions(layout);
            waitUntil([&] { return settled(*page); });
        }
        const std::vector<fx::NodeId> nodes = namedNodes(document.module()->graph, options.select);
        if (nodes.size() == 1) document.selection().goTo(nodes.front(), nullptr);
        else if (!nodes.empty()) document.selection().select(nodes, nullptr);
    }
    // Refinement by dot, animations and tensor statistics come within this time.
    QElapsedTimer clock;
    clock.start();
    waitUntil([&] { return clock.elapsed() > 900; });
    const QPixmap shot = window.grab();
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    if (!shot.save(&buffer, QFileInfo(options.screenshot).suffix().toLatin1().constData()))
        throw fx::Error(fx::ErrorKind::File, fx::Message("window.no_picture_written"))
            .in(options.screenshot.toStdString());
    fx::ReplacedFile file(options.screenshot.toStdString());
    file.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    file.commit();
}

} // namespace ui
