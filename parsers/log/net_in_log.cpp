#include "parsers/log/net_in_log.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "parsers/base/text.h"
#include "parsers/lines/line.h"
#include "parsers/log/log_parser.h"

namespace etad {
namespace {

constexpr std::size_t kLineLimit = 64 * 1024;

NetText text_of(const Run& run, std::vector<Layer> layers) {
  NetText out;
  out.format = run.framework == "caffe" ? "caffe" : "";
  out.name = run.network;
  out.architecture = run.architecture;
  out.batch_size =
      run.train.samples_per_iteration ? run.train.samples_per_iteration : run.test.samples_per_iteration;
  out.test_batch_size = run.test.samples_per_iteration;
  out.layers = std::move(layers);
  return out;
}

}  // namespace

Result<NetText> network_in_log(std::string_view log, const FormatSet& formats) {
  LogOptions options;
  options.formats = &formats;
  LogParser parser(std::move(options));
  Records records;
  LineLosses losses;
  std::vector<std::string_view> states;
  while (!log.empty()) {
    std::string line(take_until(log, '\n'));
    states.clear();
    clean_states(line, kLineLimit, states, losses);
    for (const std::string_view each : states) parser.feed(each, std::nullopt, Instant{}, records);
  }
  parser.settle(records);
  parser.flush(records);
  if (parser.format().empty())
    return fail("this shows no network, and no rule file knows it as a log",
                "it may be a Caffe net (prototxt), Keras' model.summary(), PyTorch's print(model), or the "
                "beginning of a log that prints its net");
  if (records.layers.empty())
    return fail("this log shows no layers", "of the shipped formats Caffe's logs do");
  const std::int64_t ordinal = records.layers.front().run;
  const auto run = std::ranges::find(records.runs, ordinal, &Run::ordinal);
  return text_of(run == records.runs.end() ? Run{} : *run, std::move(records.layers.front().value));
}

}  // namespace etad
