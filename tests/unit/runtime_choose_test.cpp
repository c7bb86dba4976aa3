// Which image and which version a device gets, with devices that are not there.

#include "codegen/runtime/choose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace sinter_rt {
namespace {

using testing::HasSubstr;

/// A module with images by name: "sm_90a" is a cubin, "ptx sm_90" PTX.
struct Module {
  std::deque<std::string> bytes, archs;
  std::vector<const char*> images, image_archs;
  std::vector<size_t> sizes;
  sinter_rt_module m{};

  explicit Module(const std::vector<std::string>& list) {
    for (const std::string& image : list) {
      const bool ptx = image.starts_with("ptx ");
      bytes.push_back(ptx ? ".version 8.0\n.target " + image.substr(4) + "\n.address_size 64\n" : "ELF");
      archs.push_back(ptx ? "ptx" : image);
      images.push_back(bytes.back().c_str());
      sizes.push_back(bytes.back().size() + 1);
      image_archs.push_back(archs.back().c_str());
    }
    m.name = "pipe";
    m.images = images.data();
    m.image_sizes = sizes.data();
    m.image_arch = image_archs.data();
    m.num_images = static_cast<int>(images.size());
  }
};

/// A library of versions; an empty list of images is the host version.
struct Library {
  std::deque<Module> modules;
  std::vector<sinter_rt_version> versions;

  explicit Library(const std::vector<std::vector<std::string>>& list) {
    for (const auto& images : list) {
      if (!images.empty()) modules.emplace_back(images);
      versions.push_back({images.empty() ? "host" : "cuda", images.empty() ? nullptr : &modules.back().m});
    }
  }
  int count() const { return static_cast<int>(versions.size()); }
  int on(int capability, const std::string& name = "") {
    int chosen = -1;
    const int code = choose_version("pipe", versions.data(), count(), {0, capability, name}, &chosen);
    return code == SINTER_OK ? chosen : -code;
  }
};

TEST(Choose, AnArchitecturesOwnCodeThenTheNewestThatRuns) {
  Library lib({{"sm_90a", "ptx sm_90a"}, {}, {"ptx sm_80"}, {"ptx sm_90"}});
  struct Row {
    const char* name;
    int capability, version;
  };
  for (const Row& r : {Row{"A100", 80, 2}, Row{"A40", 86, 2}, Row{"L40", 89, 2}, Row{"H200", 90, 0},
                       Row{"B200", 100, 3}, Row{"RTX 5090", 120, 3}, Row{"T4", 75, -SINTER_ERR_UNSUPPORTED}})
    EXPECT_EQ(lib.on(r.capability, r.name), r.version) << r.name;
}

TEST(Choose, TheOrderOfTheVersionsDoesNotMatter) {
  const std::vector<std::string> own{"ptx sm_90a"}, generic{"ptx sm_90"}, old{"ptx sm_80"};
  EXPECT_EQ(Library({own, generic, old}).on(90), 0);
  EXPECT_EQ(Library({old, generic, own}).on(90), 2);
  EXPECT_EQ(Library({generic, own, old}).on(100), 0);
  EXPECT_EQ(Library({old, own}).on(100), 0);
}

TEST(Choose, ACubinRunsOnLaterDevicesOfItsMajorVersion) {
  Library lib({{"sm_80"}, {"ptx sm_80"}});
  for (const int capability : {80, 86, 87, 89}) EXPECT_EQ(lib.on(capability), 0) << capability;
  for (const int capability : {90, 100, 120}) EXPECT_EQ(lib.on(capability), 1) << capability;
  const std::vector<std::string> later{"sm_86"};
  Library only({later});
  EXPECT_EQ(only.on(86), 0);
  EXPECT_EQ(only.on(89), 0);
  for (const int capability : {75, 80, 90}) EXPECT_EQ(only.on(capability), -SINTER_ERR_UNSUPPORTED) << capability;
  // The device's own code, else the newest that runs: a version for sm_89 is not given up for an older cubin.
  const Module several({"sm_80", "sm_86", "ptx sm_80", "ptx sm_89"});
  EXPECT_EQ(choose_image(several.m, 80).image, 0);
  EXPECT_EQ(choose_image(several.m, 86).image, 1);
  EXPECT_EQ(choose_image(several.m, 87).image, 1);
  EXPECT_EQ(choose_image(several.m, 89).image, 3);
  EXPECT_EQ(choose_image(several.m, 90).image, 3);
  EXPECT_EQ(choose_image(Module({"ptx sm_80", "sm_80"}).m, 89).image, 1) << "no need to compile the same again";
}

TEST(Choose, AnArchitecturesOwnCubinIsForThatDeviceOnly) {
  EXPECT_EQ(choose_image(Module({"ptx sm_90a", "sm_90a", "ptx sm_80"}).m, 90).image, 1);
  const std::vector<std::string> one{"sm_90a"}, two{"sm_100a", "sm_90a"};
  EXPECT_EQ(Library({one}).on(90), 0);
  EXPECT_EQ(Library({two}).on(103), -SINTER_ERR_UNSUPPORTED);
  EXPECT_EQ(choose_image(Module({"sm_100f"}).m, 103).image, 0);
  EXPECT_EQ(choose_image(Module({"sm_100f"}).m, 120).image, -1);
  EXPECT_EQ(choose_image(Module({"ptx sm_100f"}).m, 103).image, 0);
  EXPECT_EQ(choose_image(Module({"ptx sm_100f"}).m, 120).image, -1);
}

TEST(Choose, TheErrorNamesTheDeviceAndWhatThereIs) {
  Library lib({{"sm_90a", "ptx sm_90a"}, {"ptx sm_90"}, {}});
  EXPECT_EQ(lib.on(75, "Tesla T4"), -SINTER_ERR_UNSUPPORTED);
  EXPECT_STREQ(sinter_last_error(),
               "pipe: needed a version for this device, Tesla T4, sm_75, given cuda (cubin sm_90a, ptx sm_90a), "
               "cuda (ptx sm_90), host; compile for it too, or add a generic target");
}

// ---- Where the tensors lie ---------------------------------------------------------------------

struct Call {
  std::vector<sinter_rt_arg> args;
  std::deque<DLTensor> tensors;
  std::vector<const DLTensor*> list;

  Call& on(int device_type) {
    args.push_back({"x", kDLFloat, 32, SINTER_RT_INPUT, 1, 0, 0});
    tensors.emplace_back();
    tensors.back().device.device_type = static_cast<DLDeviceType>(device_type);
    list.push_back(&tensors.back());
    return *this;
  }
  Call& scalar() {
    args.push_back({"a", kDLInt, 32, SINTER_RT_SCALAR, 0, 0, 0});
    list.push_back(nullptr);
    return *this;
  }
  Call& missing() {
    args.push_back({"x", kDLFloat, 32, SINTER_RT_INPUT, 1, 0, 0});
    list.push_back(nullptr);
    return *this;
  }
  Place place() const { return place_of(args.data(), static_cast<int>(args.size()), list.data()); }
  int choose(Library& lib) const {
    int chosen = -1;
    const int code = sinter_rt_choose("pipe", lib.versions.data(), lib.count(), args.data(),
                                      static_cast<int>(args.size()), list.data(), &chosen);
    return code == SINTER_OK ? chosen : -code;
  }
};

TEST(Choose, TheFirstTensorThatSaysDecides) {
  EXPECT_EQ(Call().on(kDLCPU).place(), Place::Host);
  EXPECT_EQ(Call().on(kDLCUDAHost).place(), Place::Host);
  EXPECT_EQ(Call().scalar().missing().on(kDLCUDA).on(kDLCPU).place(), Place::Cuda);
  EXPECT_EQ(Call().on(kDLCUDAManaged).on(kDLCPU).place(), Place::Host);
  EXPECT_EQ(Call().on(kDLCUDAManaged).on(kDLCUDA).place(), Place::Cuda);
  EXPECT_EQ(Call().on(kDLCUDAManaged).place(), Place::Either);
  EXPECT_EQ(Call().scalar().missing().place(), Place::Either);
}

TEST(Choose, HostMemoryGetsTheHostVersionAndAsksNoDriver) {
  Library lib({{"ptx sm_90a"}, {}, {"ptx sm_90"}});
  EXPECT_EQ(Call().on(kDLCPU).choose(lib), 1);
  Library device_only({{"ptx sm_90a"}, {"ptx sm_90"}});
  EXPECT_EQ(Call().on(kDLCPU).choose(device_only), 0) << "its checks say what is wrong";
  Library one({{"ptx sm_90a"}});
  EXPECT_EQ(Call().on(kDLCUDA).choose(one), 0) << "one version needs no choice";
}

TEST(Choose, WithoutADriver) {
  if (sinter_rt_have_gpu()) GTEST_SKIP() << "this machine has a GPU";
  Library lib({{"sm_90a", "ptx sm_90a"}, {}, {"ptx sm_90"}});
  EXPECT_EQ(Call().on(kDLCUDAManaged).choose(lib), 1) << "managed memory is the host's too";
  EXPECT_EQ(Call().on(kDLCUDA).choose(lib), -SINTER_ERR_NO_DRIVER);
  EXPECT_THAT(sinter_last_error(), HasSubstr("pipe: compiled for cuda (cubin sm_90a, ptx sm_90a), host, cuda (ptx sm_90): no CUDA driver"));

  EXPECT_EQ(sinter_rt_prepare("pipe", lib.versions.data(), lib.count(), -1), SINTER_OK);
  EXPECT_EQ(sinter_rt_prepare("pipe", lib.versions.data(), lib.count(), 0), SINTER_ERR_NO_DRIVER);
  EXPECT_THAT(sinter_last_error(), HasSubstr("cubin sm_90a"));
  const std::vector<std::string> none;
  Library host({none});
  EXPECT_EQ(sinter_rt_prepare("pipe", host.versions.data(), 1, 0), SINTER_OK) << "nothing to prepare";
  Library device({{"ptx sm_90"}});
  EXPECT_EQ(sinter_rt_prepare("pipe", device.versions.data(), 1, -1), SINTER_ERR_DEVICE);
  EXPECT_THAT(sinter_last_error(), HasSubstr("given -1: cuda (ptx sm_90)"));
}

}  // namespace
}  // namespace sinter_rt
