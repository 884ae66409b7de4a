import { toBytes, toCount, toTime } from "./amounts.mjs";
import { exponentsOf, MEMORY, upperPart } from "./fit.mjs";
import { SCHEMES } from "./scheme.mjs";

/**
 * @typedef {import("./curve.mjs").MeasuredCurve} MeasuredCurve
 * @typedef {import("./scheme.mjs").Scheme} Scheme
 * @typedef {{ name: string, colour: string, points: readonly (readonly [number, number])[] }} Series
 * @typedef {{ title: string, series: readonly Series[], show: (value: number) => string, steps: readonly number[] }} Panel
 * @typedef {{ top: number, height: number, x: (size: number) => number, y: (value: number) => number }} Place
 */

// As wide as a phone's page once it is made two thirds as large; its letters are then still as large as small print.
const WIDTH = 480;
const LEFT = 66;
const RIGHT = 92;
const SIZE = 14;
const TITLE = 46;
const PANEL = 230;
const BETWEEN = 64;
const FEET = 64;
const LINE = 20;
/** Of a letter of this size, on average, in common fonts for screens. */
const LETTER = SIZE * 0.54;

/** One curve as an SVG: CPU above, memory below where it was measured, both axes logarithmic. @param {MeasuredCurve} curve @param {import("./scheme.mjs").SchemeName} schemeName */
export function toPicture(curve, schemeName) {
  const scheme = SCHEMES[schemeName];
  const panels = toPanels(curve, scheme);
  const feet = toFeet(curve);
  const height = TITLE + panels.length * PANEL + (panels.length - 1) * BETWEEN + FEET + feet.length * LINE;
  const sizes = curve.points.map(({ size }) => size);
  const drawn = panels.map((panel, at) => drawPanel(panel, sizes, TITLE + at * (PANEL + BETWEEN), scheme));
  const bottom = height - FEET - feet.length * LINE;
  const font = `font-family="system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif" font-size="${SIZE}"`;
  const texts = feet.map((line, at) => text(16, bottom + FEET + at * LINE - 4, line, `fill="${scheme.dim}"`));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="t d">
<title id="t">${escapeXml(`${curve.title}: how CPU time${panels.length > 1 ? " and memory" : ""} grow`)}</title>
<desc id="d">${escapeXml(`${curve.what} ${toWords(curve)}`)}</desc>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8" fill="${scheme.page}" stroke="${scheme.frame}"/>
<g ${font} fill="${scheme.text}">
${drawn.join("")}${text((LEFT + WIDTH - RIGHT) / 2, bottom + 38, curve.unit, 'text-anchor="middle"')}${texts.join("")}</g>
</svg>
`;
}

/** What a reader who sees no picture is told. @param {MeasuredCurve} curve */
export function toWords(curve) {
  const first = curve.points[0];
  const last = curve.points.at(-1);
  if (first === undefined || last === undefined) return "";
  const from = (/** @type {string} */ name, /** @type {string} */ a, /** @type {string} */ b) => `${name} ${a} to ${b}`;
  const parts = Object.keys(curve.lines).map((name) =>
    from(name, toTime(first.cpu[name] ?? 0), toTime(last.cpu[name] ?? 0)),
  );
  if (curve.memory !== undefined) parts.push(from(MEMORY, toBytes(first.memory ?? 0), toBytes(last.memory ?? 0)));
  return `From ${toCount(first.size)} to ${toCount(last.size)} ${curve.unit}: ${parts.join(", ")}.`;
}

/** @param {MeasuredCurve} curve @param {Scheme} scheme @returns {readonly Panel[]} */
function toPanels(curve, scheme) {
  const series = Object.keys(curve.lines).map((name, at) => {
    const points = curve.points.map(({ size, cpu }) => /** @type {const} */ ([size, cpu[name] ?? 0]));
    return { name, colour: scheme.lines[at % scheme.lines.length] ?? scheme.text, points };
  });
  const cpu = { title: "CPU time", series, show: toTime, steps: decades(0.000_001, 10, 12) };
  if (curve.memory === undefined) return [cpu];
  const points = curve.points.map(({ size, memory = 0 }) => /** @type {const} */ ([size, memory]));
  const held = [{ name: MEMORY, colour: scheme.lines[0] ?? scheme.text, points }];
  return [cpu, { title: "Memory", series: held, show: toBytes, steps: BYTES }];
}

/** @param {number} from @param {number} factor @param {number} count */
const decades = (from, factor, count) =>
  Array.from({ length: count }, (_, at) => Number((from * factor ** at).toPrecision(6)));
/** 1, 10 and 100 of bytes, KB, MB and GB. */
const BYTES = [0, 10, 20, 30].flatMap((power) => [1, 10, 100].map((times) => times * 2 ** power));

/** @param {Panel} panel @param {readonly number[]} sizes @param {number} top @param {Scheme} scheme */
function drawPanel({ title, series, show, steps }, sizes, top, scheme) {
  const values = series.flatMap(({ points }) => points.map(([, value]) => value)).filter((value) => value > 0);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const low = steps.findLast((step) => step <= least) ?? steps[0] ?? 1;
  const high = steps.find((step) => step >= most && step > low) ?? steps.at(-1) ?? 1;
  const place = toPlace(sizes, low, high, top);
  const right = WIDTH - RIGHT;
  const rows = steps.filter((step) => step >= low && step <= high);
  const every = Math.ceil(rows.length / 7);
  const grid = rows.map((step, at) => {
    const y = place.y(step).toFixed(1);
    const label =
      at % every === 0 ? text(LEFT - 8, Number(y) + 5, show(step), `text-anchor="end" fill="${scheme.dim}"`) : "";
    return `<path d="M${LEFT} ${y}H${right}" stroke="${scheme.grid}"/>\n${label}`;
  });
  const columns = sizes.map((size) => {
    const x = place.x(size).toFixed(1);
    const below = text(Number(x), top + PANEL + 18, toShort(size), `text-anchor="middle" fill="${scheme.dim}"`);
    return `<path d="M${x} ${top}V${top + PANEL}" stroke="${scheme.grid}"/>\n${below}`;
  });
  const heading = text(16, top - 16, title, 'font-weight="600"');
  const curves = series.map((one) => drawSeries(one, place, scheme)).join("");
  return `${heading}${grid.join("")}${columns.join("")}${drawProportion(sizes, low, high, place, scheme)}${curves}${drawNames(series, place)}`;
}

/** @param {readonly number[]} sizes @param {number} low @param {number} high @param {number} top @returns {Place} */
function toPlace(sizes, low, high, top) {
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)];
  const share = (/** @type {number} */ value, /** @type {number} */ from, /** @type {number} */ to) =>
    Math.log(value / from) / Math.log(to / from);
  return {
    ...{ top, height: PANEL },
    x: (size) => LEFT + 8 + share(size, first, last) * (WIDTH - LEFT - RIGHT - 16),
    y: (value) => top + PANEL - share(Math.max(value, low), low, high) * PANEL,
  };
}

/** What grows in proportion runs beside this line. @param {readonly number[]} sizes @param {number} low @param {number} high @param {Place} place @param {Scheme} scheme */
function drawProportion(sizes, low, high, place, scheme) {
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)];
  const reached = Math.min(last, first * (high / low));
  const to = low * (reached / first);
  const line = `M${place.x(first).toFixed(1)} ${place.y(low).toFixed(1)}L${place.x(reached).toFixed(1)} ${place.y(to).toFixed(1)}`;
  return `<path d="${line}" stroke="${scheme.dim}" stroke-dasharray="2 5" stroke-opacity="0.7" fill="none"/>\n`;
}

/** @param {Series} series @param {Place} place @param {Scheme} scheme */
function drawSeries({ points, colour }, place, scheme) {
  const at = points.map(([size, value]) => `${place.x(size).toFixed(1)} ${place.y(value).toFixed(1)}`);
  const dots = at.map((spot) => {
    const [x, y] = spot.split(" ");
    return `<circle cx="${x}" cy="${y}" r="3.5" fill="${colour}" stroke="${scheme.page}" stroke-width="1.5"/>`;
  });
  return `<path d="M${at.join("L")}" fill="none" stroke="${colour}" stroke-width="2.25" stroke-linejoin="round"/>\n${dots.join("")}\n`;
}

/** The name of each line at its end, moved apart where they would touch. @param {readonly Series[]} series @param {Place} place */
function drawNames(series, place) {
  const names = series
    .map(({ name, colour, points }) => ({ name, colour, y: place.y(points.at(-1)?.[1] ?? 0) }))
    .sort((a, b) => a.y - b.y);
  for (const [at, name] of names.entries()) {
    const above = names[at - 1];
    if (above !== undefined) name.y = Math.max(name.y, above.y + 17);
  }
  for (const [at, name] of [...names.entries()].reverse()) {
    const most = (names[at + 1]?.y ?? place.top + place.height + 17) - 17;
    name.y = Math.min(name.y, most);
  }
  return names.map(({ name, colour, y }) => text(WIDTH - RIGHT + 6, y + 5, name, `fill="${colour}"`)).join("");
}

/** The exponents, in lines that fit below the picture. @param {MeasuredCurve} curve */
function toFeet(curve) {
  const upper = upperPart(curve);
  const range = `${toCount(upper[0]?.size ?? 0)} to ${toCount(upper.at(-1)?.size ?? 0)} ${curve.unit}`;
  const exponents = [...exponentsOf(curve)].map(([name, { exponent }]) => `${name} ${showExponent(exponent)}`);
  const head = `Exponents from ${range} (dotted: 1):`;
  return [head, ...wrap(exponents)];
}

/** @param {number} exponent */
export function showExponent(exponent) {
  const shown = exponent.toFixed(2).replace("-", "−");
  return shown === "−0.00" ? "0.00" : shown;
}

/** @param {readonly string[]} parts */
function wrap(parts) {
  const most = Math.floor((WIDTH - 32) / LETTER);
  /** @type {string[]} */
  const lines = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} · ${part}`.length <= most) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines;
}

/** Sizes along the lower edge, where five digits have no room. @param {number} size */
function toShort(size) {
  if (size >= 1_000_000) return `${size / 1_000_000} M`;
  return size >= 10_000 ? `${size / 1_000} k` : toCount(size);
}

/** @param {number} x @param {number} y @param {string} words @param {string} [style] */
function text(x, y, words, style = "") {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${style === "" ? "" : ` ${style}`}>${escapeXml(words)}</text>\n`;
}

/** @param {string} words */
const escapeXml = (words) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
