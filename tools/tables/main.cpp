// SPDX-License-Identifier: GPL-3.0-or-later
// Turns a checked-in table of tab-separated text into constexpr arrays that hold no pointers:
//     lancet_table TABLE.tsv TABLE.inc NAME
// The first column of a row is its key; its last column holds further keys, separated by blanks. Lines that start
// with # are comments; \t, \n and \\ in a cell stand for themselves. Rows may leave out empty cells at the end.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using Row = std::vector<std::string>;

std::string unescaped(const std::string& cell) {
    std::string text;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const bool escape = cell[i] == '\\' && i + 1 < cell.size();
        const char c = escape ? cell[++i] : cell[i];
        text += !escape ? c : c == 't' ? '\t' : c == 'n' ? '\n' : c;
    }
    return text;
}

std::vector<Row> readRows(const char* path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(std::string("cannot read ") + path);
    std::vector<Row> rows;
    std::size_t columns = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        Row& row = rows.emplace_back();
        std::istringstream cells(line);
        for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(unescaped(cell));
        columns = std::max(columns, row.size());
    }
    for (Row& row : rows) row.resize(columns);
    return rows;
}

/// All texts one after the other; equal texts are kept once.
class TextPool {
public:
    std::string add(const std::string& text) {
        const auto [place, isNew] = m_places.try_emplace(text, m_text.size());
        if (isNew) m_text += text;
        return "{" + std::to_string(place->second) + ", " + std::to_string(text.size()) + "}";
    }

    void write(std::ostream& out, const std::string& name) const {
        out << "constexpr char k" << name << "Text[] =";
        for (std::size_t i = 0; i < m_text.size(); ++i) {
            if (i % 100 == 0) out << (i ? "\"\n\"" : "\n\"");
            const char c = m_text[i];
            if (c == '\n') out << "\\n";
            else if (c == '\t') out << "\\t";
            else if (c == '"' || c == '\\' || c == '?') out << '\\' << c;
            else out << c;
        }
        out << "\";\n";
    }

private:
    std::string m_text;
    std::unordered_map<std::string, std::size_t> m_places;
};

void writeTable(const std::vector<Row>& rows, std::ostream& out, const std::string& name) {
    TextPool pool;
    std::map<std::string, std::size_t> keys;
    std::ostringstream cells;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::istringstream words(rows[i].front() + " " + rows[i].back());
        for (std::string key; words >> key;)
            if (!keys.emplace(key, i).second) throw std::runtime_error("two rows have the key " + key);
        for (std::size_t column = 0; column + 1 < rows[i].size(); ++column) cells << pool.add(rows[i][column]) << ", ";
        cells << '\n';
    }
    std::ostringstream index;
    for (const auto& [key, row] : keys) index << '{' << pool.add(key) << ", " << row << "},\n";
    pool.write(out, name);
    out << "constexpr Text k" << name << "Cells[] = {\n" << cells.str() << "};\n";
    out << "constexpr TableKey k" << name << "Keys[] = {\n" << index.str() << "};\n";
}

} // namespace

int main(int argc, char** argv) {
    try {
        if (argc != 4) throw std::runtime_error("usage: lancet_table TABLE.tsv TABLE.inc NAME");
        const std::vector<Row> rows = readRows(argv[1]);
        if (rows.empty()) throw std::runtime_error(std::string("no rows in ") + argv[1]);
        std::ofstream out(argv[2]);
        writeTable(rows, out, argv[3]);
        out.close();
        if (!out) throw std::runtime_error(std::string("cannot write ") + argv[2]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << "lancet_table: " << error.what() << '\n';
        return 1;
    }
}
