/** Draws how predicted numbers compare with true ones: against each other, and their differences. */
import { count } from "../format.ts";
import { worstRows, type JudgedRows } from "./judged.ts";
import { chart, endsOf, histogram, line, points } from "./marks.ts";
import { markup, type Markup } from "./markup.ts";
import { figure } from "./tables.ts";

/** The most points of a picture: of more rows every nth is drawn. */
const POINTS = 4000;

export function numbersMarkup(judged: JudgedRows): Markup {
  const { truth, predicted, label } = judged;
  const known = worstRows(judged).sort((a, b) => a - b);
  if (known.length === 0) return markup``;
  const every = Math.ceil(known.length / POINTS);
  const drawn = known.filter((_, at) => at % every === 0);
  const pairs = drawn.map((row) => [Number(truth[row]), Number(predicted[row])] as const);
  const ends = endsOf(pairs.flat());
  const errors = known.map((row) => Number(predicted[row]) - Number(truth[row]));
  const which = every > 1 ? ` ${count(drawn.length)} of ${count(known.length)} rows are drawn.` : "";
  const scatter = chart(
    `Predicted ${label} against true ${label}`,
    { ends, title: `true ${label}` },
    { ends, title: "predicted" },
    (x, y) => [
      line(
        7,
        ends.map((end) => [x(end), y(end)] as const),
        "4 4",
      ),
      points(
        0,
        pairs.map(([is, was]) => [x(is), y(was)] as const),
      ),
    ],
  );
  const residuals = histogram(`Residuals of ${label}`, errors, "predicted minus true");
  return markup`<div class="pair">${figure("Predicted against true", `On the dashed line they are the same.${which}`, scatter)}${figure("Residuals", "Right of 0 too much was predicted, left of it too little.", residuals)}</div>
`;
}
