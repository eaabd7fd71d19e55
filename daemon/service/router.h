// From requests to replies. Knows the routes, who may use them and what they answer, and nothing of sockets:
// a test calls it with a Request and looks at what comes back.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/service/message.h"
#include "daemon/service/metrics.h"
#include "daemon/service/params.h"
#include "daemon/service/privacy.h"
#include "prediction/live_runs.h"
#include "prediction/question.h"
#include "storage/history.h"

namespace etad::service {

// Something that may block: to be run on a worker thread.
struct Work {
  std::function<Reply()> job;
};

// An import whose content is the request's body, to be streamed into an ImportSession.
struct Import {
  ImportRequest request;
};

// A watch: `Router::changes` at each change until the client goes.
struct Watch {
  RunFilter filter;
  Request request;  // whose it is, without its body
};

// A copy of the history, to be made on a worker thread and sent as a file.
struct Backup {};

using Outcome = std::variant<Reply, Work, Import, Watch, Backup>;

// What a watch has told its client so far: for each run the line last sent, as a hash.
struct Watched {
  std::map<std::int64_t, std::size_t> sent;
};

// Belongs to one thread, as its reader does. A Work's job may run on another.
class Router {
 public:
  struct Options {
    std::string version;
    std::function<Instant()> now;
    std::function<ServiceCounters()> counters;
    std::string host = {};      // this machine: what a monitoring trace that names no host is about
    bool private_runs = false;  // of another's runs only networks, sizes and times are shown
  };

  Router(Options options, Backend& backend, Reader& reader, prediction::LiveRuns& live);

  // What a request's head alone says against it: a foreign origin, an unknown path, a wrong method, no right
  // to change things. To be asked before the body is read.
  std::optional<Reply> objection(const Request& request) const;

  // Whether the body of such a request is streamed, not read into Request::body.
  bool streams(const Request& request) const;

  // The request is taken: a Work has of its body what it needs, nobody else has anything of it.
  Outcome handle(Request request);

  // The lines a watch is to send now: one JSON object for each run that is new, changed or, having left the
  // filter, over. Empty: nothing.
  std::string changes(const Watch& watch, Watched& watched);

 private:
  struct Route;
  struct Call;  // one request on its way through: its parameters and path argument
  static const std::vector<Route>& routes();
  Outcome dispatch(Request& request);

  // The handlers. One that takes parameters reads them off its call and then asks `Params::check` once;
  // of one whose call is const the dispatcher has asked that there are none.
  Outcome index(const Call& call);
  Outcome description(const Call& call);
  Outcome health(const Call& call);
  Outcome estimate(Call& call);
  Outcome what_if(Call& call);
  Outcome next(Call& call);
  Outcome estimators(Call& call);
  Outcome runs(Call& call);
  Outcome run(const Call& call);
  Outcome segments(Call& call);
  Outcome progress(Call& call);
  Outcome networks(Call& call);
  Outcome models(Call& call);
  Outcome model(const Call& call);
  Outcome accuracy(Call& call);
  Outcome predictions(Call& call);
  Outcome sources(Call& call);
  Outcome series(Call& call);
  Outcome series_points(Call& call);
  Outcome metrics(const Call& call);
  Outcome import(Call& call);
  Outcome label(Call& call);
  Outcome forget_run(const Call& call);
  Outcome forget_source(const Call& call);
  Outcome forget_owner(const Call& call);
  Outcome reread(const Call& call);
  Outcome refit(const Call& call);
  Outcome reload(const Call& call);
  Outcome backup(const Call& call);

  // What answers a question, by these models at that instant. `reader`: of the thread that it is called on.
  using Answering =
      std::function<Reply(Reader& reader, const std::shared_ptr<const prediction::ModelSet>&, Instant)>;
  // By the models of now at once. Of a time that is past (`question.at`) they are made for the question, which takes
  // seconds: on a worker, and once for all that is asked of them.
  Outcome answered(const prediction::Question& question, Answering answering);
  // The run that a question names (`like`), if it does, and from that what it leaves out, settings only where the asker
  // may see them. A reply where there is no such run.
  tl::expected<std::optional<RunRow>, Reply> take_from_run(Call& call, prediction::Question& question);
  void write_shown(JsonWriter& json, const RunRow& row, const Request& request, std::optional<Instant> now);
  std::string run_line(const RunRow& row, const Request& request, std::optional<Instant> now);

  Options options_;
  Backend& backend_;
  Reader& reader_;
  prediction::LiveRuns& live_;
  Privacy privacy_;
};

}  // namespace etad::service
