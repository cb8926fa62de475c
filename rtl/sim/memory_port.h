// The memory behind the accelerator's memory port: any byte address, requests in order, one answer per read.
#pragma once

#include <cstring>
#include <deque>
#include <random>

#include "files.h"

constexpr size_t BEAT_BYTES = 16;
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

class MemoryPort {
  public:
    MemoryPort(Bytes image, uint64_t latency_seed) : image_(std::move(image)), pace_(latency_seed) {}

    const Bytes& image() const { return image_; }

    // The inputs of the coming cycle. The answer to a read comes in the next cycle at the earliest.
    template <typename Model>
    void drive(Model& model) {
        model.mem_req_ready = pace_.now();
        model.mem_resp_valid = !answers_.empty() && pace_.now();
        if (model.mem_resp_valid) {
            std::memcpy(model.mem_resp_data.data(), answers_.front().data(), BEAT_BYTES);
            answers_.pop_front();
        }
    }

    // Takes the request that the settled outputs of this cycle make.
    template <typename Model>
    void take(const Model& model) {
        if (!(model.mem_req_valid && model.mem_req_ready)) return;
        if (model.mem_req_write) {
            write(model.mem_req_addr, reinterpret_cast<const uint8_t*>(model.mem_req_data.data()), model.mem_req_mask);
        } else {
            answers_.push_back(read(model.mem_req_addr));
        }
    }

  private:
    using Beat = std::array<uint8_t, BEAT_BYTES>;

    Beat read(uint64_t address) const {
        Beat beat;
        for (size_t k = 0; k < BEAT_BYTES; k++) beat[k] = address + k < image_.size() ? image_[address + k] : OUTSIDE;
        return beat;
    }

    void write(uint64_t address, const uint8_t* data, unsigned mask) {
        for (size_t k = 0; k < BEAT_BYTES; k++) {
            if (!(mask >> k & 1)) continue;
            if (address + k >= image_.size()) throw Error(outside(address + k));
            image_[address + k] = data[k];
        }
    }

    std::string outside(uint64_t address) const {
        std::ostringstream text;
        text << "write to address 0x" << std::hex << address << ", beyond the memory image of 0x" << image_.size() << " bytes";
        return text.str();
    }

    Bytes image_;
    Pace pace_;
    std::deque<Beat> answers_;
};
