#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace bondgraph::bench {

namespace {

/// Runs the program with its output discarded and adds its processor time in seconds to `cpu`; false when it could not
/// be started or did not end with status 0.
bool run_discarding_output(std::string program, std::string command, std::string file, double& cpu) {
    std::string output_option = "-o";
    std::string output = "-";
    std::string quiet = "--quiet";
    char* const arguments[] = {program.data(), command.data(), file.data(), output_option.data(),
                               output.data(),  quiet.data(),   nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const bool started = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage usage{};
    if (!started || ::wait4(child, &status, 0, &usage) != child) return false;
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    cpu += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// From the shell's point of view: start the program, read the model, simulate, write the results, end.
void rlc_whole_process(benchmark::State& state) {
    double cpu = 0.0;
    for (auto _ : state) {
        if (!run_discarding_output(BONDGRAPH_EXECUTABLE, "run", BONDGRAPH_MODELS "/electrical/series_rlc.yaml", cpu)) {
            state.SkipWithError("the program did not run to its end with status 0");
            return;
        }
    }
    state.counters["cpu_ms"] = benchmark::Counter(1e3 * cpu, benchmark::Counter::kAvgIterations);
}

BENCHMARK(rlc_whole_process)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

}  // namespace bondgraph::bench
