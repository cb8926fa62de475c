// The Verilated accelerator with its local memories, run one program at a time.
#pragma once

#include <memory>

#include "Model.h"
#include "Model___024root.h"
#include "memory_port.h"
#include "verilated.h"

#define SP_BANK(n) (model_->rootp->Gemmini__DOT__scratchpad__DOT__bank__BRA__##n##__KET____DOT__memory__DOT__mem)
#define ACC_BANK(n) (model_->rootp->Gemmini__DOT__accumulator__DOT__bank__BRA__##n##__KET____DOT__memory__DOT__mem)

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
                                                + std::to_string(cycle_limit) + " cycles; rows and columns must be in range");
            cycles += used;
        }
        return cycles;
    }

    // The rows of the local memories, one after the other, little-endian.
    Bytes scratchpad() const { return collect(scratchpad_banks(), sizeof(SP_BANK(0))); }
    Bytes accumulator() const { return collect(accumulator_banks(), sizeof(ACC_BANK(0))); }
    void set_scratchpad(const Bytes& rows, const std::string& path) { spread(rows, scratchpad_banks(), sizeof(SP_BANK(0)), path); }
    void set_accumulator(const Bytes& rows, const std::string& path) { spread(rows, accumulator_banks(), sizeof(ACC_BANK(0)), path); }

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

    // Verilator keeps a row of any width here little-endian and without padding (widths are 32 bits or more).
    std::vector<uint8_t*> scratchpad_banks() const { return {bytes(SP_BANK(0)), bytes(SP_BANK(1)), bytes(SP_BANK(2)), bytes(SP_BANK(3))}; }
    std::vector<uint8_t*> accumulator_banks() const { return {bytes(ACC_BANK(0)), bytes(ACC_BANK(1))}; }

    template <typename Memory>
    static uint8_t* bytes(Memory& memory) {
        return reinterpret_cast<uint8_t*>(&memory[0]);
    }

    static Bytes collect(const std::vector<uint8_t*>& banks, size_t size) {
        Bytes all;
        for (const uint8_t* bank : banks) all.insert(all.end(), bank, bank + size);
        return all;
    }

    static void spread(const Bytes& all, const std::vector<uint8_t*>& banks, size_t size, const std::string& path) {
        if (all.size() != size * banks.size()) {
            throw Error(path + ": expected " + std::to_string(size * banks.size()) + " bytes, found " + std::to_string(all.size()));
        }
        for (size_t b = 0; b < banks.size(); b++) std::memcpy(banks[b], all.data() + b * size, size);
    }

    VerilatedContext context_;
    std::unique_ptr<Model> model_;
};
