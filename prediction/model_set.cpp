#include "prediction/model_set.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "prediction/names.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

bool fits(const std::optional<ModelFilter::Name>& wanted, const std::string& has) {
  return !wanted || (wanted->any_case ? equal_ignoring_case(wanted->value, has) : wanted->value == has);
}

bool fits(const ModelFilter& filter, const FittedModel& model) {
  const ModelKey& key = model.key;
  return fits(filter.network, key.network) && fits(filter.architecture, key.architecture) &&
         fits(filter.framework, key.framework) && fits(filter.host, key.host) &&
         fits(filter.device, key.device) && filter.devices.value_or(key.devices) == key.devices &&
         filter.id.value_or(model.id) == model.id &&
         (filter.after_id == 0 || model.id > filter.after_id);  // those of another instant have none
}

}  // namespace

ModelRow row_of(const FittedModel& fitted) {
  ModelRow row;
  row.id = fitted.id;
  row.key = fitted.key;
  row.fitted_at = fitted.fitted_at;
  row.owner = fitted.owner;
  row.runs = fitted.model.runs;
  row.error_percent = fitted.model.error_percent;
  return row;
}

HeldModels::HeldModels(std::vector<std::shared_ptr<const FittedModel>> models) : models_(std::move(models)) {
  std::ranges::stable_sort(models_, {}, [](const auto& model) { return model->id; });
  for (const auto& model : models_) by_key_.emplace(model->key, model);
}

HeldModels::HeldModels(std::vector<FittedModel> models)
    : HeldModels([&] {
        std::vector<std::shared_ptr<const FittedModel>> held;
        for (FittedModel& model : models)
          held.push_back(std::make_shared<const FittedModel>(std::move(model)));
        return held;
      }()) {}

Result<std::vector<ModelRow>> HeldModels::list(const ModelFilter& filter) {
  std::vector<ModelRow> out;
  for (const auto& model : models_) {
    if (static_cast<std::int64_t>(out.size()) >= filter.limit) break;
    if (fits(filter, *model)) out.push_back(row_of(*model));
  }
  return out;
}

Result<std::shared_ptr<const FittedModel>> HeldModels::load(const ModelKey& key) {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

Result<std::int64_t> HeldModels::count() {
  return static_cast<std::int64_t>(models_.size());
}

Result<std::vector<ModelRow>> HeldModels::fair_share(std::size_t most, std::size_t always) {
  struct Place {
    const FittedModel* model;
    std::size_t turn = 0;
  };
  std::vector<Place> places;
  for (const auto& model : models_) places.push_back({model.get()});
  std::ranges::stable_sort(places, std::greater{}, [](const Place& place) { return place.model->fitted_at; });
  std::map<ModelKey, std::size_t> alike;
  std::map<std::string, std::size_t> on_host;
  for (Place& place : places) {
    ModelKey anywhere = place.model->key;
    anywhere.host.clear();
    place.turn = std::min(alike[anywhere]++, on_host[place.model->key.host]++);
  }
  std::ranges::stable_sort(places, {}, &Place::turn);
  std::ranges::reverse(places);  // the last is taken first
  std::vector<Evidence> all;
  for (const Place& place : places)
    all.push_back({static_cast<std::int64_t>(all.size()), 0, place.model->owner});
  std::vector<ModelRow> out;
  for (const std::int64_t i : etad::fair_share(std::move(all), most, always))
    out.push_back(row_of(*places[static_cast<std::size_t>(i)].model));
  return out;
}

Result<std::vector<std::string>> HeldModels::names_around(NameOf what, const std::string&) {
  std::vector<std::string> out;
  for (const auto& model : models_)
    out.push_back(what == NameOf::network ? model->key.network : model->key.architecture);
  return out;
}

}  // namespace etad::prediction
