#include <memory>

#include "src/cli/commands.h"
#include "src/cli/load.h"
#include "src/cli/numbers.h"
#include "src/cli/show.h"
#include "src/cli/terminal.h"
#include "src/profile/aggregate.h"

namespace assay::cli {
namespace {

struct ShowOptions {
  std::string file;
  size_t top = 20;
  std::vector<std::string> by;
  bool json = false;
};

int Show(const ShowOptions& options) {
  profile::Profile profile = Load(options.file);
  std::vector<ViewSpec> views;
  for (const std::string& name : options.by) views.push_back(ParseView(profile, name));
  if (views.empty()) views.push_back(DefaultView(profile));
  std::string out;
  if (options.json) {
    JsonWriter json(2);
    json.BeginObject();
    MetadataJson(profile, json);
    if (!profile.self_unit.empty()) json.Field("self_unit", profile.self_unit);
    for (const ViewSpec& view : views) ShowJson(profile, view, options.top, json);
    LostJson(profile, json);
    out = json.EndObject().Take() + "\n";
  } else {
    out = Summary(profile, options.file);
    for (const ViewSpec& view : views) {
      out += "\n" + ShowText(profile, view, options.top, OutputWidth());
    }
  }
  WriteOutput("", out);
  return kDone;
}

}  // namespace

void RegisterShow(Cli& cli) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command = cli.app.add_subcommand("show", "Tables of a profile in the terminal");
  command->add_option("FILE", options->file, "the profile")->required();
  command->add_option("--top", options->top, "rows per table; 0 shows all")
      ->transform(WholeNumber())
      ->capture_default_str();
  command
      ->add_option("--by", options->by,
                   "tables to show, separated by commas: edges (default), methods (default of bytecodes and contexts), contexts, sites,"
                   " metadata, lost, skipped, or a table of the profile such as fields")
      ->delimiter(',');
  command->add_flag("--json", options->json, "print JSON");
  command->callback([&cli, options] { cli.run = [options] { return Show(*options); }; });
}

}  // namespace assay::cli
