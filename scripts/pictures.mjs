// `node scripts/pictures.mjs [FOLDER]`: draws the pictures of README and docs/ into docs/img/, from the
// example tables, by the built package. Plain SVG that fits light and dark pages. The same tables give the
// same files: a test draws them again.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.argv[2] ?? join(root, "docs/img");
const { KNeighborsClassifier, Normalize, Pipeline, Table, confusion, readCsv } = await load("node");
const species = ["Adelie", "Chinstrap", "Gentoo"];
const { exampleFiles, exampleTables } = await load("cli/examples");

mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "digits.svg"), await drawDigits());
writeFileSync(join(folder, "penguins.svg"), await drawPenguins());
writeFileSync(join(folder, "report.svg"), await drawReport());

/**
 * Draws test digits, each beside its nearest training digits: eight that are predicted right, two that are
 * not.
 */
async function drawDigits() {
  const [, train, test] = await tables("digits");
  const model = await new KNeighborsClassifier({ nNeighbors: 5, backend: "cpu" }).fit(train, "digit");
  const { labels, neighbors } = await model.classify(test);
  model.dispose();
  const truth = test.column("digit").values;
  const isRight = (row) => labels[row] === truth[row];
  const rows = Array.from(labels, (_, row) => row);
  const right = Array.from({ length: 8 }, (_, digit) =>
    rows.find((row) => truth[row] === digit && isRight(row)),
  );
  const wrong = rows.filter((row) => !isRight(row)).slice(0, 2);
  const { accuracy } = confusion([...truth], [...labels]);

  const placeOf = (at) => [16 + (at % 2) * 356, 16 + Math.floor(at / 2) * 62];
  const shown = [...right, ...wrong];
  const digitsAndVotes = shown.map((row, at) => {
    const [x, y] = placeOf(at);
    const near = Array.from({ length: 5 }, (_, i) => neighbors.indices[row * 5 + i]);
    const verdict = isRight(row)
      ? `<text x="316" y="31">${labels[row]}</text>`
      : `<text x="316" y="31" class="wrong">${labels[row]}</text><text x="316" y="47" class="small">is ${truth[row]}</text>`;
    return [
      `<g transform="translate(${x} ${y})">`,
      digits(test, [row], 0, 0, 6),
      digits(train, near, 90, 5, 4.75),
      verdict,
      `</g>`,
    ].join("\n");
  });
  const drawnAt = (draw) => shown.map((_, at) => draw(...placeOf(at))).join("");
  const parts = [
    `<path class="frame" d="${drawnAt((x, y) => `M${x - 2} ${y - 2}h52v52h-52z`)}"/>`,
    `<path class="line" d="${drawnAt((x, y) => `M${x + 62} ${y + 24}h14m-5-5l5 5l-5 5`)}"/>`,
    ...digitsAndVotes,
  ];
  const hits = rows.filter(isRight).length;
  const about = `Ten of ${test.rows} test digits, each with its five nearest of ${train.rows.toLocaleString("en-US")} training digits and the digit that they vote for. ${hits} of ${test.rows} are right (${(100 * accuracy).toFixed(1)} %); the last two are not.`;
  return svg(712, 326, "Handwritten digits and their nearest neighbours", about, parts);
}

/**
 * Draws rows of 8 x 8 numbers up to 16, in the table's column order, side by side: for each shade one path,
 * of a line per run.
 */
function digits(table, rows, x, y, size) {
  const paths = new Map();
  for (const [place, row] of rows.entries()) {
    const shades = table.columns.map(({ values }) => (values[row] < 2 ? 0 : Math.ceil(values[row] / 4)));
    for (let at = 0, end = 0; at < 64; at = end) {
      const shade = shades[at];
      do end++;
      while (end % 8 > 0 && shades[end] === shade);
      const run = [place * 9 + (at % 8), Math.floor(at / 8), end - at];
      if (shade > 0) paths.set(shade, [...(paths.get(shade) ?? []), run]);
    }
  }
  const drawn = [...paths].map(([shade, runs]) => `<path opacity="${shade / 4}" d="${lines(runs)}"/>`);
  return `<g class="ink" transform="translate(${x} ${y + size / 2}) scale(${size})">${drawn.join("")}</g>`;
}

/** Returns the path of horizontal lines [x, y, length], each begun by the shorter of two moves. */
function lines(runs) {
  let [fromX, fromY] = [0, 0];
  return runs
    .map(([x, y, length]) => {
      const [dx, dy] = [x - fromX, y - fromY];
      [fromX, fromY] = [x + length, y];
      const [to, by] = [`M${x} ${y}`, `m${dx}${dy < 0 ? "" : " "}${dy}`];
      return `${by.length < to.length ? by : to}h${length}`;
    })
    .join("");
}

/**
 * Draws the bills of penguins, and which species the nearest neighbours of every place of the plane vote for.
 */
async function drawPenguins() {
  const [all] = await tables("penguins");
  const [length, depth] = ["bill_length_mm", "bill_depth_mm"].map((name) => [...all.column(name).values]);
  const kinds = all.column("species");
  const known = length.map((_, row) => row).filter((row) => !Number.isNaN(length[row]));
  const birds = Table.fromColumns({
    length: known.map((row) => length[row]),
    depth: known.map((row) => depth[row]),
    species: known.map((row) => kinds.dictionary.values[kinds.codes[row]]),
  });
  const pipeline = new Pipeline(
    [new Normalize()],
    new KNeighborsClassifier({ nNeighbors: 7, backend: "cpu" }),
  );
  await pipeline.fit(birds, "species");

  const [columns, rows, cell] = [150, 75, 4];
  const [left, top, wide, high] = [31, 12.5, 30, 10];
  const places = Array.from({ length: columns * rows }, (_, at) => [at % columns, Math.floor(at / columns)]);
  const plane = Table.fromColumns({
    length: places.map(([x]) => left + ((x + 0.5) / columns) * wide),
    depth: places.map(([, y]) => top + (1 - (y + 0.5) / rows) * high),
  });
  const predicted = await pipeline.predict(plane);
  pipeline.dispose();

  const regions = species.map((name, kind) => {
    const runs = [];
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < columns; x++) {
        const begin = x;
        while (x < columns && predicted[y * columns + x] === name) x++;
        if (x > begin) runs.push([begin, y, x - begin]);
      }
    }
    return `<path class="k${kind}" opacity=".22" transform="translate(0 ${cell / 2}) scale(${cell})" d="${lines(runs)}"/>`;
  });
  const [width, height] = [columns * cell, rows * cell];
  const marks = known.map((row) => {
    const x = (((length[row] - left) / wide) * width).toFixed(0);
    const y = ((1 - (depth[row] - top) / high) * height).toFixed(0);
    const kind = species.indexOf(kinds.dictionary.values[kinds.codes[row]]);
    // Lines without length are squares and circles by their ends.
    return { kind, d: kind === 0 ? `M${x} ${y - 4}l4 7h-8z` : `M${x} ${y}h0` };
  });
  const points = species.map(
    (_, kind) =>
      `<path class="k${kind}" opacity=".8" ${["", 'stroke-width="6" stroke-linecap="square"', 'stroke-width="7" stroke-linecap="round"'][kind]} d="${marks
        .filter((mark) => mark.kind === kind)
        .map(({ d }) => d)
        .join("")}"/>`,
  );
  const names = [
    [60, 22, 0],
    [470, 22, 1],
    [440, 285, 2],
  ].map(([x, y, kind]) => `<text x="${x}" y="${y}">${species[kind]}</text>`);
  const axis = [
    ...[35, 40, 45, 50, 55].map(
      (mm) => `<text class="small" x="${((mm - left) / wide) * width}" y="${height + 16}">${mm}</text>`,
    ),
    ...[14, 16, 18, 20, 22].map(
      (mm) => `<text class="small end" x="-6" y="${(1 - (mm - top) / high) * height + 4}">${mm}</text>`,
    ),
    `<text class="small" x="${width / 2}" y="${height + 34}">length of the bill, mm</text>`,
    `<text class="small" transform="translate(-32 ${height / 2}) rotate(-90)">depth of the bill, mm</text>`,
  ];
  const about = `Length and depth of the bills of ${known.length} penguins. The colour of each place says which of three species its seven nearest neighbours vote for.`;
  const parts = [`<g transform="translate(52 8)">`, ...regions, ...points, ...names, ...axis, `</g>`];
  return svg(664, 352, "Penguins told apart by their bills", about, parts);
}

/**
 * Draws two pictures of a report that the command writes, of penguins that were tuned, in its own colours:
 * the confusion matrix and the curves over k.
 */
async function drawReport() {
  const page = await reportOfPenguins();
  const [colours] = page.match(/:root\{.*\n.*:root\{.*\}\}/);
  const [chart] = page.match(/(?<=aria-label="accuracy over k">).*?(?=<\/svg>)/s);
  const [matrix] = page.match(/<table class="matrix">.*?<\/table>/s);
  const rows = [...matrix.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs)].map(
    ([, name, cells]) => ({
      name,
      cells: [...cells.matchAll(/<td class="(?:hit )?(\w+)">([\d,]+)/g)].map(([, shade, count]) => ({
        shade,
        count,
      })),
    }),
  );
  const size = 76;
  const cells = rows.flatMap((row, y) => [
    `<text x="-8" y="${y * size + 42}" class="end">${row.name}</text>`,
    `<text x="${y * size + 36}" y="-8">${row.name}</text>`,
    ...row.cells.map(({ shade, count }, x) => {
      const [fill, dark] = /^[he]/.test(shade)
        ? [`${shade[0]}${shade[1] - 1}`, shade[1] > 4]
        : ["card", false];
      const place = `translate(${x * size} ${y * size})`;
      return `<g transform="${place}"><rect width="72" height="72" fill="var(--${fill})"/><text x="36" y="43" class="count${dark ? " on" : ""}">${count}</text></g>`;
    }),
  ]);
  const legend = ["scaled (z)", "as they are"].map(
    (name, at) =>
      `<path class="s${at} line" ${at ? 'stroke-dasharray="6 4"' : ""} d="M${120 + at * 130} 342h30"/><text x="${156 + at * 130}" y="346" text-anchor="start">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 360" width="800" height="360" role="img" aria-labelledby="t d">
<title id="t">Two pictures of a report</title>
<desc id="d">Which species of penguins (rows) are taken for which, and the accuracy over k with columns scaled and as they are.</desc>
<style>
${colours}
text { font: 12px system-ui, sans-serif; fill: var(--soft) }
g > text { text-anchor: middle } g > .end { text-anchor: end }
.count { font-size: 18px; font-weight: 600; fill: var(--text) } .on { fill: var(--on) }
.s0 { fill: var(--c0); stroke: var(--c0) } .s1 { fill: var(--c1); stroke: var(--c1) }
.grid { stroke: var(--line); stroke-width: .6 }
.line { fill: none; stroke-width: 2 } .band { stroke: none; opacity: .18 }
.dots { stroke-width: 5; stroke-linecap: round }
</style>
<g transform="translate(82 60)">${cells.join("\n")}
<text x="112" y="-32">predicted</text></g>
<svg x="340" y="0" width="440" height="360" viewBox="0 0 440 360">${chart}${legend.join("")}</svg>
</svg>
`;
}

/** Returns the page that `nearfield tune --report` writes for the penguins. */
async function reportOfPenguins() {
  const files = await exampleFiles(exampleTables.find(({ name }) => name === "penguins"));
  const work = mkdtempSync(join(tmpdir(), "nearfield-pictures-"));
  const [train, page] = [join(work, "penguins.csv"), join(work, "report.html")];
  writeFileSync(train, files[0].text);
  const settings =
    "--label species --k 1:31:2 --metric mixed_euclidean --weights uniform --backend cpu --quiet";
  const main = fileURLToPath(new URL("../dist/bin/main.js", import.meta.url));
  execFileSync(process.execPath, [main, "tune", "--train", train, ...settings.split(" "), "--report", page]);
  const text = readFileSync(page, "utf8");
  rmSync(work, { recursive: true });
  return text;
}

function svg(width, height, title, about, parts) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d">
<title id="t">${title}</title>
<desc id="d">${about}</desc>
<style>
text { font: 600 20px system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
.small { font-size: 12px; font-weight: 400 }
.end { text-anchor: end }
.wrong { fill: #cf222e; text-decoration: line-through }
.ink { stroke: #1f2328 }
.frame { fill: none; stroke: #8c959f }
.line { fill: none; stroke: #8c959f; stroke-width: 1.5 }
.k0 { fill: #d1580b; stroke: #d1580b } .k1 { fill: #8250df; stroke: #8250df } .k2 { fill: #0a7f86; stroke: #0a7f86 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.ink { stroke: #e6edf3 }
.wrong { fill: #ff7b72 }
.k0 { fill: #f0883e; stroke: #f0883e } .k1 { fill: #b78aff; stroke: #b78aff } .k2 { fill: #39c5cf; stroke: #39c5cf }
}
</style>
${parts.join("\n")}
</svg>
`;
}

async function tables(name) {
  const files = await exampleFiles(exampleTables.find((each) => each.name === name));
  const source = ({ name, text }) => ({
    name,
    stream: async function* () {
      yield new TextEncoder().encode(text);
    },
  });
  return Promise.all(files.map((file) => readCsv(source(file))));
}

function load(module) {
  return import(new URL(`../dist/${module}.js`, import.meta.url));
}
