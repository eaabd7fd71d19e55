// A network that is only described: shown with a question, or by a log that has no times yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>

#include "parsers/base/record.h"
#include "parsers/network/net_text.h"
#include "regression/estimators/case.h"
#include "storage/rows.h"

namespace etad::prediction {

// What the layers cost, or why that can't be counted, as one clause: where a layer's work is not known, a sum over the
// others would be no network's. `timed`: what some took on the machine.
tl::expected<std::shared_ptr<const estimators::Costs>, std::string> costs_of(
    std::span<const Layer> layers, std::span<const TimedLayer> timed = {});

struct Description {
  std::string framework;     // of whose form it is: "caffe", "keras", "pytorch"; empty: of none
  std::string name;          // may be empty
  std::string architecture;  // fingerprint; may be empty
  std::optional<std::int64_t> batch_size, test_batch_size;
  std::shared_ptr<const estimators::Costs> costs;  // nullptr: see `unknown`
  std::string unknown;                             // why its costs can't be counted; empty: they can
};

Description described(NetText net);

}  // namespace etad::prediction
