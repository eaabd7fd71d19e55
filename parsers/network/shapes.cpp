// The shapes of layers' outputs, as Caffe computes them when it sets a net up. Dimensions are without the
// batch: axis 1 of a description is the first of ours.
#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>

#include "parsers/network/costs.h"
#include "parsers/network/layer_kinds.h"
#include "parsers/network/layer_settings.h"

namespace etad {
namespace {

using Shape = std::vector<std::int64_t>;
using Shapes = std::vector<Shape>;

constexpr std::int64_t kMaxDimension = 1'000'000'000;
const Shape kNone = {0};  // no shape: a description that makes no sense, or more than we know

std::int64_t elements(Shape::const_iterator from, Shape::const_iterator to) {
  return std::accumulate(from, to, std::int64_t{1}, [](std::int64_t product, std::int64_t n) {
    return product > 0 && n > 0 && product <= kMaxDimension / n ? product * n : 0;  // 0: no shape
  });
}

struct Axis {
  std::int64_t kernel, stride, pad, dilation;
};

Axis axis_of(const LayerSettings& said, std::size_t i) {
  const bool rows = i == 0;
  const char* const kernel = said.text("kernelsize") ? "kernelsize" : "kernel_size";  // the former in 2013
  return {said.along(kernel, rows ? "kernel_h" : "kernel_w", i, 1),
          said.along("stride", rows ? "stride_h" : "stride_w", i, 1),
          said.along("pad", rows ? "pad_h" : "pad_w", i, 0), said.along("dilation", "", i, 1)};
}

bool sane(const Axis& a) {
  return a.kernel > 0 && a.stride > 0 && a.pad >= 0 && a.dilation > 0 && a.kernel <= kMaxDimension &&
         a.stride <= kMaxDimension && a.pad <= kMaxDimension && a.dilation <= 1'000'000;
}

// Rows, columns, … of a convolution's output: of floor, as Caffe has it.
Shape convolved(const LayerSettings& said, const Shape& in, bool transposed) {
  Shape out = {said.number("num_output", 0)};
  for (std::size_t i = 1; i < in.size(); ++i) {
    const Axis a = axis_of(said, i - 1);
    if (!sane(a)) return kNone;
    const std::int64_t reach = a.dilation * (a.kernel - 1) + 1;
    if (transposed && in[i] > kMaxDimension / a.stride) return kNone;
    out.push_back(transposed ? a.stride * (in[i] - 1) + reach - 2 * a.pad
                             : (in[i] + 2 * a.pad - reach) / a.stride + 1);
  }
  return out;
}

// Of ceil, and no window begins beyond the padded input.
Shape pooled(const LayerSettings& said, const Shape& in) {
  Shape out = {in.front()};
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (said.is("global_pooling", "true")) {
      out.push_back(1);
      continue;
    }
    const Axis a = axis_of(said, i - 1);
    if (!sane(a) || in[i] + 2 * a.pad < a.kernel) return kNone;
    const bool floor = said.is("round_mode", "FLOOR") || said.is("ceil_mode", "false");
    std::int64_t n = (in[i] + 2 * a.pad - a.kernel + (floor ? 0 : a.stride - 1)) / a.stride + 1;
    if (a.pad > 0 && (n - 1) * a.stride >= in[i] + a.pad) --n;
    out.push_back(n);
  }
  return out;
}

// An axis as described (the batch is 0; negative ones count from the end), as an index of ours.
std::optional<std::size_t> own_axis(std::int64_t axis, std::size_t dims) {
  if (axis < 0) axis += static_cast<std::int64_t>(dims) + 1;
  if (axis < 1 || axis > static_cast<std::int64_t>(dims)) return {};
  return static_cast<std::size_t>(axis) - 1;
}

// Of `parts`, those that are kept.
Shapes sliced(const LayerSettings& said, const Shape& in, std::size_t parts, std::size_t kept) {
  const auto axis = own_axis(said.number("axis", said.number("slice_dim", 1)), in.size());
  if (!axis || parts == 0) return {};
  const std::vector<std::int64_t> points = said.numbers("slice_point");
  for (const std::int64_t point : points)
    if (point < 0 || point > kMaxDimension) return {};
  Shapes out(kept, in);
  for (std::size_t i = 0; i < kept; ++i) {
    const std::int64_t from = i == 0 ? 0 : i - 1 < points.size() ? points[i - 1] : 0;
    const std::int64_t to = i < points.size() ? points[i] : in[*axis];
    out[i][*axis] = points.empty() ? in[*axis] / static_cast<std::int64_t>(parts) : to - from;
  }
  return out;
}

Shape concatenated(const LayerSettings& said, const Shapes& in) {
  Shape out = in.front();
  const auto axis = own_axis(said.number("axis", said.number("concat_dim", 1)), out.size());
  if (!axis) return kNone;
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (in[i].size() != out.size()) return kNone;
    out[*axis] += in[i][*axis];
  }
  return out;
}

// "dim: 0" is the input's own, "dim: -1" what is left; the first one is the batch.
Shape reshaped(const LayerSettings& said, const Shape& in) {
  const std::vector<std::int64_t> dims = said.numbers("shape.dim");
  if (dims.empty() || (dims.front() != 0 && dims.front() != -1)) return kNone;
  Shape out;
  std::optional<std::size_t> left;
  for (std::size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] == -1) left = out.size();
    out.push_back(dims[i] == -1 ? 1 : dims[i] == 0 && i <= in.size() ? in[i - 1] : dims[i]);
  }
  const std::int64_t known = elements(out.begin(), out.end());
  if (left && known > 0) out[*left] = elements(in.begin(), in.end()) / known;
  return out;
}

Shape flattened(const LayerSettings& said, const Shape& in, std::int64_t outputs) {
  const auto axis = own_axis(said.number("axis", 1), in.size());
  if (!axis) return kNone;
  Shape out(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(*axis));
  out.push_back(outputs > 0 ? outputs : elements(in.begin() + static_cast<std::ptrdiff_t>(*axis), in.end()));
  return out;
}

Shape permuted(const LayerSettings& said, const Shape& in) {
  const std::vector<std::int64_t> order = said.numbers("order");
  Shape out;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto axis = own_axis(order[i], in.size());
    if (!axis) return kNone;
    out.push_back(in[*axis]);
  }
  return out.size() == in.size() ? out : kNone;
}

// One shape for each top; fewer where they can't be told.
Shapes outputs(const NetLayer& layer, const Shapes& in) {
  const LayerSettings said(layer.layer.parameters);
  const std::string& type = layer.layer.type;
  const Shape& first = in.front();
  const std::size_t tops = std::min(layer.tops.size(), Net::kMaxShapes);
  if (type == "Slice") return sliced(said, first, layer.tops.size(), tops);
  if (type == "Split") return Shapes(tops, first);
  if (type == "Concat") return {concatenated(said, in)};
  if (type == "Reshape") return {reshaped(said, first)};
  if (type == "Flatten") return {flattened(said, first, 0)};
  if (type == "Permute") return {permuted(said, first)};
  if (type == "Crop" && in.size() > 1) return {in[1]};
  if (type == "ArgMax") return {Shape{}};
  if (type == "Embed") {
    Shape out = first;
    out.push_back(said.number("num_output", 0));
    return {out};
  }
  switch (kind_of(type)) {
    case LayerKind::convolution:
      return first.empty() ? Shapes{} : Shapes{convolved(said, first, type == "Deconvolution")};
    case LayerKind::inner_product:
      return {flattened(said, first, said.number("num_output", 0))};
    case LayerKind::pooling:
      return first.empty() ? Shapes{} : Shapes{pooled(said, first)};
    case LayerKind::normalization:
    case LayerKind::activation:
    case LayerKind::elementwise:
      return {first};
    case LayerKind::loss:
      return {type.starts_with("Softmax") && type != "SoftmaxWithLoss" ? first : Shape{}};
    default:
      return {};
  }
}

}  // namespace

void infer_shapes(Net& net) {
  std::unordered_map<std::string_view, const Shape*> blobs;
  for (NetLayer& layer : net.layers) {
    if (layer.layer.shapes.empty() && !layer.bottoms.empty() && layer.described) {
      Shapes in;
      for (const std::string& bottom : layer.bottoms) {
        const auto at = blobs.find(bottom);
        if (at != blobs.end()) in.push_back(*at->second);
      }
      if (!in.empty() && blobs.contains(layer.bottoms.front())) {
        layer.layer.shapes = outputs(layer, in);
        const auto impossible = [](const Shape& s) {
          return std::any_of(s.begin(), s.end(), [](auto n) { return n <= 0 || n > kMaxDimension; });
        };
        if (std::any_of(layer.layer.shapes.begin(), layer.layer.shapes.end(), impossible))
          layer.layer.shapes.clear();
      }
    }
    for (std::size_t i = 0; i < layer.tops.size(); ++i) {
      blobs.erase(layer.tops[i]);
      if (i < layer.layer.shapes.size()) blobs[layer.tops[i]] = &layer.layer.shapes[i];
    }
  }
}

}  // namespace etad
