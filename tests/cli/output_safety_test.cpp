// Whatever ends a run, at whatever moment: where its result goes there is the earlier one or the new one, whole.
// BONDGRAPH_MOMENTS is the number of moments that are tried (24 if not given).

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "bondgraph/io/results.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using std::chrono::duration;
using std::chrono::steady_clock;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kEarlier = "time,x\n0,1\n";

// Steps without end, many rows: written for as long as it is computed.
constexpr const char* kManyRows = R"(model: oscillator
parameters: {start: 1 A}
components:
  loop: {type: 1}
  L: {type: I, I: 1 H, initial: {f: start}}
  C: {type: C, C: 1 F}
bonds: [loop -> L, loop -> C]
experiment: {stop: 300 s, interval: 10 ms}
outputs: [L.f, C.e]
)";

std::string part_of(const std::string& name) { return "." + name + ".bondgraph-part"; }

/// The program, or another one by its path, working in a folder; ended by force at the end of the scope if it hasn't.
class Running {
   public:
    Running(const Folder& folder, const std::vector<std::string>& arguments, rlim_t largest_file = RLIM_INFINITY) {
        child_ = fork();
        if (child_ != 0) return;
        const auto redirect = [](const std::filesystem::path& to, int descriptor) {
            dup2(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), descriptor);
        };
        redirect("/dev/null", STDOUT_FILENO);
        redirect(largest_file == RLIM_INFINITY ? folder.path() / "said" : "/dev/null", STDERR_FILENO);
        const struct rlimit limit { largest_file, largest_file };
        if (chdir(folder.path().c_str()) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(126);
        std::vector<std::string> texts = arguments;
        if (!arguments.front().starts_with('/')) texts.insert(texts.begin(), test::program());
        std::vector<char*> pointers;
        for (std::string& text : texts) pointers.push_back(text.data());
        pointers.push_back(nullptr);
        execv(pointers.front(), pointers.data());
        _exit(127);
    }
    ~Running() {
        send(SIGKILL);
        wait();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void send(int signal) const {
        if (child_ > 0) kill(child_, signal);
    }
    /// The exit status, or minus the signal that ended it.
    int wait() {
        int status = 0;
        if (child_ > 0 && waitpid(child_, &status, 0) == child_)
            ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        child_ = 0;
        return ended_;
    }

   private:
    pid_t child_ = 0;
    int ended_ = -1000;
};

void wait_for(const Folder& folder, const std::string& file) {
    const auto end = steady_clock::now() + std::chrono::seconds(60);
    while (!folder.has(file) && steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_TRUE(folder.has(file));
}

std::size_t moments() {
    const char* wish = std::getenv("BONDGRAPH_MOMENTS");
    return wish == nullptr ? 24 : std::stoul(wish);
}

/// A row of two columns and the head have the end of a line; `whole` begins with all of them.
bool whole_rows_of(const std::string& text, const std::string& whole) {
    return text.size() > std::string("time,L.f,C.e\n").size() && text.back() == '\n' && whole.starts_with(text);
}

class OutputSafety : public testing::Test {
   protected:
    OutputSafety() { folder_.write("m.yaml", kManyRows); }

    void expect_nothing_left_behind() const { EXPECT_FALSE(folder_.has(part_of("r.csv"))); }

    /// The result of a run that nothing disturbs, and how long it took.
    std::string undisturbed(const std::vector<std::string>& more = {}) {
        const auto begin = steady_clock::now();
        std::vector<std::string> arguments{"run", "m.yaml", "--quiet", "-o", "whole.csv"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(folder_.run(arguments).status, 0);
        seconds_ = duration<double>(steady_clock::now() - begin).count();
        return folder_.read("whole.csv");
    }

    void sleep_for_a_while() {
        std::uniform_real_distribution<double> any(0.0, 1.1 * seconds_);
        std::this_thread::sleep_for(duration<double>(any(random_)));
    }

    Folder folder_;
    std::mt19937 random_{1};
    double seconds_ = 0.0;
};

TEST_F(OutputSafety, AKilledRunLeavesTheEarlierResultOrTheNewOne) {
    const std::string whole = undisturbed();
    for (std::size_t k = 0; k < moments(); ++k) {
        folder_.write("r.csv", kEarlier);
        Running run(folder_, {"run", "m.yaml", "--quiet", "-o", "r.csv"});
        sleep_for_a_while();
        run.send(SIGKILL);
        const int ended = run.wait();
        const std::string found = folder_.read("r.csv");
        EXPECT_TRUE(found == kEarlier || found == whole) << "moment " << k << ": " << found.size() << " bytes";
        EXPECT_TRUE(ended != 0 || found == whole) << "moment " << k;
    }
    // What the killed ones left is taken over.
    EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", "r.csv"}).status, 0);
    EXPECT_EQ(folder_.read("r.csv"), whole);
    expect_nothing_left_behind();
}

TEST_F(OutputSafety, ARunThatIsAskedToEndLeavesTheEarlierResultOrWholeRowsOfTheNewOne) {
    const std::string whole = undisturbed();
    for (std::size_t k = 0; k < moments(); ++k) {
        const int signal = k % 3 == 0 ? SIGTERM : k % 3 == 1 ? SIGHUP : SIGINT;
        folder_.write("r.csv", kEarlier);
        Running run(folder_, {"run", "m.yaml", "--quiet", "-o", "r.csv"});
        sleep_for_a_while();
        run.send(signal);
        const int ended = run.wait();
        const std::string found = folder_.read("r.csv");
        const bool right = ended == 0   ? found == whole
                           : ended == 3 ? whole_rows_of(found, whole) || found == kEarlier  // before its first row
                                        : ended == -signal && (found == kEarlier || found == whole);
        EXPECT_TRUE(right) << "moment " << k << ": " << ended << ", " << found.size() << " bytes";
        expect_nothing_left_behind();
    }
}

TEST_F(OutputSafety, AFullDiskLeavesTheEarlierResult) {
    const std::string whole = undisturbed();
    for (std::size_t k = 0; k < moments(); ++k) {
        folder_.write("r.csv", kEarlier);
        const rlim_t room = std::uniform_int_distribution<rlim_t>(0, whole.size() + whole.size() / 4)(random_);
        Running run(folder_, {"run", "m.yaml", "--quiet", "-o", "r.csv"}, room);
        const bool enough = room >= whole.size();
        EXPECT_EQ(run.wait(), enough ? 0 : 1) << room << " of " << whole.size();
        EXPECT_EQ(folder_.read("r.csv"), enough ? whole : kEarlier) << room << " of " << whole.size();
        expect_nothing_left_behind();
    }
}

TEST_F(OutputSafety, OfTwoWritersOneIsRefusedOrTheyComeOneAfterTheOther) {
    const std::string one = undisturbed({"--set", "start=2"});
    const std::string other = undisturbed();
    ASSERT_NE(one, other);
    for (std::size_t k = 0; k < moments(); ++k) {
        folder_.write("r.csv", kEarlier);
        Running first(folder_, {"run", "m.yaml", "--quiet", "-o", "r.csv", "--set", "start=2"});
        sleep_for_a_while();
        Running second(folder_, {"run", "m.yaml", "--quiet", "-o", "r.csv"});
        const int first_ended = first.wait();
        const int second_ended = second.wait();
        const std::string found = folder_.read("r.csv");
        EXPECT_TRUE((first_ended == 0 && found == one) || (second_ended == 0 && found == other))
            << "moment " << k << ": " << first_ended << ", " << second_ended << ", " << found.size() << " bytes";
        EXPECT_TRUE(first_ended == 0 || first_ended == 1) << first_ended;
        EXPECT_TRUE(second_ended == 0 || second_ended == 1) << second_ended;
        expect_nothing_left_behind();
    }
}

TEST_F(OutputSafety, WhatAKilledRunLeftIsReplacedHoweverLongItIs) {
    const std::string whole = undisturbed();
    folder_.write(part_of("r.csv"), whole + whole);
    EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", "r.csv"}).status, 0);
    EXPECT_EQ(folder_.read("r.csv"), whole);
    expect_nothing_left_behind();
}

TEST_F(OutputSafety, EveryFormatIsWholeAfterSigterm) {
    for (const std::string name : {"r.csv", "r.mat", "r.h5"}) {
        Running run(folder_, {"run", "m.yaml", "-o", name, "--plot", "p.svg", "--stop", "1e6 s", "--interval", "1 s"});
        wait_for(folder_, part_of(name));
        std::this_thread::sleep_for(std::chrono::seconds(1));
        run.send(SIGTERM);
        EXPECT_EQ(run.wait(), 3);
        const std::string said = folder_.read("said");
        EXPECT_THAT(said, HasSubstr("warning: SIGTERM asked for the end of the run\n"));
        EXPECT_THAT(said, HasSubstr("error: the simulation failed at t = "));
        EXPECT_THAT(said, HasSubstr("the results up to there have been written"));
        const io::Results results = io::read_results(folder_.path() / name);
        EXPECT_FALSE(results.cut);
        ASSERT_EQ(results.columns.size(), 3U);
        EXPECT_GE(results.rows, 1U);
        for (const io::ResultColumn& column : results.columns) EXPECT_EQ(column.values.size(), results.rows);
        EXPECT_THAT(folder_.read("p.svg"), EndsWith("</svg>\n\n"));
    }
}

TEST_F(OutputSafety, AFileThatAnotherRunIsWritingIsRefused) {
    folder_.write("r.csv", kEarlier);
    Running run(folder_, {"run", "m.yaml", "-o", "r.csv", "--stop", "1e6 s", "--interval", "1 s"});
    wait_for(folder_, part_of("r.csv"));
    std::filesystem::create_symlink("r.csv", folder_.path() / "link.csv");
    for (const char* name : {"r.csv", "link.csv"}) {
        const Outcome o = folder_.run({"run", "m.yaml", "--quiet", "-o", name});
        EXPECT_EQ(o.status, 1);
        EXPECT_EQ(o.err, std::string("error: can't write '") + name + "': it is being written by another run\n");
    }
    EXPECT_EQ(folder_.read("r.csv"), kEarlier);
    EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", "beside.csv"}).status, 0);
    run.send(SIGINT);
    EXPECT_EQ(run.wait(), 3);
    EXPECT_NE(folder_.read("r.csv"), kEarlier);
}

TEST_F(OutputSafety, ASignalBeforeTheRunBeginsRemovesWhatWasPrepared) {
    folder_.write("r.csv", kEarlier);
    ASSERT_EQ(mkfifo((folder_.path() / "pipe.csv").c_str(), 0600), 0);  // which nobody reads: it is waited for
    Running run(folder_, {"run", "m.yaml", "--animation", "r.csv", "-o", "pipe.csv"});
    wait_for(folder_, part_of("r.csv"));
    run.send(SIGTERM);
    EXPECT_EQ(run.wait(), -SIGTERM);
    EXPECT_EQ(folder_.read("r.csv"), kEarlier);
    expect_nothing_left_behind();
}

TEST_F(OutputSafety, AHangUpThatIsIgnoredIsNoReasonToEnd) {
    folder_.write("nohup.sh",
                  "trap '' HUP; exec '" + test::program() + "' run m.yaml -o r.csv --stop 1e6s --interval 1s");
    Running run(folder_, {"/bin/sh", "nohup.sh"});
    wait_for(folder_, part_of("r.csv"));
    run.send(SIGHUP);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    run.send(SIGTERM);
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(folder_.read("said"), HasSubstr("SIGTERM asked for the end"));
}

TEST_F(OutputSafety, ASecondSignalEndsTheProgramAtOnce) {
    folder_.write("r.csv", kEarlier);
    Running run(folder_, {"run", "m.yaml", "-o", "r.csv", "--stop", "1e6 s", "--interval", "1 s"});
    wait_for(folder_, part_of("r.csv"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (const int signal : {SIGSTOP, SIGTERM, SIGINT, SIGCONT}) run.send(signal);
    EXPECT_THAT(run.wait(), testing::AnyOf(-SIGTERM, -SIGINT));
    EXPECT_EQ(folder_.read("r.csv"), kEarlier);
    expect_nothing_left_behind();
}

TEST_F(OutputSafety, AModelIsNoPlaceForResultsUnderAnyName) {
    folder_.write("lib.yaml", "types: {}\n");
    const std::string text = std::string("import: lib.yaml\n") + kManyRows;
    folder_.write("m.csv", text);
    std::filesystem::create_symlink("m.csv", folder_.path() / "soft.csv");
    std::filesystem::create_hard_link(folder_.path() / "m.csv", folder_.path() / "hard.csv");
    std::filesystem::create_symlink("lib.yaml", folder_.path() / "lib.csv");
    const std::vector<std::vector<std::string>> commands{{"run", "m.csv"},
                                                         {"run", "m.csv", "-o", "./m.csv"},
                                                         {"run", "m.csv", "-o", "soft.csv"},
                                                         {"run", "soft.csv", "-o", "m.csv"},
                                                         {"run", "m.csv", "-o", "hard.csv"},
                                                         {"run", "m.csv", "-o", "lib.csv"},
                                                         {"run", "m.csv", "-o", "x.csv", "--audit-json", "hard.csv"},
                                                         {"linearize", "m.csv", "-o", "soft.csv"}};
    for (const auto& command : commands) {
        const Outcome o = folder_.run(command);
        EXPECT_EQ(o.status, 1) << o.err;
        EXPECT_THAT(o.err, HasSubstr("read here, and would be lost; give another file")) << o.err;
        EXPECT_EQ(folder_.read("m.csv"), text);
        EXPECT_EQ(folder_.read("lib.yaml"), "types: {}\n");
    }
}

TEST_F(OutputSafety, AFileThatAListComesFromIsNoPlaceForResults) {
    const std::string measured = "time,speed\n0,0\n1,2\n";
    folder_.write("data/pump.csv", measured);
    folder_.write("data/pump.yaml",
                  "model: pump\nparameters: {cycle: {from: pump.csv, columns: [time, speed]}}\n"
                  "components: {s: {type: TimeTable, table: cycle}, x: {type: Integrator}}\nsignals: [s.y -> x.u]\n");
    const std::vector<std::vector<std::string>> commands{{"run", "data/pump.yaml", "-o", "data/pump.csv"},
                                                         {"run", "data/pump.yaml", "-o", "data/../data/pump.csv"},
                                                         {"compile", "data/pump.yaml", "-o", "data/pump.csv"},
                                                         {"plot", "data/pump.yaml", "-o", "data/pump.csv"}};
    for (const auto& command : commands) {
        const Outcome o = folder_.run(command);
        EXPECT_EQ(o.status, 1) << o.err;
        EXPECT_EQ(folder_.read("data/pump.csv"), measured);
    }
    const Outcome o = folder_.run({"run", "data/pump.yaml", "-o", "data/pump.csv"});
    EXPECT_THAT(o.err, HasSubstr("read here, and would be lost; give another file")) << o.err;
}

TEST_F(OutputSafety, AnExistingFileKeepsItsPermissionsAndALinkLeadsWhereItDid) {
    folder_.write("sub/r.csv", kEarlier);
    std::filesystem::permissions(folder_.path() / "sub/r.csv", std::filesystem::perms(0640));
    std::filesystem::create_symlink("sub/r.csv", folder_.path() / "link.csv");
    std::filesystem::create_symlink("sub/new.csv", folder_.path() / "dangling.csv");
    const std::string whole = undisturbed();
    for (const char* name : {"link.csv", "dangling.csv"})
        EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", name}).status, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(folder_.path() / "link.csv"));
    EXPECT_EQ(folder_.read("sub/r.csv"), whole);
    EXPECT_EQ(std::filesystem::status(folder_.path() / "sub/r.csv").permissions(), std::filesystem::perms(0640));
    EXPECT_EQ(folder_.read("sub/new.csv"), whole);
}

TEST_F(OutputSafety, LinksThatLeadInACircleAreToldAsSuch) {
    std::filesystem::create_symlink("b.csv", folder_.path() / "a.csv");
    std::filesystem::create_symlink("a.csv", folder_.path() / "b.csv");
    const Outcome o = folder_.run({"run", "m.yaml", "-o", "a.csv"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: can't write 'a.csv': Too many levels of symbolic links\n");
}

TEST_F(OutputSafety, NamesAsLongAsTheSystemAllowsAreKeptApart) {
    const std::string one = std::string(250, 'a') + "1.csv";
    const std::string other = std::string(250, 'a') + "2.svg";
    EXPECT_EQ(folder_.run({"run", "m.yaml", "--quiet", "-o", one, "--plot", other}).status, 0);
    EXPECT_THAT(folder_.read(one), StartsWith("time,"));
    EXPECT_THAT(folder_.read(other), StartsWith("<?xml"));
}

TEST_F(OutputSafety, AWriteProtectedResultIsRefused) {
    folder_.write("r.csv", kEarlier);
    std::filesystem::permissions(folder_.path() / "r.csv", std::filesystem::perms(0444));
    std::vector<std::string> arguments{test::program(), "run", "m.yaml", "-o", "r.csv"};
    if (geteuid() == 0) {  // to root nothing is write-protected: as somebody else, who may write beside it
        std::filesystem::permissions(folder_.path(), std::filesystem::perms(0777));
        arguments.insert(arguments.begin(), {"/usr/bin/setpriv", "--reuid=65534", "--clear-groups"});
    }
    const std::string program = arguments.front();
    arguments.erase(arguments.begin());
    const Outcome o = folder_.run_program(program, arguments);
    if (o.status == 126 || o.status == 127) GTEST_SKIP() << "others than root can't run the program where it stands";
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: can't write 'r.csv': Permission denied\n");
    EXPECT_EQ(folder_.read("r.csv"), kEarlier);
}

TEST_F(OutputSafety, ARunThatFailsAtItsStartLeavesEveryEarlierResult) {
    folder_.write("f.yaml", R"(model: never_settles
types:
  Flip:
    variables: {b: {type: boolean}}
    inputs: [u]
    outputs: [y]
    equations: ['b = if u > 1 then not pre(b) else pre(b)', 'y = if b then 1 else 0']
components: {s: {type: Se, e: 2}, j: {type: 1}, R: {type: R, R: 1}, C: {type: C, C: 1, initial: {q: 2}}, f: {type: Flip}}
bonds: [s -> j, j -> R, j -> C]
signals: [C.e -> f.u]
)");
    for (const char* name : {"r.csv", "p.svg", "a.json"}) folder_.write(name, kEarlier);
    const Outcome o = folder_.run({"run", "f.yaml", "-o", "r.csv", "--plot", "p.svg", "--animation", "a.json"});
    EXPECT_EQ(o.status, 3) << o.err;
    EXPECT_THAT(o.err, testing::Not(HasSubstr("written"))) << o.err;
    for (const char* name : {"r.csv", "p.svg", "a.json"}) EXPECT_EQ(folder_.read(name), kEarlier) << name;
    // Where nothing can be lost, the head stands for a table without rows.
    EXPECT_EQ(folder_.run({"run", "f.yaml", "--quiet", "-o", "-"}).out.substr(0, 5), "time,");
}

TEST_F(OutputSafety, WhatAnotherProgramHasOpenedIsContinued) {
    const std::string whole = undisturbed();
    const Outcome o = folder_.run_program(
        "/bin/sh", {"-c", "echo before > log; '" + test::program() + "' run m.yaml --quiet -o /dev/stdout >> log; '" +
                              test::program() + "' run m.yaml --quiet -o /dev/stdout | cat > piped"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(folder_.read("log"), "before\n" + whole);
    EXPECT_EQ(folder_.read("piped"), whole);
}

TEST_F(OutputSafety, OfAResultCutInItsLastRowThatRowIsLeftOut) {
    folder_.write("r.csv", "time,x\n0,0\n1,10\n2,20\n3,3");
    const Outcome o = folder_.run({"plot", "r.csv", "--y", "x", "--from", "3", "-o", "p.svg"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("note: the last line of 'r.csv' has no end and is left out: the file may be cut off\n"
                                  "error: 'r.csv' has no rows there: its time goes from 0 to 2"));
    folder_.write("s.csv", "time,x\n0,0\n1,10\n2");
    EXPECT_EQ(folder_.run({"plot", "s.csv", "--y", "x", "-o", "p.svg"}).status, 0);
}

#ifndef __SANITIZE_ADDRESS__
TEST_F(OutputSafety, ASmallStackIsEnough) {
    for (const char* command : {"run", "check", "causality", "equations", "linearize", "draw"}) {
        const Outcome o = folder_.run_program(
            "/bin/sh", {"-c", std::string("ulimit -s 96; '" + test::program() + "' ") + command + " m.yaml"});
        EXPECT_EQ(o.status, 0) << command << o.err;
    }
}
#endif

}  // namespace
}  // namespace bondgraph::cli
