// GET /v1/whatif: one question for several values of one of its inputs.
#include "prediction/what_if.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "prediction/cost.h"
#include "prediction/run_traces.h"

#include "daemon/service/estimate.h"
#include "daemon/service/router.h"
#include "daemon/service/router_call.h"
#include "parsers/base/text.h"
#include "prediction/like.h"

namespace etad::service {
namespace {

using prediction::Vary;
using prediction::WhatIf;

constexpr std::size_t kMostValues = 64;
constexpr std::int64_t kMostRunsCounted = 1000;

Vary varied(const std::string& name) {
  if (name == "devices") return Vary::devices;
  return name == "device" || name == "split" ? Vary::device : Vary::batch_size;
}

// A device that is named twice is two of them where a batch is split; elsewhere nothing is asked twice.
std::vector<std::string> values_from(Params& params, Vary vary, bool splits) {
  const std::string text = params.text_or("values");
  std::vector<std::string> out;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    std::string value(trim(std::string_view(text).substr(from, comma - from), " "));
    if (splits || std::ranges::find(out, value) == out.end()) out.push_back(std::move(value));
    from = comma + 1;
  }
  if (out.size() > kMostValues)
    params.reject("values", "at most " + std::to_string(kMostValues) + " of them");
  for (const std::string& each : out)
    if (!prediction::with({}, vary, each))
      params.reject("values", "must be whole numbers from 1 on with commas between them, not \"" +
                                  each.substr(0, 40) + "\"");
  return out;
}

std::string value_of(const prediction::Question& question, Vary vary) {
  if (vary == Vary::device) return question.device.value_or("");
  return std::to_string((vary == Vary::devices ? question.devices : question.batch_size).value_or(0));
}

// How many of the network's newest runs had each value.
Result<std::map<std::string, std::int64_t>> runs_by_value(Reader& reader, const std::string& network,
                                                          const prediction::Question& question, Vary vary) {
  const bool test = question.phase == prediction::Question::Phase::test;
  const auto counts = reader.run_counts(network, test ? Phase::test : Phase::train, kMostRunsCounted);
  if (!counts) return tl::unexpected(counts.error());
  std::map<std::string, std::int64_t> out;
  for (const RunCount& each : *counts) {
    if (question.device && vary != Vary::device && each.device != *question.device) continue;
    switch (vary) {
      case Vary::batch_size:
        if (each.samples_per_iteration > 0) out[std::to_string(each.samples_per_iteration)] += each.runs;
        break;
      case Vary::devices:
        out[std::to_string(each.devices)] += each.runs;
        break;
      case Vary::device:
        out[each.device] += each.runs;
        break;
    }
  }
  return out;
}

// What a row says of energy or memory: it has no place for the interval of what nobody measured.
std::optional<double> shown_cost(const prediction::Estimate& estimate, estimators::Target cost) {
  const auto found = prediction::cost_of(estimate, cost);
  return found && found->said.rests_on.runs > 0 ? std::optional(found->value) : std::nullopt;
}

// How much memory the devices of the rows' hosts have, each host looked up once.
class MemoryOfHosts {
 public:
  MemoryOfHosts(Reader& reader, std::string own_host) : reader_(reader), own_host_(std::move(own_host)) {}

  std::optional<double> of(const std::string& host) {
    const auto known = bytes_.find(host);
    if (known != bytes_.end()) return known->second;
    auto found = prediction::device_memory(reader_, host, own_host_);
    if (!found) error_ = std::move(found.error());
    return bytes_[host] = found.value_or(std::nullopt);
  }
  const std::optional<Error>& error() const { return error_; }  // the last one, of any host

 private:
  Reader& reader_;
  std::string own_host_;
  std::map<std::string, std::optional<double>> bytes_;
  std::optional<Error> error_;
};

Reply reply_of(JsonWriter& json) {
  return {200, "application/json", {}, json.take() + "\n"};
}

// A row a device that takes a share, and the shares.
Reply reply_of_split(const prediction::Split& split, std::int64_t batch) {
  JsonWriter json;
  json.begin_object().field("vary", "split").key("rows").begin_array();
  for (const prediction::Split::Share& share : split.shares) {
    if (!share.estimate) continue;
    begin_estimate(json, *share.estimate);
    json.end_object();
  }
  json.end_array().field("unanswered", std::vector<std::string>()).key("best").null().key("knee").null();
  json.key("knee_within").null();
  json.key("split").begin_object().field("seconds_per_iteration", split.seconds);
  json.field("samples_per_second", static_cast<double>(batch) / split.seconds);
  json.list("shares", split.shares, [](JsonWriter& out, const prediction::Split::Share& share) {
    out.begin_object().field("device", share.device).field("batch_size", share.samples).end_object();
  });
  json.end_object().end_object();
  return reply_of(json);
}

void write_unanswered(JsonWriter& json, const WhatIf::Unanswered& each) {
  const Problem why = problem_of(each.why);
  json.begin_object().field("value", each.value).field("why", why.detail).field("hint", why.hint);
  json.end_object();
}

// `seen`: how many runs had each value.
Reply reply_of_rows(const WhatIf& answer, const std::string& name, Vary vary,
                    const std::map<std::string, std::int64_t>& seen, MemoryOfHosts& memory) {
  JsonWriter json;
  json.begin_object().field("vary", name);
  json.list("rows", answer.rows, [&](JsonWriter& out, const WhatIf::Row& row) {
    const auto runs = seen.find(value_of(row.question, vary));
    begin_estimate(out, row.estimate);
    out.field("seen", runs == seen.end() ? 0 : runs->second);
    out.field("energy_joules", shown_cost(row.estimate, estimators::Target::joules));
    out.field("peak_memory_bytes", shown_cost(row.estimate, estimators::Target::peak_bytes));
    out.field("device_memory_bytes", memory.of(row.estimate.key.host)).field("fits", row.fits).end_object();
  });
  json.list("unanswered", answer.unanswered, write_unanswered);
  json.maybe("best", answer.best, [&](JsonWriter& out, std::size_t best) {
    const WhatIf::Row& row = answer.rows[best];
    out.begin_object().field(name, value_of(row.question, vary)).field("row", best);
    out.field("why", row.samples_per_second > 0 ? "the most samples a second" : "the shortest time");
    out.end_object();
  });
  json.maybe("knee", answer.knee,
             [&](JsonWriter& out, std::size_t knee) { out.value(*answer.rows[knee].question.batch_size); });
  json.field("knee_within", answer.knee ? std::optional(answer.knee_within) : std::nullopt);
  json.end_object();
  return reply_of(json);
}

Reply answer(Reader& reader, const std::string& host, const std::string& name,
             const std::vector<std::string>& values, const prediction::Question& question,
             const prediction::Ask& ask) {
  if (name == "split") {
    const auto split = prediction::split(question, values, ask);
    return split ? reply_of_split(*split, *question.batch_size) : reply_of(problem_of(split.error()));
  }
  const Vary vary = varied(name);
  MemoryOfHosts memory(reader, host);
  const auto fits = [&](const prediction::Estimate& estimate) -> std::optional<bool> {
    const auto needed = shown_cost(estimate, estimators::Target::peak_bytes);
    const auto there = memory.of(estimate.key.host);
    return needed && there ? std::optional(*needed <= *there) : std::nullopt;
  };
  const auto answer = prediction::what_if(question, vary, values, ask, fits);
  if (!answer) return reply_of(problem_of(answer.error()));
  if (memory.error()) return history_failed(*memory.error());
  const auto& main = answer->rows.front().estimate.parts.front();
  const std::string network = main.model != nullptr ? main.model->key.network : question.network.value_or("");
  const auto seen = runs_by_value(reader, network, question, vary);
  if (!seen) return history_failed(seen.error());
  return reply_of_rows(*answer, name, vary, *seen, memory);
}

}  // namespace

Outcome Router::what_if(Call& call) {
  const std::string name = call.params.choice("vary", {"batch_size", "devices", "device", "split"});
  call.params.require("vary", "batch_size, devices, device or split");
  const bool splits = name == "split";
  const auto values = values_from(call.params, varied(name), splits);
  prediction::Question question = question_from(call.params, false, *backend_.models());
  question.asker = call.request.uid;
  if (splits && values.size() < 2)
    call.params.reject("values", "must name the devices to split over, two or more");
  if (splits && question.batch_size && *question.batch_size < 2)
    call.params.reject("batch_size", "must be 2 or more, to be split");
  if (auto problem = call.params.check()) return reply_of(*problem);
  if (auto like = take_from_run(call, question); !like) return std::move(like.error());
  return answered(question, [question, name, values, host = options_.host](Reader& reader, const auto& models,
                                                                           Instant now) mutable {
    take_only_batch_size(question, models, now);
    prediction::Question counted = question;
    if (name == "batch_size" && !question.batch_size) counted.batch_size = 1;  // each row has its own
    if (auto problem = count_iterations(counted, *models)) return reply_of(*problem);
    question.iterations = counted.iterations;
    return answer(reader, host, name, values, question, [&](prediction::Question each) {
      prediction::count_epochs(each);  // over each batch size anew
      return prediction::estimate(models, each, now);
    });
  });
}

}  // namespace etad::service
