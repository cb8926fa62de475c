// The memory behind an accelerator's port: an image from address 0, and when it is ready to serve.
#pragma once

#include <cstring>
#include <random>

#include "files.h"

constexpr uint8_t OUTSIDE = 0xA5;  // what a read finds beyond the image

// Decides when the environment is ready: always (seed 0), or at random with one probability per run.
class Pace {
  public:
    explicit Pace(uint64_t seed) : random_(seed), always_(seed == 0), odds_(2 + random_() % 14) {}
    bool now() { return always_ || random_() % 16 < odds_; }

  private:
    std::mt19937_64 random_;
    bool always_;
    uint64_t odds_;  // of 16
};

class MemoryImage {
  public:
    explicit MemoryImage(Bytes bytes) : bytes_(std::move(bytes)) {}

    const Bytes& bytes() const { return bytes_; }

    void read(uint64_t address, uint8_t* to, size_t count) const {
        for (size_t k = 0; k < count; k++) to[k] = address + k < bytes_.size() ? bytes_[address + k] : OUTSIDE;
    }

    // Writes the bytes whose mask bit is set.
    void write(uint64_t address, const uint8_t* data, size_t count, unsigned mask = ~0u) {
        for (size_t k = 0; k < count; k++) {
            if (!(mask >> k & 1)) continue;
            if (address + k >= bytes_.size()) throw Error(outside(address + k));
            bytes_[address + k] = data[k];
        }
    }

  private:
    std::string outside(uint64_t address) const {
        std::ostringstream text;
        text << "write to address 0x" << std::hex << address << ", beyond the memory image of 0x" << bytes_.size() << " bytes";
        return text.str();
    }

    Bytes bytes_;
};
