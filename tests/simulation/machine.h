// The daemon's share of a life: history, follower and ingest on a simulated clock, disk and file system. It can be
// started, killed at any call, and lose its power; the history is asked what is in it after every step.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "daemon/follow/follower.h"
#include "daemon/importer.h"
#include "daemon/ingest.h"
#include "daemon/refit.h"
#include "daemon/shared_writer.h"
#include "prediction/stored_models.h"
#include "storage/history.h"
#include "tests/follow/fake_filesystem.h"
#include "tests/simulation/service.h"

namespace etad::simulation {

struct Killed {};  // thrown out of a call of the file system

// A line as the history has it.
struct Step {
  int job = 0;
  int number = 0;
  auto operator<=>(const Step&) const = default;
};

class Machine {
 public:
  // `path`: of the history, on the simulated disk. `is_asked`: it has a service.
  Machine(std::string path, follow::FakeFileSystem& files, std::shared_ptr<const FormatSet> formats,
          bool is_asked);
  ~Machine();

  void set_watch(follow::Watch watch, follow::Options options);

  // False: it could not be started now.
  bool start();
  bool is_running() const { return ingest_ != nullptr; }
  bool is_anew() const { return told_.empty(); }  // since the start nothing was asked of the history
  // Whatever it was doing; nothing more of it reaches the disk.
  void let_go();
  bool look();  // one round of the ingest thread; false: there was nothing to do
  bool refit();
  // As after a change of the configuration: following begins anew, on the same history. False: it could not.
  bool reload(follow::Watch watch);
  // Imports, each in pieces; one that fails leaves nothing.
  std::size_t imports() const { return imports_.size(); }
  void begin_import(const std::string& name, std::string content);
  void go_on_importing(std::size_t which, std::size_t bytes);

  // A question on the service's connection to the history; only while it is running and has one.
  service::Reply get(const std::string& target) { return service_->get(target); }
  std::map<std::int64_t, std::int64_t> iterations() const;  // of each run in the history, by id; -1: none

  // What the history has and had not at the last call; after a start, all.
  std::vector<Step> new_steps();
  std::int64_t lines() const;       // that it has counted
  std::int64_t lost_bytes() const;  // and told as lost
  std::string sources() const;

  void pass(std::chrono::milliseconds time);
  void set_clock(std::chrono::seconds by) { wall += by; }

  follow::SteadyTime now{std::chrono::hours(100'000)};  // a machine long up
  Instant wall{std::chrono::seconds(1'790'000'000)};

 private:
  struct Import {
    std::unique_ptr<service::ImportSession> session;
    std::string content;
    std::size_t fed = 0;
  };
  bool begin_to_follow();
  bool begin_to_refit();
  bool begin_to_answer();

  Instant file_clock_ = wall;  // a file server's, which nobody sets back
  std::string path_;
  follow::FakeFileSystem& files_;
  std::shared_ptr<const FormatSet> formats_;
  bool is_asked_;
  follow::Watch watch_;
  follow::Options options_;

  std::unique_ptr<SharedWriter> writer_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<follow::Follower> follower_;
  std::unique_ptr<Ingest> ingest_;
  std::unique_ptr<Refit> refit_;
  std::unique_ptr<Service> service_;
  std::vector<Import> imports_;
  std::map<std::int64_t, std::int64_t> told_;  // points, by run
};

}  // namespace etad::simulation
