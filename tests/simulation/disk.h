// The disk that the history lies on: files in memory behind SQLite's interface, which a power cut can leave in any
// state that a real one could, and which fails, or stops to exist, at a chosen call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace etad::simulation {

// One at a time; while it lives it is SQLite's default file system. What is written is seen at once, and is safe
// once it has been synced.
class Disk {
 public:
  explicit Disk(std::mt19937_64& chance);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  // What lies there and is safe, for other disks to begin with.
  using Image = std::map<std::string, std::string>;
  Image image() const;
  void put(const Image& image);

  // Asked before every operation: 0 lets it through, an SQLite code is its result.
  std::function<int()> before_call;

  // From now on nothing that is done reaches the disk, as after a kill: calls fail until `revive`.
  void die() { dead_ = true; }
  bool is_dead() const { return dead_; }
  void revive() { dead_ = false; }

  // Of what was written and not synced each piece is there or is not, the last one perhaps in part.
  void cut_power();

  struct File;
  std::shared_ptr<File> open(const std::string& name, bool create);
  void remove(const std::string& name);
  bool exists(const std::string& name) const { return files_.contains(name); }
  int call();  // counts, asks, fails

 private:
  std::mt19937_64& chance_;
  std::map<std::string, std::shared_ptr<File>> files_;
  bool dead_ = false;
};

}  // namespace etad::simulation
