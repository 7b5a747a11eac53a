// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"

namespace ui {

/// A short piece of Python that the user writes: a pattern, a replacement. A line with an error is marked.
class CodeField final : public CodeView {
    Q_OBJECT
public:
    explicit CodeField(QWidget* parent = nullptr);

    QByteArray source() const { return text().toUtf8(); }
    /// Replaces the text; Ctrl+Z takes it back.
    void setSource(const QByteArray& source);
    /// Marks a line (0-based) as wrong; -1: none.
    void markError(int line);

Q_SIGNALS:
    void edited(); ///< by the user or by setSource

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void colourError();
};

} // namespace ui
