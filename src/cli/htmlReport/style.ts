/**
 * This module has the style of every report, light and dark. Shades of a matrix are classes, h1 to h8 for
 * hits and e1 to e8 for errors, since the policy of the page allows no style of a single element. The other
 * colour of text stands on the shades from 5 on.
 */

const light = {
  page: "#fff",
  card: "#f6f8fa",
  text: "#1f2328",
  soft: "#59636e",
  line: "#d1d9e0",
  link: "#0550ae",
  on: "#fff",
  error: "#bc4c00",
  hits: ["#eaf3ff", "#d3e6fd", "#b6d5fa", "#94c0f5", "#2a78c8", "#1f66b0", "#165394", "#0c4075"],
  errors: ["#fff1e5", "#ffe0c7", "#ffcaa1", "#ffb27a", "#b84a06", "#a33f04", "#8a3503", "#702b03"],
  series: ["#0969da", "#bc4c00", "#1a7f37", "#8250df", "#bf3989", "#0a7f86", "#7d6400", "#57606a"],
};

const dark: typeof light = {
  page: "#0d1117",
  card: "#161b22",
  text: "#e6edf3",
  soft: "#9198a1",
  line: "#30363d",
  link: "#79b8ff",
  on: "#0d1117",
  error: "#f0883e",
  hits: ["#0f1d2e", "#10263f", "#123152", "#153e68", "#4c94dd", "#64a6e8", "#7fb9f2", "#9fcdfb"],
  errors: ["#26190f", "#342011", "#452812", "#5a3213", "#e07b35", "#ea8f50", "#f2a56f", "#f8bd94"],
  series: ["#58a6ff", "#f0883e", "#56d364", "#bc8cff", "#f778ba", "#39c5cf", "#d6b33d", "#9198a1"],
};

/** A series has so many colours; shapes tell its members apart, too. */
export const SERIES = light.series.length;
/** Hits have so many shades, and so have errors. */
export const SHADES = light.hits.length;

export const style = `
:root{color-scheme:light dark;${variables(light)}}
@media(prefers-color-scheme:dark){:root{${variables(dark)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:0 1rem;max-width:66rem;background:var(--page);color:var(--text);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
header{padding:2.5rem 0 1rem}
h1{margin:0;font-size:clamp(1.6rem,5vw,2.4rem);line-height:1.2}
h2{margin:0 0 .5rem;font-size:1.4rem}
h3{margin:2rem 0 .5rem;font-size:1.1rem}
header p,caption,figcaption,footer,dt,dd+dd,thead th,.zero{color:var(--soft)}
caption b,figcaption b{color:var(--text)}
p{margin:.5rem 0 1rem;max-width:46rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:0;list-style:none}
a{color:var(--link)}
section,footer{padding:1.75rem 0 .5rem;border-top:1px solid var(--line)}
footer,small,dt,dd+dd,thead th{font-size:.875rem}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:0 0 1.5rem}
dl div,pre,.hint,.digits li{padding:.75rem 1rem;border-radius:.5rem;background:var(--card)}
dd{margin:0;font-size:1.5rem;font-weight:650;line-height:1.35}
dd+dd{font-weight:400}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem 2.5rem}
.pair>*{min-width:0}
.wide,pre{overflow-x:auto;margin:0 0 1.5rem}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;overflow-wrap:normal}
caption,figcaption{padding:0 0 .5rem;text-align:left;max-width:46rem;font-size:.9375rem}
caption{position:sticky;left:0;max-width:min(46rem,calc(100vw - 2rem))}
th,td{padding:.3rem .75rem;text-align:right}
th{font-weight:600}
tbody th,.text{text-align:left;max-width:18rem}
tbody tr>*{border-top:1px solid var(--line)}
.query>*{background:var(--card);font-weight:650}
u{text-decoration:underline dotted;text-underline-offset:.2em}
.no{color:var(--error)}
.matrix td{min-width:4.5rem;height:3.5rem;padding:.25rem;border:2px solid var(--page);text-align:center;line-height:1.25}
.matrix th{border:0}
.matrix thead th{text-align:center}
.matrix small{display:block;font-weight:400}
.hit{font-weight:700}
figure{margin:0 0 1.5rem}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--soft);font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}
${light.series.map((_, at) => `.s${at}{fill:var(--c${at});stroke:var(--c${at})}`).join("")}
.grid{stroke:var(--line);stroke-width:.6}
.line{fill:none;stroke-width:2;stroke-linejoin:round}
.band{stroke:none;opacity:.18}
.dots{stroke-width:5;stroke-linecap:round;opacity:.65}
.marks{fill:none;stroke-width:1.6}
.solid{stroke:none}
.map{background:var(--card);border-radius:.5rem}
.digits{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:.75rem;margin:0;padding:0;list-style:none}
.digits li{display:flex;align-items:end;gap:.4rem}
.digits figure{margin:0;flex:1;text-align:center}
.digits figure:first-child{flex:1.7;margin-right:.5rem}
.digits figcaption{padding:0;text-align:center;color:var(--text)}
.ink{stroke:var(--text);fill:none;background:var(--page)}
.legend{margin:1rem 0;padding:0;list-style:none}
.legend li{display:flex;gap:.75rem;align-items:center}
.sample{width:3rem;flex:none}
.spark{width:6rem}
.meter{width:6rem;height:.3rem;margin:.15rem 0 .15rem auto}
.track{fill:var(--line)}
.hint{border-left:4px solid var(--error)}
pre{font:.875rem/1.5 ui-monospace,monospace}
${shades("h", "hits")}${shades("e", "errors")}
.meter *{stroke:none}
`;

function variables({ hits, errors, series, ...plain }: typeof light): string {
  const numbered = (name: string, values: readonly string[]) =>
    values.map((value, at) => `--${name}${at}:${value};`);
  const named = Object.entries(plain).map(([name, value]) => `--${name}:${value};`);
  return [...named, ...numbered("h", hits), ...numbered("e", errors), ...numbered("c", series)].join("");
}

function shades(name: string, list: "hits" | "errors"): string {
  return light[list]
    .map((_, at) => {
      const text = at >= SHADES / 2 ? "on" : "text";
      return `.${name}${at + 1}{background:var(--${name}${at});color:var(--${text})}`;
    })
    .join("");
}
