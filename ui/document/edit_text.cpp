// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/edit_text.h"

#include "ui/widgets/core_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

struct Verb {
    const char *present, *past;
};

/// Those with which the names of edits begin.
constexpr Verb kVerbs[] = {
    {QT_TRANSLATE_NOOP("EditText", "Change"), QT_TRANSLATE_NOOP("EditText", "Changed")},
    {QT_TRANSLATE_NOOP("EditText", "Connect"), QT_TRANSLATE_NOOP("EditText", "Connected")},
    {QT_TRANSLATE_NOOP("EditText", "Edit"), QT_TRANSLATE_NOOP("EditText", "Edited")},
    {QT_TRANSLATE_NOOP("EditText", "Erase"), QT_TRANSLATE_NOOP("EditText", "Erased")},
    {QT_TRANSLATE_NOOP("EditText", "Expand"), QT_TRANSLATE_NOOP("EditText", "Expanded")},
    {QT_TRANSLATE_NOOP("EditText", "Fuse"), QT_TRANSLATE_NOOP("EditText", "Fused")},
    {QT_TRANSLATE_NOOP("EditText", "Insert"), QT_TRANSLATE_NOOP("EditText", "Inserted")},
    {QT_TRANSLATE_NOOP("EditText", "Paste"), QT_TRANSLATE_NOOP("EditText", "Pasted")},
    {QT_TRANSLATE_NOOP("EditText", "Prepare"), QT_TRANSLATE_NOOP("EditText", "Prepared")},
    {QT_TRANSLATE_NOOP("EditText", "Quantise"), QT_TRANSLATE_NOOP("EditText", "Quantised")},
    {QT_TRANSLATE_NOOP("EditText", "Remove"), QT_TRANSLATE_NOOP("EditText", "Removed")},
    {QT_TRANSLATE_NOOP("EditText", "Rename"), QT_TRANSLATE_NOOP("EditText", "Renamed")},
    {QT_TRANSLATE_NOOP("EditText", "Replace"), QT_TRANSLATE_NOOP("EditText", "Replaced")},
    {QT_TRANSLATE_NOOP("EditText", "Set"), QT_TRANSLATE_NOOP("EditText", "Set")},
    {QT_TRANSLATE_NOOP("EditText", "Split"), QT_TRANSLATE_NOOP("EditText", "Split")},
};

QString say(const char* text) { return QCoreApplication::translate("EditText", text); }

} // namespace

QString doneText(const QString& name, const QString& remark) {
    const auto begins = [&](const Verb& verb) { return name.startsWith(say(verb.present) + u' '); };
    const auto verb = std::find_if(std::begin(kVerbs), std::end(kVerbs), begins);
    const QString done = verb == std::end(kVerbs) ? say("Applied %1.").arg(name)
                                                  : say(verb->past) + name.mid(say(verb->present).size()) + u'.';
    return (remark.isEmpty() ? done : done + u' ' + remark) + u' ' + say("Press Ctrl+Z to undo.");
}

QString randomWeightsText(const std::vector<std::string>& modules, std::size_t named) {
    if (modules.empty()) return {};
    QStringList names;
    for (std::size_t i = 0; i < std::min(modules.size(), named); ++i)
        names << (modules[i].empty() ? say("the model") : fromCore(modules[i]));
    const QString text = say("New random weights: %1").arg(names.join(QStringLiteral(", ")));
    return modules.size() > named ? say("%1 and %2 more").arg(text).arg(modules.size() - named) : text;
}

} // namespace ui
