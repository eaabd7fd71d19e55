// A refit over a history, and the models that it kept there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/refit.h"
#include "daemon/shared_writer.h"
#include "prediction/stored_models.h"
#include "storage/history.h"

namespace etad {

inline constexpr std::size_t kRoomForModels = std::size_t{1} << 20;

inline std::shared_ptr<prediction::StoredModels> models_of(const std::string& path, SharedWriter& writer,
                                                           std::size_t memory = kRoomForModels) {
  return std::make_shared<prediction::StoredModels>(
      [path] { return ModelReader::open(path); }, memory,
      prediction::StoredModels::Write{put_models_with(writer), put_records_with(writer)});
}

inline Refit refit_of(
    const std::string& path, SharedWriter& writer, std::function<Instant()> now,
    std::function<void()> alive = [] {}) {
  return Refit(Reader::open(path).value(), models_of(path, writer), std::move(now), std::move(alive));
}

inline std::vector<std::shared_ptr<const prediction::FittedModel>> fitted_models(
    const prediction::ModelSet& set) {
  std::vector<std::shared_ptr<const prediction::FittedModel>> out;
  const auto rows = set.models->list({}).value();
  for (const ModelRow& row : rows)
    if (auto model = set.models->load(row.key).value()) out.push_back(std::move(model));
  return out;
}
inline auto fitted_models(const Refit& refit) {
  return fitted_models(*refit.models());
}

}  // namespace etad
