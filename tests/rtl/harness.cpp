// Commands on stdin, one a line, drive the Verilated model; values are hexadecimal, ports are numbers:
//   s PORT VALUE   set an input             g PORT   settle, then append the port's value to the answer
//   c COUNT        clock cycles             f        write the answer (one value per line) and empty it
// The answer is held back until `f`, so that a writer that sends a large batch never blocks against its own reading.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "Model.h"
#include "verilated.h"

namespace {

struct Port {
    uint8_t* bytes;  // little-endian, as Verilator keeps values of every width on a little-endian host
    size_t size;
};

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

void set(const Port& port, const std::string& text) {
    size_t position = text.size();
    for (size_t i = 0; i < port.size; i++) {
        int low = position ? digit(text[--position]) : 0;
        int high = position ? digit(text[--position]) : 0;
        port.bytes[i] = static_cast<uint8_t>(high << 4 | low);
    }
}

void append(std::string& answer, const Port& port) {
    for (size_t i = port.size; i-- > 0;) {
        answer += "0123456789abcdef"[port.bytes[i] >> 4];
        answer += "0123456789abcdef"[port.bytes[i] & 15];
    }
    answer += '\n';
}

template <typename M, typename = void>
struct Clock {
    static void write(M&, int) {}
};
template <typename M>
struct Clock<M, std::void_t<decltype(std::declval<M&>().clock)>> {
    static void write(M& model, int value) { model.clock = static_cast<CData>(value); }
};

template <typename M>
void cycle(M& model) {
    model.eval();
    for (int level : {1, 0}) {
        Clock<M>::write(model, level);
        model.eval();
    }
}

}  // namespace

int main(int argc, char** argv) {
    VerilatedContext context;
    context.randReset(2);  // registers without reset start with random values
    context.randSeed(argc > 1 ? std::atoi(argv[1]) : 1);
    auto model = std::make_unique<Model>(&context);
    const Port ports[] = {
#define PORT(name) {reinterpret_cast<uint8_t*>(&model->name), sizeof(model->name)},
#include "ports.inc"
    };
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    std::string answer, command, value;
    size_t number;
    while (std::cin >> command) {
        switch (command[0]) {
            case 's': std::cin >> number >> value; set(ports[number], value); break;
            case 'c': for (std::cin >> number; number > 0; number--) cycle(*model); break;
            case 'g': std::cin >> number; model->eval(); append(answer, ports[number]); break;
            case 'f': std::cout << answer << std::flush; answer.clear(); break;
            default: std::cerr << "unknown command " << command << '\n'; return 1;
        }
    }
    model->final();
    return 0;
}
