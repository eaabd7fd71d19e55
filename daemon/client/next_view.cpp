// etactl next: the runs worth making, a row each.
#include "daemon/client/deployment_words.h"
#include "daemon/client/text.h"
#include "daemon/client/views.h"

namespace etad::client {
namespace {

std::string runs_worth_making(const Object& answer, const Screen& screen, const char* none) {
  const auto runs = objects_of(answer, "runs");
  if (runs.empty()) return none;
  Table table({">batch size", ">devices", ">iterations", ">takes", ">interval before", ">after"});
  for (const Object& run : runs) {
    table.row({count_text(count_of(run, "batch_size")), count_text(count_of(run, "devices")),
               count_text(count_of(run, "iterations")), duration_text(number_of(run, "seconds")),
               "± " + percent_text(number_of(run, "half_width_before_percent")),
               "± " + percent_text(number_of(run, "half_width_after_percent"))});
  }
  const std::string host = text_of(answer, "host");
  return table.text(screen.width, screen.colours) + or_dash(text_of(answer, "network")) + ", " +
         text_of(answer, "phase") + ", on " + or_dash(text_of(answer, "device")) +
         (host.empty() ? "" : " of " + host) + "; in this order, each beside those above it\n";
}

}  // namespace

std::string next_text(const Object& answer, const Screen& screen) {
  return runs_worth_making(answer, screen, "No further run would narrow the estimates by a hundredth.\n");
}

std::string next_within_text(const Object& answer, const Screen& screen) {
  return runs_worth_making(answer, screen,
                           "No run within the budget would narrow the estimates by a hundredth.\n");
}

}  // namespace etad::client
