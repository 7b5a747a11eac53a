// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_operations.h"

#include <algorithm>

namespace ui {

bool DocumentOperations::isRunning(Kind kind) const {
    return std::any_of(m_running.begin(), m_running.end(), [&](const Operation& each) { return each.kind == kind; });
}

bool DocumentOperations::isWriting() const {
    return std::any_of(m_running.begin(), m_running.end(), [](const Operation& each) { return writes(each.kind); });
}

DocumentOperations::Id DocumentOperations::begin(Kind kind, const QString& label, std::function<void()> cancel) {
    static Id last = 0; // GUI thread only
    m_running.push_back({++last, kind, label, {}, 0, false, false, std::move(cancel), {}});
    Q_EMIT changed();
    return last;
}

DocumentOperations::Operation* DocumentOperations::find(Id id) {
    const auto at =
        std::find_if(m_running.begin(), m_running.end(), [&](const Operation& each) { return each.id == id; });
    return at == m_running.end() ? nullptr : &*at;
}

void DocumentOperations::retitle(const QString& from, const QString& to) {
    if (from.isEmpty() || from == to) return;
    for (Operation& each : m_running)
        if (!writes(each.kind) && each.label.endsWith(u' ' + from)) each.label = each.label.chopped(from.size()) + to;
    Q_EMIT changed();
}

void DocumentOperations::setCancel(Id id, std::function<void()> cancel) {
    if (Operation* operation = find(id)) operation->cancel = std::move(cancel);
}

void DocumentOperations::report(Id id, const QString& what, double done) {
    Operation* operation = find(id);
    if (!operation) return;
    operation->what = what;
    operation->done = done;
    operation->waits = false;
    Q_EMIT changed();
}

void DocumentOperations::setWaiting(Id id) {
    Operation* operation = find(id);
    if (!operation || std::exchange(operation->waits, true)) return;
    Q_EMIT changed();
}

void DocumentOperations::setAsking(Id id, bool asks) {
    Operation* operation = find(id);
    if (!operation || std::exchange(operation->asks, asks) == asks) return;
    Q_EMIT changed();
}

void DocumentOperations::end(Id id) {
    if (std::erase_if(m_running, [&](const Operation& each) { return each.id == id; }) > 0) Q_EMIT changed();
}

void DocumentOperations::cancel(Id id) {
    if (const Operation* operation = find(id))
        if (const auto stop = operation->cancel) stop(); // a copy: it ends the operation
}

void DocumentOperations::cancel(Kind kind) {
    const std::vector<Operation> operations = m_running;
    for (const Operation& each : operations)
        if (each.kind == kind) cancel(each.id);
}

} // namespace ui
