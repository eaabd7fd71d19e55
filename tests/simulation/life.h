// One life: what happens to logs, what the daemon does and what befalls it, in an order that the seed gives and that
// changes at every call. After each step the history is held against what was written.
#pragma once

#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "tests/simulation/disk.h"
#include "tests/simulation/machine.h"
#include "tests/simulation/world.h"

namespace etad::simulation {

// A promise was broken; its text says which, and what happened until then.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What a life may bring, so that a failure can be looked for with less of it.
struct Hardships {
  bool interleaving = true;
  bool kills = true;
  bool power_cuts = true;
  bool faults = true;
  bool clock = true;
  bool company = false;   // others ask for imports, reloads and answers
  bool detailed = false;  // the story tells after each look where the daemon stands
};

class Life {
 public:
  // `begin`: the disk with a history that is still empty. Some lives begin without.
  Life(std::uint64_t seed, const Hardships& hardships, const std::string& database, const Disk::Image& begin,
       std::shared_ptr<const FormatSet> formats);

  void live();  // throws Broken
  const std::string& story() { return world_.story(); }

 private:
  void step();
  follow::Watch some_watch();
  void begin_trouble();
  void at_file_call();
  int at_disk_call();
  bool dies_now();
  bool ensure_running();
  void look();
  void be_asked();
  void question();
  std::string some_question();
  void hold_against_history(const std::string& target, const service::Reply& reply);
  void end_imports();
  void catch_up();
  void end_of_machine(bool power_cut);
  void end_quietly();
  void check();
  void excuse_repeated(Job& job);
  void check_all();
  [[noreturn]] void broken(const std::string& what);

  std::size_t pick(std::size_t n) { return chance_() % n; }
  void tell(const std::string& what) { world_.story() += what + "\n"; }

  std::mt19937_64 chance_;
  Hardships hardships_;
  follow::FakeFileSystem files_;
  Disk disk_;
  World world_;
  Machine machine_;

  // By run: the iteration that an answer told. Whatever is told has been committed, and a kill takes none of it back.
  std::map<std::int64_t, std::int64_t> told_;

  // Of the daemon's doing of now.
  bool in_call_ = false;       // the world acts, or the history is being checked: nobody else does
  std::size_t acts_left_ = 0;  // of the world between calls
  std::optional<std::size_t> dies_after_;  // calls
  std::optional<std::size_t> fails_after_;
  bool has_failed_ = false;         // a call, since that was last asked
  std::size_t questions_left_ = 0;  // between the daemon's own calls
};

}  // namespace etad::simulation
