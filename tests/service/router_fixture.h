// The router over a history of three runs and two models, asked without sockets.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "daemon/service/router.h"
#include "tests/service/fixtures.h"

namespace etad::service::testing {

class RouterTest : public ::testing::Test {
 protected:
  RouterTest() {
    auto set = std::make_shared<ModelSet>();
    set->models = held({fitted(1, "LeNet", Phase::train, 0.5, 0.01, 0.0006),
                        fitted(2, "LeNet", Phase::test, 0, 0.01, 0.0004, {100, 100})});
    backend_.model_set = set;
    backend_.of_networks = reader_.get();
    backend_.open_reader = [this] { return history_.reader(); };
    backend_.health_.started_at = kNow - std::chrono::minutes{2};
  }

  Outcome handle(std::string target, std::string method = "GET", std::string body = {},
                 bool may_change = true) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.host = "localhost";
    request.body = std::move(body);
    request.may_change = may_change;
    return router_.handle(request);
  }

  Reply ask(std::string target, std::string method = "GET", std::string body = {}, bool may_change = true) {
    Outcome outcome = handle(std::move(target), std::move(method), std::move(body), may_change);
    if (auto* reply = std::get_if<Reply>(&outcome)) return *reply;
    if (auto* work = std::get_if<Work>(&outcome)) return work->job();
    ADD_FAILURE() << "a stream, not a reply";
    return {};
  }

  json::object get(const std::string& target, unsigned status = 200) {
    const Reply reply = ask(target);
    EXPECT_EQ(reply.status, status) << reply.body;
    return json::parse(reply.body).as_object();
  }

  json::object change(const std::string& method, const std::string& target, unsigned status = 200) {
    const Reply reply = ask(target, method);
    EXPECT_EQ(reply.status, status) << reply.body;
    return json::parse(reply.body).as_object();
  }

  History history_;
  FakeBackend backend_;
  std::unique_ptr<Reader> reader_ = history_.reader();
  ServiceCounters counters_;
  prediction::LiveRuns live_{*reader_};
  Router router_{{"1.2.3", [] { return kNow; }, [this] { return counters_; }}, backend_, *reader_, live_};
};

}  // namespace etad::service::testing
