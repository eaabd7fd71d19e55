// TensorBoard's event files and W&B's run files, followed record by record: exactly once, wherever a write ends and
// whatever happens.
#include <gmock/gmock.h>

#include "tests/follow/harness.h"
#include "tests/parsers/event_files.h"
#include "tests/parsers/wandb_files.h"

namespace etad::follow {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr const char* kFile = "/runs/events.out.tfevents.1700000000.n7";
constexpr double kStart = 1'700'000'000;

std::string step(std::int64_t n) {
  return test::scalar_record(kStart + static_cast<double>(n), n, "loss", 0.5F);
}

std::string line(std::int64_t n) {
  return std::to_string(1'700'000'000 + n) + ".000000 tfevents step " + std::to_string(n) + " loss = 0.5";
}

const std::string kVersion = test::version_record(kStart);
const std::string kFirst = "1700000000.000000 tfevents file_version brain.Event:2";

std::vector<Watch> watching_events() {
  return {{kFile, 0, false}};
}

TEST(EventFiles, GrowByPiecesOfRecords) {
  const std::string file = kVersion + step(1) + step(2) + step(3);
  for (const std::size_t piece : {1U, 7U, 13U, 40U, 1000U}) {
    Harness etad(watching_events());
    for (std::size_t at = 0; at < file.size(); at += piece) {
      etad.files.write(kFile, file.substr(at, piece));
      etad.poll();
      if (at % 3 == 0) etad.restart();
    }
    EXPECT_THAT(etad.lines, ElementsAre(kFirst, line(1), line(2), line(3))) << piece;
    EXPECT_EQ(etad.positions[kFile].offset, static_cast<std::int64_t>(file.size()));
  }
}

TEST(EventFiles, ACommitThatFailsIsReadAgain) {
  Harness etad(watching_events());
  etad.files.write(kFile, kVersion + step(1));
  etad.poll();
  etad.files.write(kFile, step(2));
  EXPECT_THAT(etad.poll_and_fail(), SizeIs(1));
  etad.files.write(kFile, step(3));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(kFirst, line(1), line(2), line(3)));
}

TEST(EventFiles, SmallBatchesAndRecordsThatAreLarger) {
  Options options;
  options.batch_bytes = 256;
  Harness etad(watching_events(), options);
  const std::string picture =
      test::event_record(kStart, 1, test::bytes(1, "picture") + test::bytes(4, std::string(5000, '\n')));
  etad.files.write(kFile, kVersion + step(1) + picture.substr(0, 1000));
  etad.poll();
  etad.files.write(kFile, picture.substr(1000) + step(2));
  etad.poll();
  EXPECT_THAT(etad.lines, ElementsAre(kFirst, line(1), line(2)));
}

TEST(EventFiles, DamageIsPassedOverWhenItHasStayed) {
  Harness etad(watching_events());
  std::string damaged = step(1);
  damaged[20] = '\0';
  etad.files.write(kFile, kVersion + damaged + step(2));
  etad.poll();
  etad.poll(std::chrono::minutes(2));
  EXPECT_THAT(etad.lines, ElementsAre(kFirst, line(2)));
}

// Its position is in the middle of a block, and a record goes on in the next one.
TEST(WandbFiles, GrowByPiecesOfRecords) {
  test::WandbFile whole;
  std::vector<std::string> expected;
  for (std::int64_t n = 0; n < 40; ++n) {
    const std::string note = '"' + std::string(static_cast<std::size_t>(37 * n * n), 'x') + '"';
    whole.add(test::wandb_history(kStart + static_cast<double>(n),
                                  {{"_step", std::to_string(n)}, {"a_longer_name", note}}));
    const std::string at = std::to_string(1'700'000'000 + n) + ".000000";
    expected.push_back(at + " wandb history {\"_step\": " + std::to_string(n) + ", \"_timestamp\": " + at +
                       ", \"a_longer_name\": " + note + "}");
  }
  const std::string& file = whole.content();
  constexpr const char* kRun = "/runs/wandb/run-1/run-a1b2.wandb";
  for (const std::size_t piece : {7'001U, 32'768U, 500'000U, 2'000'000U}) {
    Harness etad({{kRun, 0, false}});
    for (std::size_t at = 0; at < file.size(); at += piece) {
      etad.files.write(kRun, file.substr(at, piece));
      etad.poll();
      if (at % 3 == 0) etad.restart();
    }
    EXPECT_EQ(etad.lines, expected) << piece;
    EXPECT_EQ(etad.positions[kRun].offset, static_cast<std::int64_t>(file.size()));
  }
}

// An event file, or a W&B run's, of more than a kilobyte, full of NULs; `more` goes on with it.
struct Binary {
  std::string path, copy, bytes, more;
  int lines = 0;
};

Binary events() {
  Binary out{kFile, "/runs/backup/events.out.tfevents.1700000000.n7", kVersion, "", 1};
  while (out.bytes.size() < 2000 || out.bytes.back() == '\0') out.bytes += step(out.lines++);
  out.more = step(out.lines);
  return out;
}

Binary run_file() {
  Binary out{"/runs/run-a1b2.wandb", "/runs/backup/run-a1b2.wandb", "", "", 0};
  test::WandbFile file;
  const auto add = [&](int n) {
    file.add(test::wandb_history(kStart + n, {{"_step", std::to_string(n)}, {"loss", "0.5"}}));
  };
  while (file.content().size() < 2000) add(out.lines++);
  out.bytes = file.content();
  add(out.lines);
  out.more = file.content().substr(out.bytes.size());
  return out;
}

std::vector<Watch> watching_runs() {
  return {{"/runs/**/*tfevents*", 0, false}, {"/runs/**/*.wandb", 0, false}};
}

// Written, read, and copied with its time.
void read_and_copy(Harness& etad, const Binary& file) {
  etad.files.write(file.path, file.bytes);
  etad.poll();
  etad.files.copy(file.path, file.copy);
  etad.files.file(file.copy)->modified = etad.files.file(file.path)->modified;
}

TEST(RecordFiles, ACopyWithItsOriginalsTimeIsNotRead) {
  for (const Binary& file : {events(), run_file()}) {
    Harness etad(watching_runs());
    read_and_copy(etad, file);
    etad.poll();
    etad.files.write(file.path, file.more);
    etad.poll();
    EXPECT_THAT(etad.lines, SizeIs(file.lines + 1)) << file.path;
  }
}

TEST(RecordFiles, MovedToAnotherFileSystemTheyAreReadOn) {
  for (const Binary& file : {events(), run_file()}) {
    Harness etad(watching_runs());
    read_and_copy(etad, file);
    etad.files.remove(file.path);
    etad.poll();
    etad.files.write(file.copy, file.more);
    etad.poll();
    EXPECT_THAT(etad.lines, SizeIs(file.lines + 1)) << file.path;
  }
}

// One checksum in 256 ends in a NUL: what stands before the offset is known all the same.
TEST(EventFiles, ACopyOfOneWhoseLastByteIsNulIsReadOn) {
  for (const bool running : {true, false}) {
    Harness etad(watching_events());
    int n = 0;
    std::string file = kVersion;
    while (file.size() < 2000 || file.back() != '\0') file += step(n++);
    etad.files.write(kFile, file);
    etad.poll();
    if (!running) etad.stop();
    etad.files.replace(kFile, file + step(n), etad.files.file(kFile)->modified + std::chrono::seconds(1));
    if (!running) etad.start();
    etad.poll();
    EXPECT_THAT(etad.lines, SizeIs(n + 2)) << running;
  }
}

}  // namespace
}  // namespace etad::follow
