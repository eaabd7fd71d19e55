#include "tests/simulation/service.h"

#include <utility>
#include <variant>

namespace etad::simulation {

Service::Service(std::unique_ptr<Reader> reader, std::unique_ptr<Reader> of_live_runs, Refit& refit,
                 std::shared_ptr<const FormatSet> formats, std::function<Instant()> now)
    : reader_(std::move(reader)),
      of_live_runs_(std::move(of_live_runs)),
      refit_(refit),
      formats_(std::move(formats)),
      live_(*of_live_runs_),
      router_({"simulated", std::move(now), [] { return service::ServiceCounters{}; }}, *this, *reader_,
              live_) {}

service::Reply Service::get(const std::string& target) {
  service::Request request;
  request.method = "GET";
  request.target = target;
  request.may_change = true;
  request.uid = 0;
  service::Outcome outcome = router_.handle(request);
  if (auto* reply = std::get_if<service::Reply>(&outcome)) return std::move(*reply);
  if (auto* work = std::get_if<service::Work>(&outcome)) return work->job();
  service::Reply other;  // a stream, which nothing of a life asks for
  other.status = 501;
  return other;
}

}  // namespace etad::simulation
