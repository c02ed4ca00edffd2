#include "bondgraph/serve/answers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "tests/serve/in_folder.hpp"
#include "tests/support/forms.hpp"

namespace bondgraph::serve {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

constexpr const char* kCircuit = R"(model: rc
components:
  source: {type: Se, e: 10 V}
  j: {type: 1}
  R1: {type: R, R: 2 kohm}
  C1: {type: C, C: 1 uF}
bonds:
  - source -> j
  - j -> R1
  - j -> C1
experiment: {stop: 10 ms}
outputs: [C1.e]
)";

void put_text(const fs::path& file, const std::string& text) {
    if (!file.parent_path().empty()) fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

class ServeAnswers : public InFolder {
   protected:
    void SetUp() override {
        InFolder::SetUp();
        fs::create_directory("served");
        answers = std::make_unique<Answers>(WorkerOptions{.root = fs::canonical("served").string()});
    }

    Json ask(const char* what, const std::string& text, const Json& values = Json::object(),
             const std::string& name = "rc.yaml", const Json& seen = Json()) {
        Json request{{"ask", what}, {"name", name}, {"text", text}, {"values", values}};
        if (!seen.is_null()) request["seen"] = seen;
        return Json::parse(answers->answer(request.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }

    std::unique_ptr<Answers> answers;
};

std::string with(std::string text, const std::string& before, const std::string& after) {
    return text.replace(text.find(before), before.size(), after);
}

/// Where the numbers of a run stand beside it: base64 in place of what refers to them.
void put_numbers(Json& data, const std::string& numbers) {
    if (data.is_object() && data.contains("bytes")) {
        const std::string own =
            numbers.substr(data["bytes"][0].get<std::size_t>(), data["bytes"][1].get<std::size_t>());
        data = test::base64_text(own);
    } else if (data.is_structured()) {
        for (Json& inner : data) put_numbers(inner, numbers);
    }
}

constexpr const char* kRectifier = R"(model: rectifier
components:
  source: {type: Se, e: 10*sin(2*pi*50*time)}
  j: {type: 1}
  diode: {type: D, Ron: 1 ohm, Goff: 1 uS, e_knee: 0.7 V}
  o: {type: 0}
  load: {type: R, R: 100 ohm}
  C: {type: C, C: 100 uF}
bonds: [source -> j, j -> diode, j -> o, o -> load, o -> C]
experiment: {stop: 60 ms}
outputs: [C.e]
)";

TEST_F(ServeAnswers, ARunWithoutTheAccountOfEnergyHasTheSameNumbers) {
    for (const std::string text : {kCircuit, kRectifier}) {
        const Json page = ask("page", text);
        ASSERT_TRUE(page["data"]["run"]["energy"].is_object()) << page["messages"].dump();
        const Json with = ask("run", text, Json::object(), "rc.yaml", {{"energy", true}});
        const Json without = ask("run", text, Json::object(), "rc.yaml", {{"energy", false}, {"space", false}});
        EXPECT_TRUE(with["data"]["run"]["energy"].is_object());
        EXPECT_FALSE(without["data"]["run"].contains("energy"));
        EXPECT_FALSE(without["data"]["run"].contains("animation"));
        EXPECT_EQ(without["data"]["run"]["tables"], page["data"]["run"]["tables"]);
        EXPECT_EQ(with["data"]["run"]["tables"], page["data"]["run"]["tables"]);
    }
}

TEST_F(ServeAnswers, NumbersOfARunStandBesideItOnDemand) {
    ask("page", kCircuit);
    const Json request{{"ask", "run"}, {"name", "rc.yaml"}, {"text", kCircuit}, {"values", Json::object()}};
    const std::string plain = answers->answer(request.dump());
    Json asked = request;
    asked["bytes"] = true;
    const std::string whole = answers->answer(asked.dump());
    const std::size_t head = whole.find('\n') + 1;
    const std::size_t length = std::stoul(whole);
    Json answer = Json::parse(whole.substr(head, length));
    const std::string numbers = whole.substr(head + length);
    ASSERT_TRUE(answer["data"]["run"]["tables"][0]["time"].contains("bytes"));
    put_numbers(answer, numbers);
    EXPECT_EQ(answer, Json::parse(plain));
    // What is wrong is told as always.
    asked["text"] = "model: [";
    EXPECT_FALSE(Json::parse(answers->answer(asked.dump()))["messages"].empty());
}

TEST_F(ServeAnswers, ParametersTellTheUnitInWhichTheFileHasThem) {
    const std::string text = R"(model: units
parameters:
  T0: 20 degC
  share: 50 %
  angle: {value: -90 deg, doc: "Ã©"}
  w: 3000 rpm
  k: 0.1 N.m/A
  none: 0 kohm
  twice: 2*k
  quoted: "5 mm"
  single: '20 degC'  # outside
  wide: " +2 kohm "
components: {source: {type: Se, e: 10 V}, j: {type: 1}, "R": {type: R, R: 2}, C: {type: C, C: +1e2 uF}}
bonds: [source -> j, j -> R, j -> C]
experiment: {stop: 1 s}
)";
    const Json page = ask("page", text);
    std::map<std::string, Json> found;
    for (const Json& p : page["parameters"]) found[p["name"]] = p;
    const auto expect = [&](const char* name, const char* unit, double scale, double offset) {
        ASSERT_TRUE(found.contains(name)) << name << page.dump().substr(0, 2000);
        ASSERT_TRUE(found[name].contains("written")) << found[name].dump();
        EXPECT_EQ(found[name]["written"]["unit"], unit);
        EXPECT_NEAR(found[name]["written"]["scale"].get<double>(), scale, 1e-12 * scale) << name;
        EXPECT_NEAR(found[name]["written"]["offset"].get<double>(), offset, 1e-9) << name;
    };
    const double pi = std::acos(-1.0);
    expect("T0", "degC", 1.0, 273.15);
    expect("share", "%", 0.01, 0.0);
    expect("angle", "deg", pi / 180.0, 0.0);
    expect("w", "rpm", pi / 30.0, 0.0);
    expect("k", "N.m/A", 1.0, 0.0);
    expect("none", "kohm", 1000.0, 0.0);
    expect("quoted", "mm", 0.001, 0.0);
    expect("single", "degC", 1.0, 273.15);
    expect("wide", "kohm", 1000.0, 0.0);
    expect("R.R", "", 1.0, 0.0);
    expect("C.C", "uF", 1e-6, 0.0);
    EXPECT_FALSE(found["twice"].contains("written"));
}

TEST_F(ServeAnswers, APageHasDataParametersAndTheirPlaces) {
    const Json page = ask("page", kCircuit);
    EXPECT_EQ(page["messages"], Json::array());
    EXPECT_EQ(page["data"]["model"], "rc");
    EXPECT_TRUE(page["data"]["run"].is_object());
    EXPECT_TRUE(page["data"]["equations"].is_object());
    ASSERT_EQ(page["parameters"].size(), 3U);
    const Json& resistance = page["parameters"][1];
    EXPECT_EQ(resistance["name"], "R1.R");
    EXPECT_EQ(resistance["value"], 2000.0);
    EXPECT_EQ(resistance["unit"], "ohm");
    EXPECT_EQ(resistance["line"], 5);
    EXPECT_EQ(resistance["column"], 20);
}

std::vector<std::string> columns_of(const Json& answer) {
    std::vector<std::string> names;
    for (const Json& table : answer["data"]["run"]["tables"]) {
        for (const Json& column : table["columns"]) names.push_back(column["name"]);
    }
    return names;
}

TEST_F(ServeAnswers, ARunHasWhatIsSeenAlone) {
    const Json values{{"R1.R", 1000.0}};
    const std::vector<std::string> all = columns_of(ask("page", kCircuit));
    ASSERT_GT(all.size(), 2U);
    const Json some = ask("run", kCircuit, values, "rc.yaml", {{"results", {"C1.e", "R1.f", "nothing"}}});
    EXPECT_THAT(columns_of(some), testing::UnorderedElementsAre("C1.e", "R1.f"));
    // The numbers are those of the whole run, and the next one may be of all again.
    const Json whole = ask("run", kCircuit, values);
    EXPECT_EQ(columns_of(whole), all);
    EXPECT_EQ(whole["data"]["run"]["tables"][0], some["data"]["run"]["tables"][0]);
    for (const Json& seen : {Json::object(), Json{{"results", {"nothing"}}}, Json{{"results", 5}}, Json("C1.e")})
        EXPECT_EQ(columns_of(ask("run", kCircuit, values, "rc.yaml", seen)), all) << seen.dump();
}

TEST_F(ServeAnswers, FramesAreSeenByTheirNames) {
    const std::string pendulum =
        "model: pendulum\ncomponents: {world: {type: World, g: 9.81 m/s2}, hinge: {type: Revolute, n: [0, 0, 1], "
        "initial: {phi: 1}}, rod: {type: BodyShape, r: [1 m, 0, 0], m: 1 kg, I_33: 0.1 kg.m2}}\n"
        "connect: [[world.frame_b, hinge.frame_a], [hinge.frame_b, rod.frame_a]]\n"
        "outputs: [hinge.phi]\nexperiment: {stop: 100 ms}\n";
    const Json page = ask("page", pendulum);
    ASSERT_GT(page["data"]["run"]["frames"]["frames"].size(), 1U) << page["messages"].dump();
    const Json without = ask("run", pendulum, {{"rod.m", 2.0}}, "rc.yaml", {{"results", {"hinge.phi"}}});
    EXPECT_TRUE(without["data"]["run"]["frames"].is_null());
    EXPECT_TRUE(without["data"]["run"]["animation"].is_object());
    const Json with =
        ask("run", pendulum, {{"rod.m", 2.0}}, "rc.yaml", {{"results", {"hinge.phi"}}, {"frames", {"rod.frame_a"}}});
    ASSERT_EQ(with["data"]["run"]["frames"]["frames"].size(), 1U);
    EXPECT_EQ(with["data"]["run"]["frames"]["frames"][0]["name"], "rod.frame_a");
    EXPECT_EQ(columns_of(with), std::vector<std::string>{"hinge.phi"});
}

TEST_F(ServeAnswers, ARunWithOtherValuesHasTheRunAlone) {
    const Json run = ask("run", kCircuit, {{"R1.R", 1000.0}});
    EXPECT_TRUE(run["data"]["run"].is_object());
    EXPECT_FALSE(run["data"].contains("graphs"));
    EXPECT_FALSE(run["data"].contains("equations"));
    EXPECT_FALSE(run.contains("parameters"));
    // The same as the page's with that value in the file.
    const Json file = ask("page", with(kCircuit, "2 kohm", "1 kohm"));
    EXPECT_EQ(run["data"]["run"]["tables"], file["data"]["run"]["tables"]);
    EXPECT_NE(run["data"]["run"]["tables"], ask("page", kCircuit)["data"]["run"]["tables"]);
}

TEST_F(ServeAnswers, MistakesHaveTheirPlaces) {
    const Json page = ask("page", with(kCircuit, "type: R,", "type: Rr,"));
    ASSERT_EQ(page["messages"].size(), 1U);
    EXPECT_EQ(page["messages"][0]["line"], 5);
    EXPECT_EQ(page["messages"][0]["column"], 14);
    EXPECT_EQ(page["messages"][0]["file"], "rc.yaml");
    EXPECT_FALSE(page.contains("data"));
    for (const char* text : {"", "::: no yaml", "model: x\ncomponents: 5\n", "\xff\xfe", "model: x"}) {
        EXPECT_FALSE(ask("page", text)["messages"].empty()) << text;
    }
}

TEST_F(ServeAnswers, AConflictAndAFailureAreToldBesideWhatThereIs) {
    const Json conflict = ask("page", with(kCircuit, "type: R, R: 2 kohm", "type: Se, e: 1 V"));
    EXPECT_TRUE(conflict["data"].is_object());
    const Json failed =
        ask("page", with(kCircuit, "R: 2 kohm", "R: 2 kohm") + "when:\n  - {if: C1.e > 5, fail: too high}\n");
    ASSERT_FALSE(failed["messages"].empty());
    EXPECT_THAT(failed["messages"][0]["text"].get<std::string>(), HasSubstr("too high"));
    EXPECT_TRUE(failed["data"]["run"].is_object());
}

TEST_F(ServeAnswers, ModelsNameNoFilesOutside) {
    put_text("secret.csv", "t,u\n0,1\n1,2\n");
    put_text("secret.yaml", "types:\n  Hidden: {ports: {p: {}}, equations: [p.e = 0]}\n");
    put_text("served/own.csv", "t,u\n0,1\n1,2\n");
    put_text("served/own.yaml", "types:\n  Own: {ports: {p: {domain: electrical}}, equations: [p.e = 1]}\n");
    fs::create_symlink("../secret.csv", "served/link.csv");
    const auto messages_of_table = [&](const std::string& file) {
        return ask("page", with(kCircuit, "R: 2 kohm", "R: {from: " + file + "}"))["messages"].dump();
    };
    for (const std::string& file : {std::string("../secret.csv"), fs::canonical("secret.csv").string(),
                                    std::string("link.csv"), std::string("../not_there.csv")}) {
        EXPECT_THAT(messages_of_table(file), HasSubstr("outside of the folders")) << file;
    }
    EXPECT_THAT(messages_of_table("own.csv"), testing::Not(HasSubstr("outside of the folders")));
    const auto imported = [&](const std::string& file) {
        return ask("page", with(kCircuit, "components:", "import: [" + file + "]\ncomponents:"))["messages"].dump();
    };
    put_text("served/.env", "PASSWORD: hunter2\n");
    put_text("served/.hidden/own.csv", "t,u\n0,1\n1,2\n");
    EXPECT_THAT(imported(".env"), AllOf(HasSubstr("it is hidden"), testing::Not(HasSubstr("PASSWORD"))));
    EXPECT_THAT(messages_of_table(".hidden/own.csv"), HasSubstr("it is hidden"));
    EXPECT_EQ(imported("own.yaml"), "[]");
    EXPECT_EQ(imported("electrical"), "[]");
    // What is there and what is not sound alike.
    const auto without_name = [](std::string text, const std::string& name) {
        for (std::size_t at = 0; (at = text.find(name)) != std::string::npos;) text.erase(at, name.size());
        return text;
    };
    EXPECT_THAT(imported("../secret.yaml"), HasSubstr("outside of the folders"));
    EXPECT_EQ(without_name(imported("../secret.yaml"), "secret"), without_name(imported("../nowhere.yaml"), "nowhere"));
}

TEST_F(ServeAnswers, AFileThatIsImportedMayChange) {
    put_text("served/own.yaml", "types:\n  Own: {ports: {p: {domain: electrical}}, equations: [p.e = 5]}\n");
    const std::string text =
        with(with(kCircuit, "{type: Se, e: 10 V}", "{type: Own}"), "components:", "import: [own.yaml]\ncomponents:");
    const Json before = ask("run", text);
    ASSERT_TRUE(before["data"]["run"].is_object()) << before["messages"].dump();
    EXPECT_EQ(ask("run", text)["data"], before["data"]);
    put_text("served/own.yaml", "types:\n  Own: {ports: {p: {domain: electrical}}, equations: [p.e = 7]}\n");
    fs::last_write_time("served/own.yaml", fs::file_time_type::clock::now() + std::chrono::seconds(2));
    EXPECT_NE(ask("run", text)["data"], before["data"]);
}

TEST_F(ServeAnswers, ComparesWithTheSolutionBeside) {
    put_text("served/solutions/rc.yaml", kCircuit);
    const Json right = ask("compare", kCircuit);
    EXPECT_EQ(right["equal"], true);
    EXPECT_EQ(right["verdict"], "the same bond graph");
    const Json wrong = ask("compare", with(kCircuit, "type: C, C: 1 uF", "type: I, I: 1 mH"));
    EXPECT_EQ(wrong["equal"], false);
    EXPECT_FALSE(wrong["difference"].get<std::string>().empty());
    EXPECT_THAT(ask("compare", kCircuit, {}, "other.yaml")["error"].get<std::string>(), HasSubstr("no solution"));
    EXPECT_TRUE(ask("compare", kCircuit, {}, "../rc.yaml").contains("error"));
}

TEST_F(ServeAnswers, AnUnsolvedPageHasTheGraphAndTheRunAlone) {
    const Json page = Json::parse(
        answers->answer(Json{{"ask", "page"}, {"name", "rc.yaml"}, {"text", kCircuit}, {"solved", false}}.dump()));
    EXPECT_EQ(page["data"]["unsolved"], true);
    EXPECT_TRUE(page["data"]["run"].is_object());
    for (const char* key : {"equations", "symbolic", "linear", "causality"})
        EXPECT_FALSE(page["data"].contains(key)) << key;
    for (const Json& edge : page["data"]["graphs"][0]["edges"]) {
        for (const Json& component : edge["components"]) {
            EXPECT_EQ(component["stroke"], "open");
            EXPECT_EQ(component["reason"], "");
        }
    }
    EXPECT_FALSE(ask("page", kCircuit)["data"].contains("unsolved"));
}

TEST_F(ServeAnswers, StrokesAreJudgedBesideThoseThatAreThere) {
    const auto strokes = [&](const Json& placed, bool reveal = false) {
        return Json::parse(answers->answer(
            Json{{"ask", "strokes"}, {"name", "rc.yaml"}, {"text", kCircuit}, {"placed", placed}, {"reveal", reveal}}
                .dump()));
    };
    const Json none = strokes(Json::array());
    ASSERT_EQ(none["places"].size(), 3U);
    EXPECT_EQ(none["left"], 3);
    for (const Json& place : none["places"]) {
        EXPECT_FALSE(place.contains("end")) << "where strokes are is not given away";
        EXPECT_FALSE(place.contains("reason"));
    }
    const std::string bond = none["places"][0]["bond"];
    const Json wrong = strokes(Json::array({Json::array({bond, "from"})}));
    EXPECT_EQ(wrong["judged"][0]["verdict"], "wrong");
    EXPECT_EQ(wrong["judged"][0]["reason"], "Se 'source' fixes its effort");
    const Json right = strokes(Json::array({Json::array({bond, "to"})}));
    EXPECT_EQ(right["judged"][0]["verdict"], "forced");
    EXPECT_EQ(right["left"], 2);
    EXPECT_EQ(right["places"][0]["placed"], true);
    const Json shown = strokes(Json::array(), true);
    for (const Json& place : shown["places"]) EXPECT_TRUE(place.contains("end"));
    EXPECT_TRUE(strokes(Json::array({Json::array({bond})})).contains("error"));
}

TEST_F(ServeAnswers, EquationsAreJudged) {
    const auto derive = [&](const std::string& text, const Json& equations) {
        return Json::parse(answers->answer(
            Json{{"ask", "derive"}, {"name", "rc.yaml"}, {"text", text}, {"equations", equations}}.dump()));
    };
    const Json asked = derive(kCircuit, Json::array());
    EXPECT_EQ(asked["states"], Json::array({"C1.q"}));
    EXPECT_EQ(asked["unjudged"], "");
    const Json judged = derive(kCircuit, Json::array({"der(C1.q) = (source.e - C1.q/C1)/R1", "der(C1.q) = C1.q"}));
    EXPECT_EQ(judged["judged"][0]["right"], true);
    EXPECT_EQ(judged["judged"][1]["right"], false);
    EXPECT_FALSE(derive(with(kCircuit, "type: R,", "type: Rr,"), Json::array())["messages"].empty());
}

TEST_F(ServeAnswers, AllTypesAreTold) {
    const Json types = Json::parse(answers->answer(R"({"ask": "types"})"))["types"];
    EXPECT_GT(types.size(), 300U);
    const auto named = [&](const char* name) {
        for (const Json& t : types) {
            if (t["name"] == name) return t;
        }
        return Json();
    };
    EXPECT_EQ(named("R")["import"], "");
    EXPECT_EQ(named("Resistor")["import"], "electrical");
    EXPECT_FALSE(named("Resistor")["summary"].get<std::string>().empty());
}

TEST_F(ServeAnswers, TypesOfFurtherFoldersAreToldAndRead) {
    put_text("mine/parts.yaml",
             "types:\n  Own: {doc: one of my own, ports: {p: {domain: electrical}}, equations: [p.e = 5]}\n");
    answers = std::make_unique<Answers>(
        WorkerOptions{.root = fs::canonical("served").string(), .import_folders = {fs::canonical("mine").string()}});
    EXPECT_THAT(answers->answer(R"({"ask": "types"})"), HasSubstr("one of my own"));
    EXPECT_EQ(ask("page", with(kCircuit, "components:", "import: [parts]\ncomponents:"))["messages"], Json::array());
}

TEST_F(ServeAnswers, RequestsWithoutFormAreErrors) {
    for (const char* request : {"", "no json", "[]", "{}", R"({"ask": 5})", R"({"ask": "other"})", R"({"ask": "page"})",
                                R"({"ask": "page", "name": 1, "text": "x"})"}) {
        EXPECT_TRUE(Json::parse(answers->answer(request)).contains("error")) << request;
    }
    // Values that are no numbers are none.
    EXPECT_TRUE(ask("run", kCircuit, {{"R1.R", "{from: /etc/passwd}"}})["data"]["run"].is_object());
}

constexpr const char* kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

TEST_F(ServeAnswers, FormsOfPartsAreThoseInTheFolderAndFollowTheirFiles) {
    put_text("out.obj", kTetrahedron);
    put_text("served/forms/a.obj", kTetrahedron);
    const auto model = [](const std::string& file) {
        return R"(model: swing
components:
  world: {type: World}
  joint: {type: Revolute}
  rod: {type: BodyShape, r: [1, 0, 0], m: 1 kg, I_33: 1 kg.m2, shapes: [{file: )" +
               file + R"(, frame: frame_a}]}
connect: [[world.frame_b, joint.frame_a], [joint.frame_b, rod.frame_a]]
experiment: {stop: 1 s}
)";
    };
    EXPECT_THAT(ask("page", model("../out.obj")).dump(), HasSubstr("outside of the folders"));
    const auto forms = [&] { return ask("page", model("forms/a.obj"))["data"]["run"]["animation"]["meshes"]; };
    const Json before = forms();
    ASSERT_EQ(before.size(), 1U);
    put_text("served/forms/a.obj", std::string(kTetrahedron) + "v 5 5 5\nf 2 3 5\n");
    fs::last_write_time("served/forms/a.obj", fs::last_write_time("served/forms/a.obj") + std::chrono::seconds(2));
    EXPECT_NE(forms(), before);
}

}  // namespace
}  // namespace bondgraph::serve
