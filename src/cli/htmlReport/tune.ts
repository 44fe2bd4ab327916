/** Writes the report of `tune`: the curve over k, the best combinations, and how the best one predicts. */
import type { Table } from "../../table/index.ts";
import { percent, plural } from "../format.ts";
import type { Trained } from "../inputs/tables.ts";
import { numberText } from "../performanceText.ts";
import type { Judgement } from "../results/predictions.ts";
import { bestCommand, type Candidate, type TuneSummary } from "../results/tuned.ts";
import { chart, endsOf, line, points, type AxisScale } from "./marks.ts";
import { Markup, markup, type Content } from "./markup.ts";
import { foldsText, judgedOf, resultMarkup } from "./model.ts";
import { pageText } from "./page.ts";
import { lastSections } from "./settings.ts";
import { codeMarkup, factsMarkup, figure, paragraph, tableMarkup, textClass } from "./tables.ts";

/** At most so many combinations are listed, and so many curves are drawn. */
const LISTED = 15;
const CURVES = 6;

export function tunePage(
  summary: TuneSummary,
  validated: Judgement,
  trained: Trained & { readonly train: Table },
): string {
  const { best, measure, candidates, searches, train, label, features, crossValidation } = summary;
  const judged = judgedOf(validated, trained.train, trained, { label });
  const chosen = factsMarkup([
    [measure, textOf(best.mean, measure), `± ${textOf(best.deviation, measure)} between folds`],
    ["k", best.k],
    ["metric", best.metric],
    ["scaling", best.scaling],
    ["weights", best.weights],
  ]);
  return pageText({
    title: `Tuned for ${label}`,
    about: `${train.file}: ${plural(train.rows, "row")}, ${plural(features.length, "feature")}; ${plural(candidates.length, "combination")} by ${plural(searches, "search", "searches")}`,
    sections: [
      {
        id: "best",
        title: "The best combination",
        body: markup`${chosen}${codeMarkup("The command that predicts like this", `nearfield ${bestCommand(summary)}`)}${curvesMarkup(summary)}${listMarkup(summary)}`,
      },
      {
        id: "validation",
        title: "Cross-validation of the best",
        body: markup`${paragraph(foldsText(crossValidation))}${judged && resultMarkup(crossValidation.micro, judged, trained.train, crossValidation)}`,
      },
      ...lastSections(summary),
    ],
  });
}

/** Draws the measure over k for the best settings, with the deviation of the first as a band. */
function curvesMarkup({ candidates, measure, smallestIsBest }: TuneSummary): Markup | undefined {
  const curves = new Map<string, Candidate[]>();
  for (const each of candidates) {
    const name = `${each.metric}, ${each.scaling}, ${each.weights}`;
    const curve = curves.get(name);
    if (curve) curve.push(each);
    else curves.set(name, [each]);
  }
  const bestOf = (curve: readonly Candidate[]) =>
    Math.min(...curve.map(({ mean }) => (smallestIsBest ? mean : -mean)));
  const shown = [...curves].sort(([, a], [, b]) => bestOf(a) - bestOf(b)).slice(0, CURVES);
  const [[, first]] = shown;
  if (first.length < 2) return undefined;
  const band = first.flatMap(({ mean, deviation }) => [mean - deviation, mean + deviation]);
  const drawn = shown.flatMap(([, curve]) => curve);
  const values = [...band, ...drawn.map(({ mean }) => mean)].filter(Number.isFinite);
  const draw = (x: AxisScale, y: AxisScale): Content => {
    const place = (k: number, value: number) => [x(k), y(value)] as const;
    const edge = [
      ...first.map(({ k, mean, deviation }) => place(k, mean + deviation)),
      ...[...first].reverse().map(({ k, mean, deviation }) => place(k, mean - deviation)),
    ];
    const area = edge.map(([across, up]) => `${across} ${up}`).join("L");
    return [
      markup`<path class="s0 band" d="M${new Markup(area)}z"/>`,
      ...shown.map(([, curve], at) =>
        line(
          at,
          curve.map(({ k, mean }) => place(k, mean)),
          dashes[at],
        ),
      ),
      points(
        0,
        first.map(({ k, mean }) => place(k, mean)),
      ),
    ];
  };
  const picture = chart(
    `${measure} over k`,
    { ends: endsOf(drawn.map(({ k }) => k)), title: "k, the number of neighbours" },
    {
      ends: endsOf(values),
      title: measure,
      text: (value) => textOf(value, measure).replace(/\.0+(?= %)/, ""),
    },
    draw,
    320,
  );
  const sample = (at: number) =>
    markup`<svg class="sample" viewBox="0 0 40 10" aria-hidden="true">${line(
      at,
      [
        [0, 5],
        [40, 5],
      ],
      dashes[at],
    )}</svg>`;
  return markup`<div class="pair">${figure(`The ${measure} over k`, "The mean over the folds; the band of the best settings is the deviation between folds.", picture)}<ul class="legend">${shown.map(([name], at) => markup`<li>${sample(at)}${name}</li>`)}</ul></div>
`;
}

const dashes = ["", "6 4", "2 3", "9 3 2 3", "1 4", "12 5"];

function listMarkup({ candidates, measure, smallestIsBest }: TuneSummary): Markup {
  const ranked = [...candidates].sort((a, b) => (smallestIsBest ? a.mean - b.mean : b.mean - a.mean));
  const row = ({ metric, scaling, weights, k, mean, deviation }: Candidate) =>
    markup`<tr><th scope="row">${metric}</th><td${textClass}>${scaling}</td><td${textClass}>${weights}</td><td>${k}</td><td>${textOf(mean, measure)}</td><td>${textOf(deviation, measure)}</td></tr>
`;
  return tableMarkup(
    "The best combinations",
    `${Math.min(LISTED, ranked.length)} of ${plural(ranked.length, "combination")}.`,
    [["metric", true], ["scaling", true], ["weights", true], ["k"], [measure], ["deviation"]],
    markup`<tbody>${ranked.slice(0, LISTED).map(row)}</tbody>`,
  );
}

function textOf(value: number, measure: TuneSummary["measure"]): string {
  return /accuracy/i.test(measure) ? percent(value) : numberText(value);
}
