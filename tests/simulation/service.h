// What the daemon answers in a life: the router over the history, asked between any two calls of the rest. Without
// sockets: a request is a value.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/refit.h"
#include "daemon/service/router.h"
#include "prediction/live_runs.h"
#include "storage/history.h"

namespace etad::simulation {

class Service final : public service::Backend {
 public:
  // `refit` outlives it.
  Service(std::unique_ptr<Reader> reader, std::unique_ptr<Reader> of_live_runs, Refit& refit,
          std::shared_ptr<const FormatSet> formats, std::function<Instant()> now);

  // As the superuser, who may see all.
  service::Reply get(const std::string& target);

  std::shared_ptr<const prediction::ModelSet> models() override { return refit_.models(); }
  std::shared_ptr<const FormatSet> formats() override { return formats_; }
  service::Health health() override { return {}; }
  std::map<std::string, std::string> source_statuses() override { return {}; }

  Result<std::unique_ptr<Reader>> reader() override { return not_here(); }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override {
    return reader_->networks(filter);
  }
  // What changes something is asked of the machine itself.
  Result<prediction::RefitReport> refit() override { return refit_.run(); }
  Result<std::vector<std::string>> reload() override { return not_here(); }
  Result<void> label(std::int64_t, const std::map<std::string, std::string>&) override { return not_here(); }
  Result<void> reread(std::int64_t) override { return not_here(); }
  Result<void> forget_source(std::int64_t) override { return not_here(); }
  Result<void> forget_run(std::int64_t) override { return not_here(); }
  Result<Forgotten> forget_owner(std::int64_t) override { return not_here(); }
  Result<std::string> backup() override { return not_here(); }
  Result<std::unique_ptr<service::ImportSession>> begin_import(const service::ImportRequest&) override {
    return not_here();
  }

 private:
  static tl::unexpected<Error> not_here() { return fail("not asked for in a simulated life"); }

  std::unique_ptr<Reader> reader_, of_live_runs_;
  Refit& refit_;
  std::shared_ptr<const FormatSet> formats_;
  prediction::LiveRuns live_;
  service::Router router_;
};

}  // namespace etad::simulation
