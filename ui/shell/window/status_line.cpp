// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/status_line.h"

#include "ui/document/current_document.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/theme.h"

#include <QLabel>
#include <QLocale>
#include <QStatusBar>

namespace ui {

StatusLine::StatusLine(QStatusBar& bar, const CurrentDocument& document)
    : QObject(&bar), m_document(document), m_file(new QLabel(&bar)), m_counts(new QLabel(&bar)),
      m_picture(new QLabel(&bar)) {
    m_file->setFont(semiboldFont());
    for (QLabel* label : {m_file, m_counts, m_picture}) {
        label->setTextFormat(Qt::PlainText);
        label->setContentsMargins(8, 2, 8, 2);
    }
    m_picture->setProperty("role", "muted");
    bar.addWidget(m_file);
    bar.addWidget(m_counts);
    bar.addPermanentWidget(m_picture);
}

void StatusLine::update() {
    Document* document = m_document.get();
    m_file->setText(document ? document->file().title() : QString());
    m_file->setMaximumWidth(
        document ? QWIDGETSIZE_MAX : 0); // not hidden: the bar itself does that while it shows a message, and undoes it
    if (!m_document.ready()) {
        m_counts->setText(!document                                       ? tr("No file is open")
                          : document->state() == Document::State::Loading ? tr("opening…")
                                                                          : tr("not opened"));
        m_picture->clear();
        return;
    }
    const QLocale locale;
    const auto number = [&](std::size_t count) { return locale.toString(static_cast<qlonglong>(count)); };
    QString counts = counted(document->module()->graph.size(), tr("1 node"), tr("%1 nodes")) +
                     tr(" · %1 selected").arg(number(document->selection().nodes().size()));
    const auto hidden = document->picture().options().hidden.size();
    if (hidden > 0) counts += tr(" · %1 hidden").arg(number(hidden));
    m_counts->setText(counts);
    const auto& scene = document->picture().scene();
    m_picture->setText(
        scene
            ? tr("%1 drawn · layout %2\u00a0ms").arg(number(scene->itemCount())).arg(scene->picture().millis, 0, 'f', 0)
            : tr("laying out…"));
}

} // namespace ui
