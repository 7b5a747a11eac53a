// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/source/source_message.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/wrapped_label.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLocale>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui {

int faultLine(const fx::SourceFault& fault) { return static_cast<int>(fault.error.textPlace.line); }

const fx::SourceFault* mainFault(const fx::SourceTrace& trace) {
    return trace.faults.empty() ? nullptr : &trace.faults.front();
}

QString faultText(const fx::SourceFault& fault, const QString& path) {
    const fx::Message& message = fault.error.message();
    // "could not trace Net: REASON": where one is typing, the reason is enough.
    const std::string reason = message.is("trace.source_failed") ? message.argument("reason") : message.text();
    QString place;
    if (const int line = faultLine(fault)) place = SourceMessage::tr("Line %1").arg(line);
    const QString file = fromCore(fault.file);
    if (!file.isEmpty() && file != path)
        place = place.isEmpty()
                    ? QFileInfo(file).fileName()
                    : SourceMessage::tr("%1, line %2").arg(QFileInfo(file).fileName()).arg(faultLine(fault));
    QString text = elidedLines(reason, 600);
    if (!fault.error.modulePath.empty())
        text += SourceMessage::tr(" (module %1)").arg(elided(fault.error.modulePath, 120));
    return place.isEmpty() ? text : place + QStringLiteral(": ") + text;
}

SourceMessage::SourceMessage(QWidget* parent)
    : QFrame(parent), m_icon(new QToolButton(this)), m_what(new WrappedLabel(this)), m_remedy(new WrappedLabel(this)) {
    setObjectName(QStringLiteral("codeEditBar"));
    m_icon->setAutoRaise(true);
    m_icon->setAccessibleName(tr("Go to the error"));
    for (QLabel* label : {m_what, m_remedy}) {
        label->setTextFormat(Qt::PlainText);
        label->installEventFilter(this);
    }
    m_what->setAccessibleName(tr("What tracing found"));
    m_remedy->setProperty("role", "muted");
    auto* texts = new QVBoxLayout;
    texts->setSpacing(2);
    texts->addWidget(m_what);
    texts->addWidget(m_remedy);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(4, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addLayout(texts, 1);
    connect(m_icon, &QToolButton::clicked, this, &SourceMessage::placeRequested);
}

void SourceMessage::show(const DocumentSource& source, const fx::GraphModule* edited) {
    const fx::SourceTrace& trace = *source.trace();
    const fx::SourceFault* fault = mainFault(trace);
    const bool missing = !fault && !source.weightsProblem().isEmpty();
    m_icon->setIcon(icon(fault ? QStringLiteral("error") : missing ? QStringLiteral("warning") : QStringLiteral("ok")));
    m_icon->setEnabled(fault);
    m_icon->setToolTip(fault ? tr("Go to the error (F8)") : QString());
    QString what, remedy;
    if (fault) {
        what = faultText(*fault, source.path());
        if (trace.faults.size() > 1) what += tr("  ·  %n more", nullptr, static_cast<int>(trace.faults.size()) - 1);
        remedy = elidedLines(fault->error.hint, 600);
    } else if (missing) {
        what = tr("%1: no weights").arg(fromCore(trace.name));
        remedy = source.weightsProblem();
    } else if (trace.module) {
        what = fromCore(trace.name) + QStringLiteral(": ") +
               counted(trace.module->graph.size(), tr("1 node"), tr("%1 nodes"));
        if (edited)
            what += tr(" in the source  ·  ") +
                    counted(edited->graph.size(), tr("1 node in the edited graph"), tr("%1 nodes in the edited graph"));
        if (!source.isDrawn()) what += tr("  ·  drawing weights…");
    }
    m_what->setText(what);
    m_what->setCursor(fault ? Qt::PointingHandCursor : Qt::ArrowCursor);
    m_what->setProperty("state", fault ? "error" : missing ? "warning" : "");
    m_what->setStyle(style()); // takes up the changed property
    m_remedy->setText(remedy);
    m_remedy->setVisible(!remedy.isEmpty());
}

QString SourceMessage::text() const {
    return m_remedy->isHidden() ? m_what->text() : m_what->text() + u'\n' + m_remedy->text();
}

bool SourceMessage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease && m_icon->isEnabled()) Q_EMIT placeRequested();
    return QFrame::eventFilter(watched, event);
}

} // namespace ui
