// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"

namespace ui {

/// An editor for a short piece of Python: a pattern or a replacement. Marks a line with an error.
class CodeField final : public CodeView {
    Q_OBJECT
public:
    explicit CodeField(QWidget* parent = nullptr);

    QByteArray source() const { return text().toUtf8(); }
    /// Replaces the text; Ctrl+Z undoes this.
    void setSource(const QByteArray& source);
    /// Shows another text: what was typed before cannot be undone into it.
    void showSource(const QByteArray& source);
    /// Marks the error in a line (0-based); -1 for none.
    void markError(int line);

Q_SIGNALS:
    void edited(); ///< by the user or by setSource

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void colourError();
    void fitScrollWidth();
};

} // namespace ui
