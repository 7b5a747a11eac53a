// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_view.h"

namespace ui {

/// An editor for a short piece of Python: a pattern or a replacement. It marks a line with an error.
class CodeField final : public CodeView {
    Q_OBJECT
public:
    explicit CodeField(QWidget* parent = nullptr); ///< Creates an empty field.

    QByteArray source() const { return text().toUtf8(); } ///< The text, in UTF-8.
    /// Replaces the text; Ctrl+Z undoes this.
    void setSource(const QByteArray& source);
    /// Shows another text and clears the undo history.
    void showSource(const QByteArray& source);
    /// Marks the error in a 0-based line; -1 clears the mark.
    void markError(int line);

Q_SIGNALS:
    void edited(); ///< Emitted when the user or `setSource` changes the text.

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void colourError();
    void fitScrollWidth();
};

} // namespace ui
