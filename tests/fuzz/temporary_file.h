// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

/// A folder of this process for fuzz targets whose readers take a file; removed at the end.
class TemporaryFile {
public:
    /// Creates the folder for a file `name`.
    explicit TemporaryFile(const std::string& name)
        : m_folder(std::filesystem::temp_directory_path() / ("lancet_fuzz_" + std::to_string(::getpid()))),
          m_name(name) {
        std::filesystem::create_directories(m_folder);
    }
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove_all(m_folder, ignored);
    }
    /// Replaces the content and returns the path.
    std::string with(const std::uint8_t* data, std::size_t size) const {
        std::ofstream(path(), std::ios::binary)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        return path();
    }
    std::string path() const { return m_folder / m_name; } ///< The path of the file.

private:
    std::filesystem::path m_folder;
    std::string m_name;
};
