// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon.h"

#include "ui/widgets/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace ui {
namespace {

/// Renders an SVG whose `currentColor` is the theme's; pixmaps are kept by QPixmapCache.
class ThemedIconEngine final : public QIconEngine {
public:
    explicit ThemedIconEngine(QString name) : m_name(std::move(name)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const qreal ratio = painter->device() ? painter->device()->devicePixelRatioF() : 1;
        painter->drawPixmap(rect, scaledPixmap(rect.size() * ratio, mode, state, ratio));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
        const QColor color = colorFor(mode, state);
        const QString key =
            QStringLiteral("lancet-icon/%1/%2/%3x%4").arg(m_name, color.name()).arg(size.width()).arg(size.height());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QFile file(QStringLiteral(":/lancet/icons/%1.svg").arg(m_name));
        if (!file.open(QIODevice::ReadOnly)) return pixmap;
        QSvgRenderer renderer(file.readAll().replace("currentColor", color.name().toLatin1()));
        QPainter painter(&pixmap);
        renderer.render(&painter);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }
    QIconEngine* clone() const override { return new ThemedIconEngine(m_name); }
    QString key() const override { return QStringLiteral("lancet"); }

private:
    static QColor colorFor(QIcon::Mode mode, QIcon::State state) {
        if (mode == QIcon::Disabled) return theme().edge;
        return state == QIcon::On || mode == QIcon::Selected ? theme().accent : theme().text;
    }
    QString m_name;
};

} // namespace

QIcon icon(const QString& name) { return QIcon(new ThemedIconEngine(name)); }

} // namespace ui
