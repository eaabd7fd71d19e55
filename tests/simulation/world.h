// What happens to logs while a daemon follows them: trainings write lines, and others rotate, copy, truncate,
// compress, replace, swap, link and delete the files under them. Every line is numbered, so that each can be asked
// for afterwards.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "daemon/follow/position.h"
#include "tests/follow/fake_filesystem.h"

namespace etad::simulation {

inline constexpr const char* kFolder = "/logs";

// One training and its steps, as they were written and as the history has them.
struct Job {
  int written = 0;              // steps 1 … written are in a log
  int next = 1;                 // the first that the history does not have
  std::set<int> seen{};         // all that the history has: imports bring them in any order
  int before = 1;               // the same before the last start of the daemon
  int after = -1;               // the job that its log had before
  bool headless = false;        // its first line may be gone, so that the history has it as the job before
  int destroyed = 0;            // steps up to this one may have been in a file that is gone
  std::vector<bool> excused{};  // by step: gone before it was in the history, so nobody need have it

  bool is_excused(int step) const {
    const auto at = static_cast<std::size_t>(step);
    return at < excused.size() && excused[at];
  }
  void excuse(int from, int until);
};

class World {
 public:
  World(std::mt19937_64& chance, follow::FakeFileSystem& files);

  // Something happens; at any instant, also between any two calls of the daemon.
  void act();
  // The same without what takes unread lines away.
  void complete();  // torn lines and holes are filled, writers use the file under their name

  // What is being copied away is copied to its end: only a daemon that knows the original may see a part of its copy.
  void end_copying();

  // A file of whole lines, with what is in it: something to import. Of one that is written to, a kilobyte: by less nobody
  // knows it again.
  std::optional<std::pair<std::string, std::string>> some_whole_file();

  // A clock is set only where there are no holes.
  void fill_holes();
  // What has been a hole for a minute is there to stay (docs/following.md): none here stays for as long.
  void fill_old_holes();

  std::vector<Job>& jobs() { return jobs_; }
  int lines() const { return lines_; }  // complete ones
  bool anything_excused() const;
  bool tears_lines() const { return tears_lines_; }
  // A copy has changed names with another log before it was looked at: what was not read of its original is told as
  // lost, and read there.
  bool hides_a_copy() const { return hides_a_copy_; }
  // Its rotated files lie in /logs/old, and the configuration says so.
  bool names_folder() const { return names_folder_; }
  std::string& story() { return story_; }
  std::string files_now() const;

 private:
  struct Hole {
    std::int64_t at = 0;
    std::string missing;
    Instant since{};
  };
  struct Log {
    std::string path;
    follow::FakeFileSystem::File file;
    bool dated = false;  // how its rotated files are named
    bool moved = false;  // renamed, and the writer has not opened the new one yet
    int job = -1;
    std::vector<int> jobs;         // whose lines may be in the file
    std::string rest;              // of a line that has been begun
    bool began_with_part = false;  // of a line, and nothing else was in the file for a while
    bool begins_alike = false;     // what is written next, after a cut: nobody could tell it from that part
    std::optional<Hole> hole;
    bool copied = false;                      // to be truncated next, and not written to before
    follow::FakeFileSystem::File original{};  // being copied away: what is under the temporary name,
    std::string copy;                         // and where to
    std::pair<int, int> replaced{-1, 0};      // the job and its last line when the file last was
    bool put_aside = false;                   // under a backup's name, to be written anew next
    std::string compressed;                   // a rotated file that is being compressed
    int days = 0;
  };

  std::size_t pick(std::size_t n) { return chance_() % n; }
  void tell(const Log& log, const std::string& what);
  std::string next_line(Log& log);
  void put(Log& log, std::string_view bytes);
  void cut(Log& log);
  void end_line(Log& log);
  void open_new(Log& log);
  bool is_seen(const Log& log, std::size_t bytes = follow::kHeadBytes + 1) const;
  bool was_looked_at(const Log& log) const;
  bool is_in_place(const Log& log) const;

  void begin_job(Log& log);
  void write(Log& log);
  void write_part(Log& log);
  void draw_bar(Log& log);
  void write_around_a_hole(Log& log);
  void fill(Log& log);
  void rotate(Log& log);
  void burst(Log& log);
  void copytruncate(Log& log);
  void copy_away(Log& log);
  void go_on_copying(Log& log, std::size_t bytes);
  void compress(Log& log);
  void replace(Log& log);
  void write_anew(Log& log);
  void swap(Log& log);
  void link(Log& log);
  void remove(Log& log);
  void truncate(Log& log);
  std::string rotated(const Log& log) const;
  // Files go where nothing but a file that was read there tells of: none may vanish, or be cut, before the next one.
  bool hides_folder() const { return folder_ != kFolder && !names_folder_; }
  std::optional<std::string> next_rotated(Log& log);
  void shift(const Log& log);
  void destroy(Log& log);

  std::mt19937_64& chance_;
  follow::FakeFileSystem& files_;
  std::vector<Log> logs_;
  std::vector<Job> jobs_;
  std::vector<follow::FakeFileSystem::File>
      kept_;            // replaced, and still open somewhere: their inodes would tell too little to be reused
  std::string folder_;  // of rotated files
  std::string story_;
  int lines_ = 0;
  bool names_folder_ = false, tears_lines_ = false, hides_a_copy_ = false;
};

}  // namespace etad::simulation
