#include "bench/rivals/table.h"

#include <cstdio>
#include <string>

#include "regression/estimators/combined.h"

namespace etad::bench {

using namespace estimators;

void print_table(const estimators::Records& records) {
  std::printf("| Estimator |");
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    std::printf(" %s |", std::string(column_of(static_cast<Kind>(kind))).c_str());
  std::printf("\n|---|");
  for (std::size_t kind = 0; kind < kKinds; ++kind) std::printf("---|");
  std::printf("\n");
  for (std::size_t i = 0; i < estimators::estimators().size(); ++i) {
    std::printf("| %s |", std::string(estimators::estimators()[i].name).c_str());
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const Performance& performance = records.all[kind][i];
      const bool chosen = ranking(records.all[kind]).front() == i && performance.answered > 0;
      if (performance.answered == 0) {
        std::printf(" |");
      } else {
        std::printf(" %s%.1f%s (%.0f; %d/%d) |", chosen ? "**" : "", performance.error_percent,
                    chosen ? "**" : "", 100 * performance.coverage, performance.answered, performance.cases);
      }
    }
    std::printf("\n");
  }
}

bool next_line(std::istream& file, std::string& line) {
  if (!std::getline(file, line)) return false;
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

}  // namespace etad::bench
