// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/exporter.h"

#include "core/codegen/module_source.h"
#include "core/files/replaced_file.h"
#include "core/layout/dot_text.h"
#include "core/layout/svg.h"
#include "ui/canvas/canvas_painter.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QtMath>

#include <cmath>
#include <unordered_set>

namespace ui {

namespace {

constexpr double kMostPixels = 64e6, kAround = 24;

std::shared_ptr<const Scene> sceneOf(const ExportRequest& request, const fx::Progress& progress) {
    if (!request.scene) throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.no_picture"));
    auto scene = request.scene;
    const bool banded = request.look && request.look->bands; // whose places are those of the scene
    if (request.layout && !banded) {
        fx::Layout layout(request.module);
        fx::Picture picture = layout.layered(*request.layout, progress);
        if (auto refined = layout.refined(*request.layout, progress)) picture = std::move(*refined);
        scene = Scene::make(std::make_shared<const fx::Picture>(std::move(picture)), request.module);
    }
    if (request.only.empty()) return scene;
    return Scene::make(std::make_shared<const fx::Picture>(partOf(scene->picture(), request.only)), request.module);
}

QFont legendFont() {
    QFont font = semiboldFont(); // 13 pixels at 100 %, as the names of nodes
    font.setPixelSize(13);
    font.setWeight(QFont::Normal);
    return font;
}

/// Where the legend is, below the picture; empty without one.
fx::Rect legendArea(const Scene& scene, const ExportRequest& request) {
    if (request.legend.empty()) return {};
    const fx::Rect& all = scene.picture().bounds;
    const double width = std::max(all.w, 320.0);
    return {all.x, all.bottom() + kAround, width, legendHeight(request.legend, width, legendFont())};
}

fx::Rect areaOf(const Scene& scene, const ExportRequest& request) {
    const fx::Rect& all = scene.picture().bounds;
    const fx::Rect legend = legendArea(scene, request);
    const double w = std::max(all.w, legend.w), h = all.h + (legend.h > 0 ? legend.h + kAround : 0);
    return {all.x - kAround, all.y - kAround, w + 2 * kAround, h + 2 * kAround};
}

/// `area` grown in one direction to the proportions of `size`.
fx::Rect proportioned(fx::Rect area, QSize size) {
    const double wanted = static_cast<double>(size.width()) / size.height();
    const double w = std::max(area.w, area.h * wanted), h = std::max(area.h, area.w / wanted);
    return {area.x - (w - area.w) / 2, area.y - (h - area.h) / 2, w, h};
}

/// Paints `area` into `target`; as shapes and text only, for pixmaps belong to the GUI thread.
void paint(QPainter& painter, const QRectF& target, const fx::Rect& area, const ExportRequest& request,
           std::shared_ptr<const Scene> scene) {
    CanvasState state;
    state.scene = std::move(scene);
    state.flags.assign(state.scene->itemCount(), 0);
    for (const fx::NodeId node : request.marked)
        for (ItemIndex item = state.scene->itemOf(node); item != kNoItem; item = state.scene->nextCopy(item))
            state.flags[item] = CanvasState::Selected;
    CanvasLook::put(request.look, state);
    Camera camera;
    camera.zoom = std::min(target.width() / area.w, target.height() / area.h);
    camera.origin = QPointF(area.x, area.y);
    const CanvasFonts fonts;
    if (!request.transparent) painter.fillRect(target, request.theme.canvas);
    painter.setRenderHint(QPainter::Antialiasing);
    const Frame frame{painter, state, fonts, request.theme, camera, target, 1, true};
    CanvasPainter(frame).paint();
    const fx::Rect legend = legendArea(*state.scene, request);
    if (legend.h <= 0) return;
    painter.translate(camera.toScreen(fx::Point{legend.x, legend.y}));
    painter.scale(camera.zoom, camera.zoom);
    paintLegend(painter, QRectF(0, 0, legend.w, legend.h), request.legend, request.theme, legendFont());
}

/// As the canvas draws it, for core's own writer knows the kinds of nodes alone.
QByteArray colouredSvg(const ExportRequest& request, const std::shared_ptr<const Scene>& scene) {
    const fx::Rect area = areaOf(*scene, request);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator writer;
    writer.setOutputDevice(&buffer);
    writer.setSize(QSize(qCeil(area.w), qCeil(area.h)));
    writer.setViewBox(QRectF(0, 0, area.w, area.h));
    writer.setTitle(request.title);
    QPainter painter(&writer);
    paint(painter, QRectF(0, 0, area.w, area.h), area, request, scene);
    painter.end();
    return buffer.data();
}

QByteArray pngBytes(const ExportRequest& request, const fx::Progress& progress) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    exportImage(request, progress).save(&buffer, "PNG");
    return buffer.data();
}

/// One page: of a paper size, or of the size of the picture; PDF ends at 200 inches, so larger pictures are scaled.
QPageSize pageOf(const ExportRequest& request, const fx::Rect& area) {
    if (request.page.isValid() && !request.page.isEmpty())
        return QPageSize(area.w > area.h ? request.page.transposed() : request.page, QPageSize::Point, {},
                         QPageSize::ExactMatch);
    const double scale = std::min(0.75, 14'000 / std::max({area.w, area.h, 1.0})); // points a unit
    return QPageSize(QSizeF(area.w * scale, area.h * scale), QPageSize::Point, {}, QPageSize::ExactMatch);
}

QByteArray pdfBytes(const ExportRequest& request, const fx::Progress& progress) {
    const auto scene = sceneOf(request, progress);
    const fx::Rect area = areaOf(*scene, request);
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setPageSize(pageOf(request, area));
    writer.setPageMargins(QMarginsF());
    writer.setTitle(request.title);
    writer.setCreator(QStringLiteral("Lancet"));
    QPainter painter(&writer);
    const QRectF page(0, 0, writer.width(), writer.height());
    paint(painter, page, proportioned(area, page.size().toSize()), request, scene);
    painter.end();
    return buffer.data();
}

std::string source(const ExportRequest& request) {
    QString name = request.title;
    for (QChar& c : name)
        if (!c.isPrint()) c = u'?';
    return fx::moduleSource(*request.module, "Written by lancet " LANCET_VERSION " from " + name.toStdString() +
                                                 ". Weights are not in it.");
}

} // namespace

ExportKind exportKindOf(const QString& path) {
    const std::pair<const char*, ExportKind> endings[] = {{".png", ExportKind::Png},
                                                          {".svg", ExportKind::Svg},
                                                          {".pdf", ExportKind::Pdf},
                                                          {".dot", ExportKind::Dot},
                                                          {".py", ExportKind::Code}};
    for (const auto& [ending, kind] : endings)
        if (path.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) return kind;
    throw fx::Error(fx::ErrorKind::Usage, fx::Message("window.picture_name")).in(path.toStdString());
}

fx::Picture partOf(const fx::Picture& picture, const std::vector<fx::NodeId>& nodes) {
    constexpr std::uint32_t kGone = 0xFFFFFFFFu;
    const std::unordered_set<fx::NodeId> wanted(nodes.begin(), nodes.end());
    fx::Picture part;
    part.direction = picture.direction;
    std::vector<std::uint32_t> place(picture.nodes.size(), kGone);
    double left = 1e18, top = 1e18, right = -1e18, bottom = -1e18;
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        if (!wanted.contains(picture.nodes[i].node)) continue;
        place[i] = static_cast<std::uint32_t>(part.nodes.size());
        part.nodes.push_back(picture.nodes[i]);
        part.nodes.back().group = fx::kNoGroup;
        const fx::Rect& rect = picture.nodes[i].rect;
        left = std::min(left, rect.x), top = std::min(top, rect.y);
        right = std::max(right, rect.right()), bottom = std::max(bottom, rect.bottom());
    }
    for (const fx::EdgeItem& edge : picture.edges) {
        if (edge.from >= place.size() || edge.to >= place.size() || place[edge.from] == kGone ||
            place[edge.to] == kGone)
            continue;
        part.edges.push_back(edge);
        part.edges.back().from = place[edge.from];
        part.edges.back().to = place[edge.to];
        for (const fx::Point& point : edge.points) {
            left = std::min(left, point.x), top = std::min(top, point.y);
            right = std::max(right, point.x), bottom = std::max(bottom, point.y);
        }
    }
    if (part.nodes.empty()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.not_drawn"));
    part.bounds = {left, top, right - left, bottom - top};
    return part;
}

QSizeF exportArea(const ExportRequest& request, const fx::Progress& progress) {
    const fx::Rect area = areaOf(*sceneOf(request, progress), request);
    return {area.w, area.h};
}

QSize imageSize(const QSizeF& area, int percent) {
    const double all = std::max(area.width() * area.height(), 1.0);
    const double scale = std::min(percent / 100.0, std::sqrt(kMostPixels / all));
    return {std::max(1, static_cast<int>(area.width() * scale)), std::max(1, static_cast<int>(area.height() * scale))};
}

QImage exportImage(const ExportRequest& request, const fx::Progress& progress) {
    const auto scene = sceneOf(request, progress);
    fx::Rect area = areaOf(*scene, request);
    if (request.size.isValid()) area = proportioned(area, request.size);
    const QSize size = request.size.isValid() ? request.size : imageSize({area.w, area.h}, request.percent);
    QImage image(size, request.transparent ? QImage::Format_ARGB32_Premultiplied : QImage::Format_RGB32);
    if (image.isNull()) throw fx::Error(fx::ErrorKind::Refused, fx::Message("window.picture_memory"));
    if (request.transparent) image.fill(Qt::transparent);
    QPainter painter(&image);
    paint(painter, QRectF(QPointF(), QSizeF(size)), area, request, scene);
    return image;
}

QByteArray exportBytes(const ExportRequest& request, const fx::Progress& progress) {
    progress.check();
    switch (request.kind) {
    case ExportKind::Png: return pngBytes(request, progress);
    case ExportKind::Pdf: return pdfBytes(request, progress);
    case ExportKind::Code: return QByteArray::fromStdString(source(request));
    default: break;
    }
    const auto scene = sceneOf(request, progress);
    if (request.kind == ExportKind::Dot)
        return QByteArray::fromStdString(fx::toDot(scene->picture(), request.module->graph));
    if (request.look) return colouredSvg(request, scene);
    return QByteArray::fromStdString(fx::toSvg(scene->picture(), request.module->graph,
                                               request.theme.dark ? fx::SvgTheme::Dark : fx::SvgTheme::Light, {},
                                               nullptr, !request.transparent));
}

void exportTo(const QString& path, const ExportRequest& request, const fx::Progress& progress) {
    const QByteArray bytes = exportBytes(request, progress);
    fx::ReplacedFile file(path.toStdString());
    file.write({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    file.commit();
}

} // namespace ui
