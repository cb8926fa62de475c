// Files -> values: byte images, command programs. Every failure is an Error with the file's name.
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

struct Command {
    uint8_t funct;
    uint64_t rs1, rs2;
    size_t line;  // in the program file, from 1
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

inline Command parse_command(const std::string& text, const std::string& path, size_t line) {
    const std::string where = path + ":" + std::to_string(line);
    std::istringstream stream(text);
    const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
    if (words.size() != 3) throw Error(where + ": expected three words 'funct rs1 rs2', found " + std::to_string(words.size()));
    const uint64_t funct = parse_hex(words[0], where);
    if (funct > 127) throw Error(where + ": funct has 7 bits, found '" + words[0] + "'");
    return {static_cast<uint8_t>(funct), parse_hex(words[1], where), parse_hex(words[2], where), line};
}

// One command per line; empty lines and lines that begin with # are skipped.
inline std::vector<Command> read_program(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be read");
    std::vector<Command> program;
    std::string text;
    for (size_t line = 1; std::getline(file, text); line++) {
        const size_t start = text.find_first_not_of(" \t\r");
        if (start != std::string::npos && text[start] != '#') program.push_back(parse_command(text, path, line));
    }
    return program;
}
