// The command line -> what to run.
#pragma once

#include <map>

#include "files.h"

struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One run: paths; the state folders may be empty (none).
struct Job {
    std::string program, memory, output, load_state, dump_state;
};

struct Options {
    std::vector<Job> jobs;
    bool batch = false;
    uint64_t latency_seed = 0;
    uint64_t cycle_limit = 10000000;  // pooling 255 x 255 windows of 4 x 4 takes over a million
};

inline uint64_t parse_number(const std::string& option, const std::string& word) {
    if (word.empty() || word.size() > 18 || word.find_first_not_of("0123456789") != std::string::npos) {
        throw UsageError(option + " takes a number, found '" + word + "'");
    }
    return std::stoull(word);
}

// Each line of the list: PROGRAM IN OUT [LOAD_STATE|- [DUMP_STATE|-]].
inline std::vector<Job> read_batch(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(path + ": cannot be read");
    std::vector<Job> jobs;
    std::string text;
    for (size_t line = 1; std::getline(file, text); line++) {
        std::istringstream stream(text);
        std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
        if (words.empty()) continue;
        if (words.size() < 3 || words.size() > 5) {
            throw Error(path + ":" + std::to_string(line) + ": expected 'PROGRAM IN OUT [LOAD_STATE|- [DUMP_STATE|-]]', found "
                        + std::to_string(words.size()) + " words");
        }
        words.resize(5, "-");
        for (size_t i : {3, 4}) {
            if (words[i] == "-") words[i].clear();
        }
        jobs.push_back({words[0], words[1], words[2], words[3], words[4]});
    }
    return jobs;
}

inline std::string take(std::map<std::string, std::string>& given, const std::string& option, const std::string& otherwise) {
    const auto found = given.find(option);
    if (found == given.end()) return otherwise;
    const std::string value = found->second;
    given.erase(found);
    return value;
}

inline Job single_job(std::map<std::string, std::string>& given) {
    for (const char* needed : {"--program", "--memory", "--output"}) {
        if (!given.count(needed)) throw UsageError(std::string(needed) + " is missing");
    }
    return {take(given, "--program", ""), take(given, "--memory", ""), take(given, "--output", ""), take(given, "--load-state", ""),
            take(given, "--dump-state", "")};
}

inline Options parse_options(int argc, char** argv) {
    std::map<std::string, std::string> given;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) throw UsageError(std::string(argv[i]) + " needs a value");
        given[argv[i]] = argv[i + 1];
    }
    Options options;
    options.latency_seed = parse_number("--latency-seed", take(given, "--latency-seed", "0"));
    options.cycle_limit = parse_number("--cycle-limit", take(given, "--cycle-limit", "10000000"));
    for (const char* chosen : {"--dim", "--config"}) take(given, chosen, "");  // chose this program
    options.batch = given.count("--batch") != 0;
    if (options.batch) {
        options.jobs = read_batch(take(given, "--batch", ""));
    } else {
        options.jobs = {single_job(given)};
    }
    if (!given.empty()) throw UsageError("unknown option " + given.begin()->first);
    return options;
}
