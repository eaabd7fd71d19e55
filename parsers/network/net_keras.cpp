// Keras' model.summary(): a row a layer, with the shape of its output and the number of its weights. Kernels
// and biases are not shown; they follow from weights and channels where only one answer is possible.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "parsers/base/text.h"
#include "parsers/network/architecture.h"
#include "parsers/network/costs.h"
#include "parsers/network/layer_kinds.h"
#include "parsers/network/net_text.h"

namespace etad {
namespace {

struct Row {
  Layer layer;
  std::optional<double> weights;
  std::vector<std::string> from;  // empty: the row before
};

// A table drawn with lines: "│ dense (Dense) │ (None, 8) │ 72 │". What does not fit into a cell goes on in that of the next
// line, in which the weights' cell is empty.
class BoxedRow {
 public:
  static bool is_in(std::string_view line) { return trim(line, " ").starts_with(kBar); }

  // False: the line begins another row, and is taken once this one has been read.
  bool add(std::string_view line) {
    const std::vector<std::string_view> cells = cells_of(line);
    constexpr std::size_t kWeights = 2;
    if (!cells_.empty() &&
        (cells.size() != cells_.size() || cells.size() <= kWeights || !cells[kWeights].empty()))
      return false;
    cells_.resize(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (!cells[i].empty()) cells_[i] += (cells_[i].empty() ? "" : " ") + std::string(cells[i]);
    return true;
  }

  bool empty() const { return cells_.empty(); }

  // As a table without lines has it; empty again.
  std::string take() {
    std::string out;
    for (const std::string& cell : cells_) out += cell + "  ";
    cells_.clear();
    return out;
  }

 private:
  static constexpr std::string_view kBar = "\xe2\x94\x82";

  static std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> out;
    line = trim(line, " ");
    while (line.starts_with(kBar) && line.size() > kBar.size() && out.size() < 8) {
      line.remove_prefix(kBar.size());
      const std::size_t end = std::min(line.find(kBar), line.size());
      out.push_back(trim(line.substr(0, end)));
      line.remove_prefix(end);
    }
    return out;
  }

  std::vector<std::string> cells_;
};

// "(None, 26, 26, 32)" or, cut by its column, "[(None, 224, 224, 3": what stands behind the batch.
std::optional<std::vector<std::int64_t>> dims_of(std::string_view text) {
  std::vector<std::int64_t> dims;
  std::size_t at = text.find(',');
  while (at != text.npos) {
    const std::string_view rest = trim(text.substr(at + 1));
    std::int64_t n = 0;
    const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (parsed.ec != std::errc{})
      return rest.empty() || rest.front() == ')' ? std::optional(dims) : std::nullopt;
    if (n <= 0 || n > 1'000'000'000 || dims.size() >= 8) return {};
    dims.push_back(n);
    at = text.find(',', at + 1);
  }
  return dims;
}

void connections(std::string_view text, std::vector<std::string>& out) {
  std::size_t from = 0;  // behind the last blank or comma
  for (std::size_t at = 0; at < text.size() && out.size() < 256; ++at) {
    if (text[at] == ' ' || text[at] == ',') from = at + 1;
    if (text[at] != '[') continue;
    const std::string_view name = text.substr(from, at - from);
    if (!name.empty() && name.front() != ']') out.emplace_back(name.substr(0, 256));
  }
}

std::optional<Row> row_of(std::string_view line) {
  const std::size_t type = line.find(" (");
  const std::size_t shape = std::min(line.find("(None"), line.find("(?,"));
  if (type == line.npos || shape == line.npos || type + 1 >= shape) return {};
  Row row;
  row.layer.name = std::string(trim(line.substr(0, type)).substr(0, 256));
  const std::string_view rest = line.substr(type + 2, shape - type - 2);
  row.layer.type =
      std::string(rest.substr(0, std::min(rest.find_first_of(" )["), rest.size())).substr(0, 256));
  // The columns behind the shape: weights, then what the layer reads.
  const std::size_t end = std::min(line.find(')', shape), line.size());
  const auto dims = dims_of(line.substr(shape, end - shape));
  if (!dims) return {};
  row.layer.shapes = {*dims};
  std::string_view tail = line.substr(std::min(end + 1, line.size()));
  while (!tail.empty() && (tail.front() < '0' || tail.front() > '9')) tail.remove_prefix(1);
  double weights = 0;
  bool any = false;
  for (; !tail.empty() && (tail.front() == ',' || (tail.front() >= '0' && tail.front() <= '9'));
       tail.remove_prefix(1)) {
    if (tail.front() == ',') continue;
    weights = weights * 10 + (tail.front() - '0');
    any = true;
  }
  if (any && weights < 1e15) row.weights = weights;
  connections(tail, row.from);
  return row;
}

double product(const std::vector<std::int64_t>& dims, std::size_t count) {
  double n = 1;
  for (std::size_t i = 0; i < count && i < dims.size(); ++i) n *= static_cast<double>(dims[i]);
  return n;
}

bool whole(double x) {
  return x > 0 && std::floor(x) == x;
}
bool square(double x) {
  return whole(x) && whole(std::sqrt(x));
}

// Weights without the biases, for `per` weights a tap and one bias for each of `outputs`.
std::optional<double> kernel_weights(double weights, double per, double outputs) {
  const double with = (weights - outputs) / per, without = weights / per;
  // Where either is possible: kernels are mostly square, and biases are what Keras has unless told otherwise.
  if (whole(with) && (!whole(without) || square(with) || !square(without))) return weights - outputs;
  if (whole(without)) return weights;
  return {};
}

std::optional<double> operations(const Row& row, const std::vector<std::int64_t>* in, double read) {
  const std::vector<std::int64_t>& out = row.layer.shapes.front();
  const double outputs = out.empty() ? 0 : static_cast<double>(out.back());
  const double places = out.empty() ? 0 : product(out, out.size() - 1);
  const double inputs = in && !in->empty() ? static_cast<double>(in->back()) : 0;
  switch (kind_of(row.layer.type)) {
    case LayerKind::convolution: {
      const std::string& type = row.layer.type;
      if (!row.weights || outputs <= 0 || type.ends_with("Transpose")) return {};
      const bool depthwise = type.starts_with("Depthwise") || inputs <= 0;
      const auto kernel = kernel_weights(*row.weights, depthwise ? outputs : inputs * outputs, outputs);
      return kernel ? std::optional(*kernel * places) : std::nullopt;
    }
    case LayerKind::inner_product:
      if (row.layer.type == "Embedding") return product(out, out.size());
      if (outputs <= 0) return {};
      if (inputs <= 0)
        return row.weights && *row.weights >= outputs ? std::optional(*row.weights - outputs) : std::nullopt;
      return inputs * outputs * places;
    case LayerKind::copy:
    case LayerKind::view:
    case LayerKind::data:
      return 0;
    case LayerKind::other:
      return {};
    default:
      return read;  // a pooling's window is not shown: one step an element
  }
}

}  // namespace

Result<NetText> read_keras_summary(std::string_view text) {
  NetText out;
  out.format = "keras";
  std::vector<Row> rows;
  BoxedRow boxed;
  for (bool in_table = false, over = false; (!text.empty() || !boxed.empty()) && !over;) {
    std::string_view rest = text;
    std::string line(trim(take_until(rest, '\n'), "\r"));
    const bool in_box = in_table && BoxedRow::is_in(line);
    if (in_box && boxed.add(line)) {
      text = rest;
      continue;
    }
    if (std::string row = boxed.take(); !row.empty()) {
      line = std::move(row);  // the one at hand comes next
    } else {
      text = rest;
    }
    if (const std::size_t name = line.find("Model: \""); !in_table && name != line.npos)
      out.name = line.substr(name + 8, std::min(line.find('"', name + 8) - name - 8, std::size_t{256}));
    if (line.find("Layer (type") != line.npos) {
      in_table = true;
    } else if (in_table && line.find("Total params") != line.npos) {
      over = true;
    } else if (auto row = in_table ? row_of(line) : std::nullopt) {
      if (rows.size() >= Net::kMaxLayers) return fail("the summary has more layers than etad reads");
      rows.push_back(std::move(*row));
    } else if (in_table && !rows.empty() && line.starts_with("   ")) {
      connections(line, rows.back().from);
    }
  }
  if (rows.empty())
    return fail("the summary shows no layers",
                "print it with model.summary(), shapes and parameters included");

  std::unordered_map<std::string_view, std::size_t> by_name;
  bool below = false;  // something has learned before
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row& row = rows[i];
    LayerCosts& costs = row.layer.costs;
    const std::vector<std::int64_t>* in = nullptr;
    double read = 0;
    std::vector<std::size_t> from;
    for (const std::string& name : row.from)
      if (const auto at = by_name.find(name); at != by_name.end()) from.push_back(at->second);
    const bool input = kind_of(row.layer.type) == LayerKind::data;
    if (from.empty() && i > 0 && !input) from.push_back(i - 1);
    for (const std::size_t f : from) {
      in = &rows[f].layer.shapes.front();
      read += product(*in, in->size());
    }
    const auto& shape = row.layer.shapes.front();
    costs.outputs = product(shape, shape.size());
    costs.copies = 0;
    if (in || input) costs.inputs = read;
    // Of a batch normalization half are means and variances, which are not learned.
    if (row.weights)
      costs.parameters = row.layer.type.starts_with("BatchNor") ? *row.weights / 2 : *row.weights;
    // A sequential model's first layer reads samples that no row shows: its weights tell its work all the
    // same.
    costs.operations = operations(row, in, in ? read : *costs.outputs);
    const double weighs = costs.parameters.value_or(0) > 0 ? 1 : 0;
    if (costs.operations) costs.backward_operations = *costs.operations * (weighs + (below ? 1 : 0));
    below = below || weighs > 0;
    by_name[row.layer.name] = i;
  }
  for (Row& row : rows) out.layers.push_back(std::move(row.layer));
  return out;
}

}  // namespace etad
