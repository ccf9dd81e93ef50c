// assay calibrate: fits the weights of --weights to a machine and a JVM. Small bundled programs
// (java/calibrate) are counted, once per class of instructions with a weight of 1 for that class
// and 0 for the others, and timed; src/estimate/cost_fit.h does the rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>

#include "src/cli/agent_options.h"
#include "src/cli/commands.h"
#include "src/cli/format.h"
#include "src/cli/load.h"
#include "src/cli/numbers.h"
#include "src/cli/program.h"
#include "src/cli/program_words.h"
#include "src/cli/scratch_folder.h"
#include "src/cli/table.h"
#include "src/cli/terminal.h"
#include "src/estimate/cost_fit.h"
#include "src/instrument/count_weights.h"

extern "C" const char assay_calibrate_jar[];
extern "C" const char assay_calibrate_jar_end[];

namespace assay::cli {
namespace {

using instrument::kOpcodeClasses;

constexpr char kMainClass[] = "assay.calibrate.Main";
constexpr char kCounted[] = "assay.calibrate.Kernel*";
constexpr size_t kClasses = std::size(kOpcodeClasses);

struct CalibrateCommand {
  std::vector<std::string> java = {"java"};
  std::string output;
  size_t repetitions = 5;
  bool quick = false;
};

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Calibration {
 public:
  explicit Calibration(const CalibrateCommand& options) : options_(options) {
    WriteOutput(
        folder_.File("programs.jar"),
        {assay_calibrate_jar, static_cast<size_t>(assay_calibrate_jar_end - assay_calibrate_jar)});
  }

  std::vector<estimate::CostSample> Measure() {
    for (size_t i = 0; i < kClasses; ++i) CountClass(i);
    const size_t repetitions = options_.quick ? 2 : options_.repetitions;
    for (size_t i = 0; i < repetitions; ++i) Time(i, repetitions);
    std::vector<estimate::CostSample> samples;
    for (const auto& [name, counts] : counts_) {
      if (times_[name].empty()) throw CommandError("no time for " + name, kRefused);
      samples.push_back({name.substr(name.rfind('.') + 1), counts, Median(times_[name])});
    }
    return samples;
  }

  // The typical distance of the longest from the shortest time of a program, as a share.
  double Spread() const {
    std::vector<double> spreads;
    for (const auto& [name, times] : times_) {
      auto [least, most] = std::minmax_element(times.begin(), times.end());
      spreads.push_back((*most - *least) / Median(times));
    }
    return Median(spreads);
  }

 private:
  void Run(const std::vector<std::string>& flags, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = options_.java;
    for (const char* word : {"-cp", "", kMainClass}) command.emplace_back(word);
    command[command.size() - 2] = folder_.File("programs.jar");
    command.insert(command.end(), arguments.begin(), arguments.end());
    int status = RunProgram(command, flags).status;
    if (status == 0) return;
    throw CommandError(fmt::format("{} ended with status {}", options_.java[0], status), kRefused);
  }

  // How many instructions of one class each program executes. With a granularity of 1 every check
  // is a sample: what a program is charged with is its own.
  void CountClass(size_t index) {
    Activity activity(fmt::format("counting {}", kOpcodeClasses[index].name));
    std::string text;
    for (size_t i = 0; i < kClasses; ++i) {
      text += fmt::format("{} {}\n", kOpcodeClasses[i].name, i == index ? 1 : 0);
    }
    const std::string weights = folder_.File("weights"), output = folder_.File("profile");
    WriteOutput(weights, text);
    Run({fmt::format("-agentpath:{}=collect=bytecodes,include={},granularity=1,jitter=0,weights={},"
                     "output={}",
                     AgentPath(), kCounted, weights, output)},
        {"count"});
    const profile::Profile profile = Load(output);
    for (const profile::ContextNode& node : profile.nodes()) {
      if (node.self <= 0) continue;
      const profile::Method& program = profile.method(Outermost(profile, node).method);
      if (program.name == "<clinit>") continue;
      auto& counts = counts_[program.class_name + "." + program.name];
      counts.resize(kClasses);
      counts[index] += node.self;
    }
  }

  static const profile::ContextNode& Outermost(const profile::Profile& profile,
                                               const profile::ContextNode& node) {
    const profile::ContextNode* outermost = &node;
    while (outermost->parent != profile::kRootNode) outermost = &profile.nodes()[outermost->parent];
    return *outermost;
  }

  // All programs in one JVM, in another order each time.
  void Time(size_t repetition, size_t repetitions) {
    Activity activity(fmt::format("timing {} of {}", repetition + 1, repetitions));
    const std::string output = folder_.File("times");
    Run({}, {"time", output, std::to_string(repetition), options_.quick ? "10" : "150",
             options_.quick ? "9" : "90"});
    std::ifstream in(output);
    std::string name;
    for (double time = 0; in >> name >> time;) times_[name].push_back(time);
  }

  const CalibrateCommand& options_;
  ScratchFolder folder_{"calibrate"};
  std::map<std::string, std::vector<double>> counts_;  // of one call, by class of instructions
  std::map<std::string, std::vector<double>> times_;   // of one call in ns, by repetition
};

std::string ErrorText(const estimate::CostFit& fit) {
  return fmt::format(
      "error: {} of the time of a program that was not used for the fit (median of {}; {} "
      "when every instruction counts 1)",
      Percent(estimate::TypicalError(fit.left_out)), fit.left_out.size(),
      Percent(estimate::TypicalError(fit.uniform)));
}

std::string WeightsText(const std::vector<estimate::CostSample>& samples,
                        const estimate::CostFit& fit) {
  std::string text =
      fmt::format("# assay calibrate; weight 1 is {:.3g} ns\n# {}\n", fit.unit, ErrorText(fit));
  for (size_t i = 0; i < kClasses; ++i) {
    text += fmt::format("{} {}\n", kOpcodeClasses[i].name, fit.weights[i]);
  }
  text += "# program, instructions, ns, error when left out\n";
  for (size_t s = 0; s < samples.size(); ++s) {
    const auto& [name, counts, time] = samples[s];
    text += fmt::format("# {} {:.0f} {:.0f} {:+.0f} %\n", name,
                        std::accumulate(counts.begin(), counts.end(), 0.0), time,
                        100 * fit.left_out[s]);
  }
  return text;
}

std::string WeightsTable(const estimate::CostFit& fit) {
  Table table;
  table.AddColumn("weight", Table::kRight);
  table.AddColumn("ns", Table::kRight);
  table.AddColumn("class", Table::kLeft);
  table.AddColumn("instructions", Table::kLeft);
  for (size_t i = 0; i < kClasses; ++i) {
    table.BeginRow();
    table.Cell(std::to_string(fit.weights[i]));
    table.Cell(fmt::format("{:.2f}", fit.costs[i]));
    table.Cell(std::string(kOpcodeClasses[i].name));
    table.Cell(std::string(kOpcodeClasses[i].examples));
  }
  return table.Render(OutputWidth());
}

int Calibrate(const CalibrateCommand& options) {
  if (!IsJava(options.java)) {
    throw CommandError(
        "calibrate runs programs of its own; write -- java and flags of the JVM only");
  }
  CheckWritable(options.output);
  Calibration calibration(options);
  const std::vector<estimate::CostSample> samples = calibration.Measure();
  auto fit = estimate::FitCosts(samples, instrument::kMostWeight);
  if (!fit.ok()) throw CommandError(fit.error().message, kRefused);
  WriteOutput(options.output, WeightsText(samples, *fit));
  const auto worst = std::max_element(fit->left_out.begin(), fit->left_out.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
  WriteOutput(
      "",
      fmt::format(
          "{}\nweight 1 is {:.3g} ns\n{}\nworst: {} {:+.0f} %; times of repetitions differ by {}\n",
          WeightsTable(*fit), fit->unit, ErrorText(*fit),
          samples[static_cast<size_t>(worst - fit->left_out.begin())].name, 100 * *worst,
          Percent(calibration.Spread())));
  return kDone;
}

}  // namespace

void RegisterCalibrate(Cli& cli) {
  auto options = std::make_shared<CalibrateCommand>();
  CLI::App* app = cli.app.add_subcommand(
      "calibrate",
      "Fit what bytecodes cost on this machine, for run --collect bytecodes --weights");
  app->add_option("-o,--output", options->output, "the weights to write")->required();
  app->add_option("--repetitions", options->repetitions, "JVMs in which everything is timed")
      ->transform(WholeNumber(1, 1000))
      ->capture_default_str();
  app->add_flag("--quick", options->quick,
                "a few seconds instead of minutes, and far less precise");
  AddProgram(cli, app, &options->java, "java and flags for the JVM, after --");
  app->footer(
      "Example: assay calibrate -o weights.txt -- java -XX:+UseSerialGC\n"
      "Runs small programs of its own, counts their instructions by class and measures their CPU "
      "time.\n"
      "The error says how far the time of such a program is from what weights fitted to all the "
      "others\n"
      "predict. The machine should have nothing else to do.");
  app->callback([&cli, options] { cli.run = [options] { return Calibrate(*options); }; });
}

}  // namespace assay::cli
