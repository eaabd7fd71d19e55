// A log goes on where an import of it has ended.
#include "tests/daemon/import_races.h"

namespace etad {
namespace {

class ImportGoesOn : public ImportRaces {
 protected:
  const std::string part_ = first_lines("Iteration 300,");
  const std::string rest_ = lenet_.substr(part_.size());
};

// What was committed of one that goes on with another stays; it ends within a line.
TEST_F(ImportGoesOn, WhereAnotherThatWentOnWithItBrokeOff) {
  std::string log = part_;
  for (int i = 0; i < 200'000; ++i) log += "a line of no format\n";
  const std::size_t within_a_line = log.size() - 7;
  log += rest_;
  ASSERT_TRUE(begin("/elsewhere/lenet.log", part_)->finish());
  begin("/elsewhere/lenet.log", std::string_view(log).substr(0, within_a_line)).reset();
  ASSERT_TRUE(begin("/elsewhere/lenet.log", log)->finish());
  expect_once();
}

}  // namespace
}  // namespace etad
