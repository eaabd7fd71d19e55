// Networks of the literature, written as prototxt the way their authors published them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace etad {

// Writes layers in a row; each reads what the last one wrote unless told otherwise.
class NetWriter {
 public:
  NetWriter(const std::string& name, const std::string& input) {
    out_ << "name: \"" << name << "\"\nlayer {\n  name: \"data\"\n  type: \"Input\"\n  top: \"data\"\n"
         << "  input_param { shape: { " << input << " } }\n}\n";
  }
  void from(const std::string& blob) { blob_ = blob; }
  const std::string& blob() const { return blob_; }

  std::string conv(int outputs, int kernel, int stride = 1, int pad = 0, int group = 1, bool bias = true) {
    std::string p = "convolution_param { num_output: " + std::to_string(outputs) +
                    " kernel_size: " + std::to_string(kernel) + " stride: " + std::to_string(stride) +
                    " pad: " + std::to_string(pad) + " group: " + std::to_string(group);
    return layer("Convolution", p + (bias ? " }" : " bias_term: false }"));
  }
  std::string fc(int outputs) {
    return layer("InnerProduct", "inner_product_param { num_output: " + std::to_string(outputs) + " }");
  }
  std::string pool(int kernel, int stride, int pad = 0, const char* how = "MAX") {
    return layer("Pooling", std::string("pooling_param { pool: ") + how +
                                " kernel_size: " + std::to_string(kernel) +
                                " stride: " + std::to_string(stride) + " pad: " + std::to_string(pad) + " }");
  }
  void relu() { in_place("ReLU", ""); }
  void batch_norm() {
    in_place("BatchNorm", "");
    in_place("Scale", "scale_param { bias_term: true }");
  }
  std::string lrn() { return layer("LRN", "lrn_param { local_size: 5 alpha: 0.0001 beta: 0.75 }"); }
  std::string join(const char* type, const std::vector<std::string>& bottoms) {
    return write(type, bottoms, "b" + std::to_string(++count_), "");
  }
  std::string softmax() { return layer("Softmax", ""); }
  std::string text() const { return out_.str(); }

 private:
  std::string layer(const char* type, const std::string& parameters) {
    return write(type, {blob_}, "b" + std::to_string(++count_), parameters);
  }
  void in_place(const char* type, const std::string& parameters) {
    ++count_;
    write(type, {blob_}, blob_, parameters);
  }
  std::string write(const char* type, const std::vector<std::string>& bottoms, const std::string& top,
                    const std::string& parameters) {
    out_ << "layer {\n  name: \"" << type << count_ << "\"\n  type: \"" << type << "\"\n";
    for (const auto& b : bottoms) out_ << "  bottom: \"" << b << "\"\n";
    out_ << "  top: \"" << top << "\"\n  " << parameters << "\n}\n";
    return blob_ = top;
  }

  std::ostringstream out_;
  std::string blob_ = "data";
  int count_ = 0;
};

inline std::string lenet() {
  NetWriter n("LeNet", "dim: 64 dim: 1 dim: 28 dim: 28");
  n.conv(20, 5), n.pool(2, 2), n.conv(50, 5), n.pool(2, 2), n.fc(500), n.relu(), n.fc(10), n.softmax();
  return n.text();
}

inline std::string alexnet() {
  NetWriter n("AlexNet", "dim: 10 dim: 3 dim: 227 dim: 227");
  n.conv(96, 11, 4), n.relu(), n.lrn(), n.pool(3, 2);
  n.conv(256, 5, 1, 2, 2), n.relu(), n.lrn(), n.pool(3, 2);
  n.conv(384, 3, 1, 1), n.relu(), n.conv(384, 3, 1, 1, 2), n.relu(), n.conv(256, 3, 1, 1, 2), n.relu();
  n.pool(3, 2), n.fc(4096), n.relu(), n.fc(4096), n.relu(), n.fc(1000), n.softmax();
  return n.text();
}

inline std::string vgg16() {
  NetWriter n("VGG16", "dim: 10 dim: 3 dim: 224 dim: 224");
  const std::vector<std::pair<int, int>> blocks = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
  for (const auto& [layers, width] : blocks) {
    for (int i = 0; i < layers; ++i) n.conv(width, 3, 1, 1), n.relu();
    n.pool(2, 2);
  }
  n.fc(4096), n.relu(), n.fc(4096), n.relu(), n.fc(1000), n.softmax();
  return n.text();
}

inline std::string googlenet() {
  NetWriter n("GoogleNet", "dim: 10 dim: 3 dim: 224 dim: 224");
  n.conv(64, 7, 2, 3), n.relu(), n.pool(3, 2), n.lrn(), n.conv(64, 1), n.relu(), n.conv(192, 3, 1, 1),
      n.relu();
  n.lrn(), n.pool(3, 2);
  const auto inception = [&](int one, int reduce3, int three, int reduce5, int five, int projected) {
    const std::string in = n.blob();
    std::vector<std::string> ends;
    ends.push_back(n.conv(one, 1)), n.relu();
    n.from(in), n.conv(reduce3, 1), n.relu(), ends.push_back(n.conv(three, 3, 1, 1)), n.relu();
    n.from(in), n.conv(reduce5, 1), n.relu(), ends.push_back(n.conv(five, 5, 1, 2)), n.relu();
    n.from(in), n.pool(3, 1, 1), ends.push_back(n.conv(projected, 1)), n.relu();
    n.join("Concat", ends);
  };
  inception(64, 96, 128, 16, 32, 32), inception(128, 128, 192, 32, 96, 64), n.pool(3, 2);
  inception(192, 96, 208, 16, 48, 64), inception(160, 112, 224, 24, 64, 64),
      inception(128, 128, 256, 24, 64, 64);
  inception(112, 144, 288, 32, 64, 64), inception(256, 160, 320, 32, 128, 128), n.pool(3, 2);
  inception(256, 160, 320, 32, 128, 128), inception(384, 192, 384, 48, 128, 128);
  n.pool(7, 1, 0, "AVE"), n.fc(1000), n.softmax();
  return n.text();
}

inline std::string resnet50() {
  NetWriter n("ResNet-50", "dim: 1 dim: 3 dim: 224 dim: 224");
  n.conv(64, 7, 2, 3, 1, false), n.batch_norm(), n.relu(), n.pool(3, 2);
  const auto block = [&](int width, int stride, bool projects) {
    const std::string in = n.blob();
    std::string side = in;
    if (projects) side = n.conv(4 * width, 1, stride, 0, 1, false), n.batch_norm();
    n.from(in), n.conv(width, 1, stride, 0, 1, false), n.batch_norm(), n.relu();
    n.conv(width, 3, 1, 1, 1, false), n.batch_norm(), n.relu();
    const std::string main = n.conv(4 * width, 1, 1, 0, 1, false);
    n.batch_norm(), n.join("Eltwise", {side, main}), n.relu();
  };
  const std::vector<std::pair<int, int>> stages = {{3, 64}, {4, 128}, {6, 256}, {3, 512}};
  for (const auto& [blocks, width] : stages)
    for (int i = 0; i < blocks; ++i) block(width, i == 0 && width > 64 ? 2 : 1, i == 0);
  n.pool(7, 1, 0, "AVE"), n.fc(1000), n.softmax();
  return n.text();
}

}  // namespace etad
