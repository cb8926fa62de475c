// VTA's memory port: bursts of beats at any byte address; a command and an answer channel for reads, command, data and
// acknowledge channels for writes. What is offered stays, unchanged, until it is taken.
#pragma once

#include <array>
#include <deque>

#include "memory_image.h"

class MemoryPort {
  public:
    MemoryPort(Bytes image, uint64_t latency_seed) : image_(std::move(image)), pace_(latency_seed) {}

    const Bytes& image() const { return image_.bytes(); }

    // The inputs of the coming cycle. An answer comes in the cycle after its command at the earliest.
    template <typename Model>
    void drive(Model& model) {
        model.mem_rd_cmd_ready = pace_.now();
        model.mem_wr_cmd_ready = pace_.now();
        model.mem_wr_data_ready = !bursts_.empty() && pace_.now();
        model.mem_wr_ack_valid = acks_ && (model.mem_wr_ack_valid || pace_.now());
        model.mem_rd_data_valid = !answers_.empty() && (model.mem_rd_data_valid || pace_.now());
        if (model.mem_rd_data_valid) std::memcpy(&model.mem_rd_data_bits, answers_.front().data(), sizeof model.mem_rd_data_bits);
    }

    // What the settled outputs of this cycle ask for and hand over.
    template <typename Model>
    void take(const Model& model) {
        const size_t beat = sizeof model.mem_rd_data_bits;
        if (model.mem_rd_data_valid && model.mem_rd_data_ready) answers_.pop_front();
        if (model.mem_wr_ack_valid && model.mem_wr_ack_ready) acks_--;
        if (model.mem_wr_data_valid && model.mem_wr_data_ready) {
            write(reinterpret_cast<const uint8_t*>(&model.mem_wr_data_bits), beat);
        }
        if (model.mem_rd_cmd_valid && model.mem_rd_cmd_ready) read(model.mem_rd_cmd_addr, model.mem_rd_cmd_len + 1u, beat);
        if (model.mem_wr_cmd_valid && model.mem_wr_cmd_ready) bursts_.push_back({model.mem_wr_cmd_addr, model.mem_wr_cmd_len + 1u});
    }

  private:
    struct Burst {
        uint64_t address;
        unsigned beats;  // still to come
    };

    void read(uint64_t address, unsigned beats, size_t beat) {
        for (unsigned b = 0; b < beats; b++) {
            answers_.emplace_back();
            image_.read(address + b * beat, answers_.back().data(), beat);
        }
    }

    void write(const uint8_t* data, size_t beat) {
        Burst& burst = bursts_.front();
        image_.write(burst.address, data, beat);
        burst.address += beat;
        if (--burst.beats) return;
        bursts_.pop_front();
        acks_++;
    }

    MemoryImage image_;
    Pace pace_;
    std::deque<std::array<uint8_t, 8>> answers_;  // beats are 4 or 8 bytes
    std::deque<Burst> bursts_;                    // writes whose data is still to come
    unsigned acks_ = 0;
};
