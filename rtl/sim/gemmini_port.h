// Gemmini's memory port: any byte address, requests in order, one answer per read.
#pragma once

#include <array>
#include <deque>

#include "memory_image.h"

class MemoryPort {
  public:
    MemoryPort(Bytes image, uint64_t latency_seed) : image_(std::move(image)), pace_(latency_seed) {}

    const Bytes& image() const { return image_.bytes(); }

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
            image_.write(model.mem_req_addr, reinterpret_cast<const uint8_t*>(model.mem_req_data.data()), BEAT_BYTES, model.mem_req_mask);
        } else {
            answers_.emplace_back();
            image_.read(model.mem_req_addr, answers_.back().data(), BEAT_BYTES);
        }
    }

  private:
    static constexpr size_t BEAT_BYTES = 16;
    using Beat = std::array<uint8_t, BEAT_BYTES>;

    MemoryImage image_;
    Pace pace_;
    std::deque<Beat> answers_;
};
