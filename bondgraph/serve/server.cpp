#include "bondgraph/serve/server.hpp"

#include <fmt/format.h>

#include <csignal>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/serve/bench.hpp"
#include "bondgraph/serve/folder.hpp"
#include "bondgraph/serve/guard.hpp"
#include "bondgraph/serve/http.hpp"
#include "bondgraph/serve/workers.hpp"

namespace bondgraph::serve {
namespace {

using Json = nlohmann::json;

// What the bench may load: its own files. What it shows of a model stands in a frame that has no origin, and can
// neither ask this server nor see the token.
constexpr const char* kBenchPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; connect-src "
    "'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src blob: data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-downloads";

HttpResponse json_response(std::string text, unsigned status = 200) {
    return {.status = status, .type = "application/json", .body = std::move(text)};
}

HttpResponse json_response(const Json& json, unsigned status = 200) {
    return json_response(json.dump(-1, ' ', false, Json::error_handler_t::replace), status);
}

HttpResponse mistake(const std::string& why, unsigned status) { return json_response(Json{{"error", why}}, status); }

HttpResponse file_response(std::string_view text, const char* type, const char* policy) {
    return {.type = type, .body = std::string(text), .headers = {{"Content-Security-Policy", policy}}};
}

const char* picture_type(const std::string& name) {
    if (name.ends_with(".svg")) return "image/svg+xml";
    if (name.ends_with(".png")) return "image/png";
    return nullptr;
}

}  // namespace

struct Server::Impl {
    explicit Impl(ServeOptions given)
        : options(std::move(given)),
          folder(options.folder, options.read_only),
          workers({.command = options.worker_command, .processes = options.workers, .limit = options.limit}) {
        guard.token = options.token.empty() ? new_token() : options.token;
        std::signal(SIGPIPE, SIG_IGN);  // of a worker that has ended; it is told by the call
        const std::lock_guard lock(starting);
        http.emplace(options.port, HttpLimits{}, [this](const HttpRequest& r) { return answer(r); });
        guard.port = http->port();
    }

    ~Impl() { workers.close(); }

    HttpResponse answer(const HttpRequest& request) {
        { const std::lock_guard lock(starting); }  // its port may not be known yet
        HttpResponse response = guarded(request);
        response.headers.insert(response.headers.end(), {{"Cache-Control", "no-store"},
                                                         {"X-Content-Type-Options", "nosniff"},
                                                         {"Referrer-Policy", "no-referrer"},
                                                         {"Cross-Origin-Resource-Policy", "same-origin"}});
        return response;
    }

    HttpResponse guarded(const HttpRequest& request) {
        if (auto refused = guard.refusal(request)) return *std::move(refused);
        const auto route = routes.find(request.method + " " + request.path);
        try {
            if (route != routes.end()) return (this->*route->second)(request);
        } catch (const Json::exception&) {
            return mistake("the request has not the form that is expected", 400);
        }
        for (const auto& [key, unused] : routes) {
            if (key.ends_with(" " + request.path)) return mistake("not by this method", 405);
        }
        return mistake("there is nothing here", 404);
    }

    HttpResponse page(const HttpRequest& /*unused*/) {
        return file_response(bench_page(), "text/html; charset=utf-8", kBenchPolicy);
    }
    HttpResponse script(const HttpRequest& /*unused*/) {
        return file_response(bench_script(), "text/javascript; charset=utf-8", kBenchPolicy);
    }
    HttpResponse style(const HttpRequest& /*unused*/) {
        return file_response(bench_style(), "text/css; charset=utf-8", kBenchPolicy);
    }
    HttpResponse view(const HttpRequest& /*unused*/) {
        return file_response(api::empty_page(), "text/html; charset=utf-8", kPagePolicy);
    }

    HttpResponse files(const HttpRequest& /*unused*/) {
        Json list = Json::array();
        for (const FolderFile& f : folder.files()) {
            list.push_back({{"name", f.name}, {"stamp", f.stamp}, {"solution", f.solution}, {"exercise", f.exercise}});
        }
        return json_response(Json{{"folder", folder.root().filename().string()},
                                  {"first", options.file},
                                  {"read_only", options.read_only},
                                  {"version", api::version()},
                                  {"files", std::move(list)}});
    }

    HttpResponse file(const HttpRequest& request) {
        const auto name = request.query.find("name");
        if (name == request.query.end()) return mistake("the name is missing", 400);
        const auto found = folder.read(name->second);
        if (!found) {
            const std::string why = fmt::format("there is no file '{}' in this folder", name->second);
            // Browsers log what is not found as a mistake: who asks whether it is there does not want that.
            return request.query.contains("if_there") ? json_response(Json{{"missing", true}, {"error", why}})
                                                      : mistake(why, 404);
        }
        if (const char* picture = picture_type(name->second))
            return {.type = picture,
                    .body = found->text,
                    .headers = {{"Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'"}}};
        return json_response(Json{{"text", found->text}, {"version", found->version}});
    }

    HttpResponse save(const HttpRequest& request) {
        const Json asked = Json::parse(request.body);
        const std::string name = asked.at("name").get<std::string>();
        const std::lock_guard lock(writing);  // two tabs that both have seen the same version
        const Written written =
            folder.write(name, asked.at("text").get<std::string>(), asked.value("version", std::string()));
        return told(written, name);
    }

    HttpResponse rename(const HttpRequest& request) {
        const Json asked = Json::parse(request.body);
        const std::string name = asked.at("name").get<std::string>();
        const std::lock_guard lock(writing);
        return told(folder.rename(name, asked.at("to").get<std::string>(), asked.at("version").get<std::string>()),
                    name);
    }

    HttpResponse remove(const HttpRequest& request) {
        const Json asked = Json::parse(request.body);
        const std::string name = asked.at("name").get<std::string>();
        const std::lock_guard lock(writing);
        const Written written = folder.remove(name, asked.at("version").get<std::string>());
        if (written.outcome != Written::Outcome::written) return told(written, name);
        Json beside = Json::array();
        for (const auto& [file, text] : written.beside) beside.push_back({{"name", file}, {"text", text}});
        return json_response(Json{{"beside", std::move(beside)}});
    }

    static HttpResponse told(const Written& written, const std::string& name) {
        switch (written.outcome) {
            case Written::Outcome::written:
                return json_response(Json{{"version", written.version}});
            case Written::Outcome::changed_meanwhile:
                return mistake(fmt::format("'{}' has been changed by somebody else meanwhile", name), 409);
            case Written::Outcome::refused:
                break;
        }
        return mistake(written.why, 403);
    }

    HttpResponse types(const HttpRequest& /*unused*/) {
        const std::lock_guard lock(catalogue_mutex);
        if (!catalogue) {
            const WorkerAnswer found = workers.ask("types", Json{{"ask", "types"}}.dump());
            if (found.outcome != WorkerAnswer::Outcome::answered) return told(found);
            catalogue = found.text;
        }
        return json_response(*catalogue);
    }

    HttpResponse ask(const HttpRequest& request, const char* what) {
        Json asked = Json::parse(request.body);
        const std::string name = asked.at("name").get<std::string>();
        if (!folder.place_of(name)) return mistake(fmt::format("'{}' can't be a model of this folder", name), 400);
        asked["ask"] = what;
        return told(workers.ask(asked.value("tab", std::string()), asked.dump()));
    }
    HttpResponse model(const HttpRequest& request) { return ask(request, "page"); }
    HttpResponse run(const HttpRequest& request) { return ask(request, "run"); }
    HttpResponse compare(const HttpRequest& request) { return ask(request, "compare"); }
    HttpResponse strokes(const HttpRequest& request) { return ask(request, "strokes"); }
    HttpResponse derive(const HttpRequest& request) { return ask(request, "derive"); }

    HttpResponse stop(const HttpRequest& request) {
        workers.stop(Json::parse(request.body).value("tab", std::string()));
        return json_response(Json::object());
    }

    HttpResponse told(const WorkerAnswer& answer) const {
        switch (answer.outcome) {
            case WorkerAnswer::Outcome::answered:
                // A run with its numbers as bytes begins with a length.
                if (!answer.text.starts_with('{')) return {.type = "application/octet-stream", .body = answer.text};
                return json_response(answer.text);
            case WorkerAnswer::Outcome::stopped:
                return mistake("stopped", 409);
            case WorkerAnswer::Outcome::too_long:
                return mistake(
                    fmt::format("this took longer than {} s and was stopped; 'bondgraph serve --limit' gives more time",
                                std::chrono::duration_cast<std::chrono::seconds>(options.limit).count()),
                    504);
            case WorkerAnswer::Outcome::busy:
                return mistake("too many models are being looked at: try again", 503);
            case WorkerAnswer::Outcome::ended:
                break;
        }
        return mistake("the process that looked at this model has ended: a defect of the program, not of the model",
                       500);
    }

    using Route = HttpResponse (Impl::*)(const HttpRequest&);
    const std::map<std::string, Route> routes{{"GET /", &Impl::page},
                                              {"GET /bench.js", &Impl::script},
                                              {"GET /bench.css", &Impl::style},
                                              {"GET /page.html", &Impl::view},
                                              {"GET /api/files", &Impl::files},
                                              {"GET /api/file", &Impl::file},
                                              {"GET /api/types", &Impl::types},
                                              {"POST /api/save", &Impl::save},
                                              {"POST /api/rename", &Impl::rename},
                                              {"POST /api/delete", &Impl::remove},
                                              {"POST /api/model", &Impl::model},
                                              {"POST /api/run", &Impl::run},
                                              {"POST /api/compare", &Impl::compare},
                                              {"POST /api/strokes", &Impl::strokes},
                                              {"POST /api/derive", &Impl::derive},
                                              {"POST /api/stop", &Impl::stop}};

    ServeOptions options;
    Folder folder;
    Workers workers;
    Guard guard;
    std::mutex starting;
    std::mutex writing;
    std::mutex catalogue_mutex;
    std::optional<std::string> catalogue;
    std::optional<HttpServer> http;  // ends first: it calls all the others
};

Server::Server(ServeOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Server::~Server() = default;

std::string Server::address() const {
    return fmt::format("http://127.0.0.1:{}/#token={}", impl_->guard.port, impl_->guard.token);
}

std::size_t Server::models() const { return impl_->folder.files().size(); }

bool Server::available() { return !bench_page().empty() && !api::empty_page().empty(); }

}  // namespace bondgraph::serve
