// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// One self-contained HTML page: no scripts, no external resources, light or dark like the reader's system. All text is
/// escaped.
class Page {
public:
    explicit Page(std::string_view title); ///< Starts a page with a title.

    /// Starts a section, to which the list at the top of the page links.
    void section(std::string_view title);
    void paragraph(std::string_view text); ///< Adds a paragraph.
    /// Adds a note about missing or truncated content, with the remedy.
    void note(std::string_view text);
    using Row = std::vector<std::string>; ///< the cells of a row
    /// Adds a table. The first `left` columns are left-aligned, the others, numbers, right-aligned.
    void table(const Row& head, const std::vector<Row>& rows, std::size_t left);
    void code(std::string_view text); ///< Adds a block of code.
    /// Adds lines as `diff` prints them, coloured by their first character: `+` added, `-` removed, `~` changed.
    void differences(const std::vector<std::string>& lines);
    /// Adds a picture; `svg` is markup.
    void picture(std::string_view caption, std::string_view svg);
    /// Returns the whole page.
    std::string text() const;

private:
    void element(const char* name, std::string_view text, const char* style = nullptr);

    std::string m_title, m_list, m_body;
    int m_sections = 0;
};

} // namespace app
