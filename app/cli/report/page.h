// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// One self-contained HTML page: no scripts, nothing from outside, light or dark as the reader's system is. All text is
/// escaped.
class Page {
public:
    explicit Page(std::string_view title);

    /// Starts a section, which the list at the top of the page links to.
    void section(std::string_view title);
    void paragraph(std::string_view text);
    /// What is missing or cut, and what to do.
    void note(std::string_view text);
    using Row = std::vector<std::string>;
    /// The first `left` columns lean to the left, the others, numbers, to the right.
    void table(const Row& head, const std::vector<Row>& rows, std::size_t left);
    void code(std::string_view text);
    /// Lines as `diff` prints them: `+` in the colour of what is new, `-` of what is gone, `~` of what changed.
    void differences(const std::vector<std::string>& lines);
    /// `svg` is markup already.
    void picture(std::string_view caption, std::string_view svg);
    /// The whole page.
    std::string text() const;

private:
    void element(const char* name, std::string_view text, const char* style = nullptr);

    std::string m_title, m_list, m_body;
    int m_sections = 0;
};

} // namespace app
