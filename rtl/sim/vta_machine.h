// The Verilated VTA with its buffers, run one program at a time.
#pragma once

#include <array>
#include <memory>

#include "Model.h"
#include "Model___024root.h"
#include "verilated.h"
#include "vta_port.h"

#define BUFFER(path) (model_->rootp->VTA__DOT__##path##__DOT__mem)

constexpr const char* DESIGN = "vta";

// An instruction of 128 bits, the low word first.
struct Command {
    std::array<uint32_t, 4> words;
    size_t line;  // in the program file, from 1
};

inline Command parse_command(const std::string& text, const std::string& path, size_t line) {
    const std::string where = path + ":" + std::to_string(line);
    std::istringstream stream(text);
    const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
    if (words.size() != 1) throw Error(where + ": expected one word of 128 bits, found " + std::to_string(words.size()) + " words");
    if (words[0].size() > 32) throw Error(where + ": expected a hexadecimal word of 128 bits, found '" + words[0] + "'");
    const std::string digits = std::string(32 - words[0].size(), '0') + words[0];
    Command command{{}, line};
    for (size_t k = 0; k < 4; k++) command.words[k] = static_cast<uint32_t>(parse_hex(digits.substr(24 - 8 * k, 8), where));
    return command;
}

class Machine {
  public:
    // Buffers start at zero; all registers are reset.
    Machine() : model_(std::make_unique<Model>(&context_)) {
        model_->reset = 1;
        for (int i = 0; i < 2; i++) clock();
        model_->reset = 0;
    }

    // Offers the instructions in order; returns the cycles from the first offer until idle.
    uint64_t run(const std::vector<Command>& program, MemoryPort& memory, Pace pace, uint64_t cycle_limit) {
        uint64_t cycles = 0, last_progress = 0;
        for (size_t next = 0; cycles - last_progress <= cycle_limit; cycles++) {
            offer(program, next, pace);
            memory.drive(*model_);
            model_->eval();
            if (next == program.size() && !model_->busy) return cycles;
            memory.take(*model_);
            const bool taken = model_->inst_valid && model_->inst_ready;
            clock();
            if (!taken) continue;
            model_->inst_valid = 0;
            taken_line_ = program[next++].line;
            last_progress = cycles;
        }
        throw Error("the instructions up to line " + std::to_string(taken_line_) + " are not done " + std::to_string(cycle_limit)
                    + " cycles after it was taken; an instruction may wait for a token that nobody gives");
    }

    std::vector<Buffer> buffers() {
        return {buffer("uop.bin", BUFFER(compute__DOT__uop)), buffer("inp.bin", BUFFER(inp)), buffer("wgt.bin", BUFFER(wgt)),
                buffer("acc.bin", BUFFER(compute__DOT__acc)), buffer("out.bin", BUFFER(out))};
    }

  private:
    void offer(const std::vector<Command>& program, size_t next, Pace& pace) {
        if (next == program.size()) return;
        model_->inst_valid = model_->inst_valid || pace.now();  // an offer stays until it is taken
        std::memcpy(model_->inst_bits.data(), program[next].words.data(), sizeof program[next].words);
    }

    void clock() {
        for (int level : {1, 0}) {
            model_->clock = level;
            model_->eval();
        }
    }

    // Verilator keeps an element little-endian and without padding (widths are 32 bits or more).
    template <typename Memory>
    static Buffer buffer(const char* name, Memory& memory) {
        return {name, {{reinterpret_cast<uint8_t*>(&memory[0]), sizeof memory}}};
    }

    VerilatedContext context_;
    std::unique_ptr<Model> model_;
    size_t taken_line_ = 0;
};
