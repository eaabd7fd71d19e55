// A network that is only described: shown with a question, or by a log that has no times yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "parsers/base/record.h"
#include "parsers/network/net_text.h"
#include "regression/estimators/case.h"

namespace etad::prediction {

struct Description {
  std::string framework;     // of whose form it is: "caffe", "keras", "pytorch"; empty: of none
  std::string name;          // may be empty
  std::string architecture;  // fingerprint; may be empty
  std::optional<std::int64_t> batch_size, test_batch_size;
  std::shared_ptr<const estimators::Costs> costs;  // nullptr: see `unknown`
  std::string unknown;  // why its costs can't be counted, as one clause; empty: they can
};

Description described(NetText net);

}  // namespace etad::prediction
