// Simulates, sets parameters, steps with events, reads errors: what a program does with the library.
#include <bondgraph/bondgraph.hpp>
#include <cmath>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace bondgraph::api;

void require(bool met, const char* what) {
    if (!met) throw std::runtime_error(what);
}

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * std::abs(b); }

void simulate_and_set(const std::string& file) {
    const Model motor = Model::load(file).value();
    const Run run = motor.run().value();
    require(near(run.series["J.f"].back(), 235.28689, 1e-5), "the motor's speed");
    require(run.energy.known && !run.failure, "the run's account");
    const Run heavier = motor.run({.values = {{"J.I", 2e-3}, {"Ra.R", "500 mohm"}}}).value();
    require(heavier.series["J.f"].back() < run.series["J.f"].back(), "a heavier rotor is slower");
    const LinearModel linear = motor.linearize().value();
    require(near(linear.eigenvalues[0].real(), -244.8936586, 1e-7), "the pole");
    std::vector<std::thread> threads;
    std::vector<double> speeds(2);
    for (std::size_t k = 0; k < speeds.size(); ++k) {
        threads.emplace_back([&, k] {
            speeds[k] =
                motor.run({.values = {{"U", 6.0 * (1.0 + static_cast<double>(k))}}}).value().series["J.f"].back();
        });
    }
    for (std::thread& t : threads) t.join();
    require(near(speeds[1], 2.0 * speeds[0], 1e-6), "speed in proportion to the voltage");
}

void ask(const std::string& file) {
    const Model motor = Model::load(file).value();
    const EnergyAccount account = *motor.run({.energy_account = true}).value().account;
    require(near(account.balance.supplied, account.balance.stored + account.balance.dissipated, 1e-5), "the account");
    require(motor.structure().value().states.size() == 2, "two states");
    require(motor.causality().value().storages.size() == 2, "two storages");
    require(motor.equations().value().text.find("State equations") != std::string::npos, "the equations");
    require(motor.transfer_functions({.outputs = {"J.f"}}).value()[0].poles.size() == 2, "two poles");
    require(test(file).value().passed(), "what the motor expects");
}

void draw_and_answer(const std::string& file) {
    const Model motor = Model::load(file).value();
    const Drawing graph = motor.draw({.format = DrawOptions::Format::tex, .variables = true}).value();
    require(graph.bonds == 7 && graph.text.find("tikzpicture") != std::string::npos, "the bond graph");
    const Run shown = motor.run({.energy_account = true, .plots = true}).value();
    require(!shown.plot->panels.empty(), "the model's plots");
    require(plot(shown.series, {.y = {"J.f"}, .from = 0.1}).value().panels.size() == 1, "a panel");
    require(!picture(sankey(*shown.account, motor.name())).empty(), "bands of energy");
    const LinearModel linear = motor.linearize({.outputs = {"J.f"}}).value();
    const double gain = transfer_functions(linear).front().static_gain.value();
    require(near(step_responses(std::span(&linear, 1)).values.front().back(), gain, 1e-2), "the answer to a step");
    const MasonChannel rule = motor.mason({.outputs = {"J.f"}}).value().channels.front();
    require(near(rule.numerator_values.back() / rule.denominator_values.back(), gain, 1e-9), "Mason's rule");
    require(!type_page("Cc"), "no such type");
}

void step_with_events() {
    int impacts = 0;
    const Model ball = Model::parse(R"(
model: ball
components:
  weight: {type: Se, e: -9.81 N}
  fall:   {type: 1}
  ball:   {type: I, I: 1 kg, initial: {f: 0 m/s}}
  height: {type: Dq, initial: {y: 1 m}}
bonds: [weight -> fall, fall -> ball, fall -> height]
when: {if: height.y < 0, reinit: {ball.f: -0.8*ball.f}}
experiment: {stop: 2 s}
outputs: [height.y]
)")
                           .value();
    RunOptions options;
    options.on_event = [&](const Event&) { ++impacts; };
    Simulation simulation = ball.start(options).value();
    const double impact = std::sqrt(2.0 / 9.81);
    require(near(simulation.advance(0.5 * impact).value()[0], 0.75, 1e-4), "the height half way down");
    require(simulation.advance(1.5 * impact).value()[0] > 0.0 && impacts == 1, "one impact");
    while (!simulation.done()) simulation.advance(simulation.time() + 0.1).value();
    require(impacts >= 2 && !simulation.finish().failure, "the end");
}

void read_errors() {
    const auto wrong = Model::parse("model: m\ncomponents: {R1: {type: R, r: 1 ohm}}\n", "mine.yaml");
    require(!wrong && wrong.error().kind == Error::Kind::model, "an error of the model");
    const Message& message = wrong.error().messages.front();
    require(message.place.file == "mine.yaml" && message.place.line == 2, "its place");
    require(!message.code.empty() && !message.notes.empty(), "its code and notes");
}

}  // namespace

int main(int count, char** arguments) {
    try {
        simulate_and_set(arguments[count - 1]);
        ask(arguments[count - 1]);
        draw_and_answer(arguments[count - 1]);
        step_with_events();
        read_errors();
        std::printf("bondgraph %s works\n", std::string(version()).c_str());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "failed: %s\n", e.what());
        return 1;
    }
}
