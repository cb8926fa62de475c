// Files -> values: byte images, programs of one command a line. Every failure is an Error with the file's name.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// A mistake in what the user gave: reported without further detail, exit status 1.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

using Bytes = std::vector<uint8_t>;

// A local memory of the machine: its banks follow each other in the file.
struct Buffer {
    const char* file;
    std::vector<std::pair<uint8_t*, size_t>> banks;

    size_t size() const {
        size_t sum = 0;
        for (const auto& bank : banks) sum += bank.second;
        return sum;
    }
};

inline Bytes read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Error(path + ": cannot be read");
    return Bytes(std::istreambuf_iterator<char>(file), {});
}

// Written to a temporary file first, so that no half image is ever seen under `path`.
inline void write_bytes(const std::string& path, const Bytes& bytes) {
    const std::string temporary = path + ".tmp";
    std::ofstream file(temporary, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file || std::rename(temporary.c_str(), path.c_str()) != 0) {
        std::remove(temporary.c_str());
        throw Error(path + ": cannot be written");
    }
}

inline uint64_t parse_hex(const std::string& word, const std::string& where) {
    char* end = nullptr;
    errno = 0;
    const uint64_t value = std::strtoull(word.c_str(), &end, 16);
    if (*end || errno || word[0] == '-') throw Error(where + ": expected a hexadecimal word of 64 bits, found '" + word + "'");
    return value;
}

// One command per line; empty lines and lines that begin with # are skipped.
template <typename Command>
std::vector<Command> read_program(const std::string& path, Command (*parse)(const std::string&, const std::string&, size_t)) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be read");
    std::vector<Command> program;
    std::string text;
    for (size_t line = 1; std::getline(file, text); line++) {
        const size_t start = text.find_first_not_of(" \t\r");
        if (start != std::string::npos && text[start] != '#') program.push_back(parse(text, path, line));
    }
    return program;
}
