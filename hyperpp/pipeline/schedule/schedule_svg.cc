#include "hyperpp/pipeline/schedule/schedule_svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

namespace hyperpp::pipeline {
namespace {

constexpr double kLeft = 64, kRight = 16, kTop = 64, kBottom = 40;
constexpr double kRowHeight = 30, kRowGap = 6, kMessageHeight = 5;

struct Color {
  const char* fill;
  const char* text;
};
// Chunks beyond the last colour start over.
constexpr std::array<Color, 4> kForwardColors = {{{"#9ecae1", "#08306b"},
                                                  {"#4292c6", "#ffffff"},
                                                  {"#2171b5", "#ffffff"},
                                                  {"#084594", "#ffffff"}}};
constexpr std::array<Color, 4> kBackwardColors = {{{"#fdd0a2", "#7f2704"},
                                                   {"#fd8d3c", "#ffffff"},
                                                   {"#d94801", "#ffffff"},
                                                   {"#8c2d04", "#ffffff"}}};
constexpr Color kMessageColor = {"#74766f", "#ffffff"};

Color ColorOf(const Action& action, const ScheduleShape& shape) {
  if (!IsCompute(action.type)) return kMessageColor;
  const auto& colors = action.type == ActionType::kForward ? kForwardColors : kBackwardColors;
  return colors[static_cast<size_t>(shape.ChunkOf(action.stage)) % colors.size()];
}

std::string Escape(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// 1, 2 or 5 times a power of ten, so that the axis gets at most about ten marks.
double AxisStep(double makespan) {
  const double power = std::pow(10.0, std::floor(std::log10(makespan / 10)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power * 10 >= makespan) return factor * power;
  }
  return 10 * power;
}

class Drawing {
 public:
  Drawing(const Timeline& timeline, const SvgOptions& options)
      : timeline_(timeline), options_(options), makespan_(Makespan(timeline)) {
    for (const auto& actions : timeline.ranks) {
      for (const TimedAction& timed : actions) first_start_ = std::min(first_start_, timed.start);
    }
  }

  std::string Draw() {
    const double height = Bottom() + kBottom;
    Append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        options_.width, height);
    Append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    Append("<text x=\"{}\" y=\"22\" font-size=\"15\" fill=\"#222222\">{}</text>\n", kLeft,
           Escape(Title()));
    DrawLegend();
    for (size_t rank = 0; rank < timeline_.ranks.size(); ++rank) DrawRank(rank);
    DrawAxis();
    text_ += "</svg>\n";
    return std::move(text_);
  }

 private:
  template <typename... Values>
  void Append(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
  }

  std::string Title() const {
    if (!options_.title.empty()) return options_.title;
    const ScheduleShape& shape = timeline_.shape;
    return fmt::format("{}: {} ranks, {} chunk{}, {} microbatches, bubble {:.1f} %", timeline_.name,
                       shape.num_ranks, shape.num_chunks, shape.num_chunks == 1 ? "" : "s",
                       shape.num_microbatches, 100 * BubbleFraction(timeline_));
  }

  double Top(size_t rank) const {
    return kTop + static_cast<double>(rank) * (kRowHeight + kRowGap);
  }
  double Bottom() const { return Top(timeline_.ranks.size()); }
  double Scale() const { return makespan_ > 0 ? (options_.width - kLeft - kRight) / makespan_ : 0; }

  void DrawLegend() {
    double x = kLeft;
    const auto entry = [&](const Color& color, const std::string& label) {
      Append("<rect x=\"{}\" y=\"34\" width=\"12\" height=\"12\" fill=\"{}\"/>", x, color.fill);
      Append("<text x=\"{}\" y=\"44\" fill=\"#444444\">{}</text>\n", x + 16, label);
      x += 34 + 6.5 * static_cast<double>(label.size());
    };
    const int num_chunks = timeline_.shape.num_chunks;
    for (int chunk = 0; chunk < num_chunks; ++chunk) {
      const std::string suffix = num_chunks > 1 ? fmt::format(", chunk {}", chunk) : "";
      const StageIndex stage = timeline_.shape.StageOf(0, chunk);
      entry(ColorOf(Forward(stage, {}), timeline_.shape), "forward" + suffix);
      entry(ColorOf(Backward(stage, {}), timeline_.shape), "backward" + suffix);
    }
    if (HasTimedMessages()) entry(kMessageColor, "communication");
    entry({"#ececec", ""}, "bubble");
  }

  bool HasTimedMessages() const {
    for (const auto& actions : timeline_.ranks) {
      for (const TimedAction& timed : actions) {
        if (!IsCompute(timed.action.type) && timed.end > timed.start) return true;
      }
    }
    return false;
  }

  void DrawRank(size_t rank) {
    const double top = Top(rank);
    Append("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#222222\">rank {}</text>\n",
           kLeft - 8, top + kRowHeight / 2 + 4, rank);
    Append("<rect x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"#ececec\"/>\n", kLeft,
           top, makespan_ * Scale(), kRowHeight);
    for (const TimedAction& timed : timeline_.ranks[rank]) {
      if (timed.end > timed.start) DrawAction(timed, top);
    }
  }

  void DrawAction(const TimedAction& timed, double top) {
    const bool compute = IsCompute(timed.action.type);
    const Color color = ColorOf(timed.action, timeline_.shape);
    const double x = kLeft + (timed.start - first_start_) * Scale();
    const double width = (timed.end - timed.start) * Scale();
    const double height = compute ? kRowHeight : kMessageHeight;
    Append("<g><title>{} {:.6g} to {:.6g} {}</title>", FormatAction(timed.action),
           timed.start - first_start_, timed.end - first_start_, Escape(options_.time_unit));
    Append(
        "<rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" "
        "stroke=\"#ffffff\" stroke-width=\"0.8\"/>",
        x, compute ? top : top + kRowHeight - kMessageHeight, width, height, color.fill);
    const std::string label = std::to_string(timed.action.microbatch.value);
    if (compute && width >= 4 + 7 * static_cast<double>(label.size())) {
      Append("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\" fill=\"{}\">{}</text>",
             x + width / 2, top + kRowHeight / 2 + 4, color.text, label);
    }
    text_ += "</g>\n";
  }

  void DrawAxis() {
    if (makespan_ <= 0) return;
    const double y = Bottom();
    const double step = AxisStep(makespan_);
    for (int i = 0; i * step <= makespan_ * (1 + 1e-9); ++i) {
      const double x = kLeft + i * step * Scale();
      Append("<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"#888888\"/>", x, y,
             y + 5);
      Append("<text x=\"{:.2f}\" y=\"{}\" text-anchor=\"middle\" fill=\"#444444\">{:.6g}</text>\n",
             x, y + 18, i * step);
    }
    Append("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"#444444\">time{}</text>\n",
           options_.width - kRight, y + 34,
           options_.time_unit.empty() ? "" : Escape(" in " + options_.time_unit));
  }

  const Timeline& timeline_;
  const SvgOptions& options_;
  const double makespan_;
  double first_start_ = std::numeric_limits<double>::infinity();
  std::string text_;
};

}  // namespace

std::string DrawTimeline(const Timeline& timeline, const SvgOptions& options) {
  return Drawing(timeline, options).Draw();
}

}  // namespace hyperpp::pipeline
