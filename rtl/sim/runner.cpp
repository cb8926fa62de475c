// Program image + memory image -> memory image and cycle count, on the Verilated accelerator.
// MACHINE is the header of the accelerator. A batch runs its programs one after the other, each on a machine fresh from reset.
#include <sys/stat.h>

#include <array>
#include <iostream>

#include MACHINE
#include "options.h"

namespace {

void load_state(Machine& machine, const std::string& folder) {
    if (folder.empty()) return;
    for (const Buffer& buffer : machine.buffers()) {
        const std::string path = folder + "/" + buffer.file;
        const Bytes all = read_bytes(path);
        if (all.size() != buffer.size()) {
            throw Error(path + ": expected " + std::to_string(buffer.size()) + " bytes, found " + std::to_string(all.size()));
        }
        const uint8_t* from = all.data();
        for (const auto& [bytes, size] : buffer.banks) {
            std::memcpy(bytes, from, size);
            from += size;
        }
    }
}

void dump_state(Machine& machine, const std::string& folder) {
    if (folder.empty()) return;
    mkdir(folder.c_str(), 0777);  // there already: fine; not possible: the writes below say so
    for (const Buffer& buffer : machine.buffers()) {
        Bytes all;
        for (const auto& [bytes, size] : buffer.banks) all.insert(all.end(), bytes, bytes + size);
        write_bytes(folder + "/" + buffer.file, all);
    }
}

uint64_t run(const Job& job, uint64_t latency_seed, uint64_t cycle_limit) {
    const std::vector<Command> program = read_program(job.program, parse_command);
    MemoryPort memory(read_bytes(job.memory), latency_seed);
    Machine machine;
    load_state(machine, job.load_state);
    uint64_t cycles;
    try {
        cycles = machine.run(program, memory, Pace(latency_seed), cycle_limit);
    } catch (const Error& error) {
        throw Error(job.program + ": " + error.what());
    }
    write_bytes(job.output, memory.image());
    dump_state(machine, job.dump_state);
    return cycles;
}

std::string quoted(const std::string& text) {
    std::ostringstream out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out << '\\' << c;
        else if (static_cast<unsigned char>(c) < 32) out << "\\u" << "00" << std::hex << (c >> 4) << (c & 15);
        else out << c;
    }
    return '"' + out.str() + '"';
}

// In a batch an error belongs to its job: it is that job's line, and the other jobs still run.
int run_all(const Options& options) {
    int status = 0;
    uint64_t seed = options.latency_seed;
    for (const Job& job : options.jobs) {
        try {
            const uint64_t cycles = run(job, seed, options.cycle_limit);
            std::cout << "{\"cycles\": " << cycles << "}\n";
        } catch (const Error& error) {
            if (!options.batch) throw;
            std::cout << "{\"error\": " << quoted(error.what()) << "}\n";
            status = 1;
        }
        if (seed) seed++;
    }
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run_all(parse_options(argc, argv));
    } catch (const UsageError& error) {
        std::cerr << DESIGN << " runner: " << error.what() << "; see --help\n";
        return 2;
    } catch (const Error& error) {
        std::cerr << DESIGN << " runner: " << error.what() << '\n';
        return 1;
    }
}
