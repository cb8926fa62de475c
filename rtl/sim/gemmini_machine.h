// The Verilated accelerator with its local memories, run one program at a time.
#pragma once

#include <memory>

#include "Model.h"
#include "Model___024root.h"
#include "gemmini_port.h"
#include "verilated.h"

#define SP_BANK(n) (model_->rootp->Gemmini__DOT__scratchpad__DOT__bank__BRA__##n##__KET____DOT__memory__DOT__mem)
#define ACC_BANK(n) (model_->rootp->Gemmini__DOT__accumulator__DOT__bank__BRA__##n##__KET____DOT__memory__DOT__mem)

constexpr const char* DESIGN = "gemmini";

struct Command {
    uint8_t funct;
    uint64_t rs1, rs2;
    size_t line;  // in the program file, from 1
};

inline Command parse_command(const std::string& text, const std::string& path, size_t line) {
    const std::string where = path + ":" + std::to_string(line);
    std::istringstream stream(text);
    const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
    if (words.size() != 3) throw Error(where + ": expected three words 'funct rs1 rs2', found " + std::to_string(words.size()));
    const uint64_t funct = parse_hex(words[0], where);
    if (funct > 127) throw Error(where + ": funct has 7 bits, found '" + words[0] + "'");
    return {static_cast<uint8_t>(funct), parse_hex(words[1], where), parse_hex(words[2], where), line};
}

class Machine {
  public:
    // Every register that is not reset starts at zero, and so do the local memories.
    Machine() : model_(std::make_unique<Model>(&context_)) {
        model_->reset = 1;
        for (int i = 0; i < 2; i++) clock();
        model_->reset = 0;
    }

    // Runs the commands in order; returns the cycles from the first offer of a command until idle.
    uint64_t run(const std::vector<Command>& program, MemoryPort& memory, Pace pace, uint64_t cycle_limit) {
        uint64_t cycles = 0;
        for (const Command& command : program) {
            const uint64_t used = run(command, memory, pace, cycle_limit);
            if (used > cycle_limit) throw Error("the command on line " + std::to_string(command.line) + " is not done after "
                                                + std::to_string(cycle_limit) + " cycles; a count of 0 rows never ends, and --cycle-limit lets one run longer");
            cycles += used;
        }
        return cycles;
    }

    // Verilator keeps a row of any width here little-endian and without padding (widths are 32 bits or more).
    std::vector<Buffer> buffers() {
        return {{"spad.bin", {bank(SP_BANK(0)), bank(SP_BANK(1)), bank(SP_BANK(2)), bank(SP_BANK(3))}},
                {"acc.bin", {bank(ACC_BANK(0)), bank(ACC_BANK(1))}}};
    }

  private:
    uint64_t run(const Command& command, MemoryPort& memory, Pace& pace, uint64_t cycle_limit) {
        model_->cmd_funct = command.funct;
        model_->cmd_rs1 = command.rs1;
        model_->cmd_rs2 = command.rs2;
        uint64_t cycles = 0;
        bool taken = false;
        while (cycles <= cycle_limit) {
            model_->cmd_valid = !taken && pace.now();
            memory.drive(*model_);
            model_->eval();
            if (taken && !model_->busy) return cycles;
            memory.take(*model_);
            taken |= model_->cmd_valid && model_->cmd_ready;
            clock();
            cycles++;
        }
        return cycles;
    }

    void clock() {
        for (int level : {1, 0}) {
            model_->clock = level;
            model_->eval();
        }
    }

    template <typename Memory>
    static std::pair<uint8_t*, size_t> bank(Memory& memory) {
        return {reinterpret_cast<uint8_t*>(&memory[0]), sizeof memory};
    }

    VerilatedContext context_;
    std::unique_ptr<Model> model_;
};
