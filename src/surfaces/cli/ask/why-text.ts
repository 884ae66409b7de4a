import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Explanation } from "../../../core/toolset/explain.ts";
import type { Standing } from "../../../core/toolset/toolset.ts";
import { toSee } from "../../../runtime/report/explanation-rows.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { STANDINGS } from "../command-line/options.ts";
import type { Io } from "../terminal/io.ts";
import { formatNames, groupBy } from "../terminal/name-list.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { cutText, fitText, widthOf, wrapText } from "../terminal/text-width.ts";

/** More tools than this under one name are shown with a line each. */
const MAX_LONG = 10;
const MAX_NAME = 200;
const VERDICT = 7;
/** Wide enough for most gates, so that answers about different tools line up. */
const GATE = 12;

const MEANS = {
  visible: "sent to the model now",
  deferred: "not sent now, tool_search finds it",
  hidden: null,
} as const satisfies Record<Standing, string | null>;

/** The answer first, then every gate, then what to change; one part per tool that the name means. */
export function formatExplanations(name: string, explanations: readonly Explanation[], io: Io): string {
  const width = Math.max(40, io.columns ?? 80);
  const style = createStyle(io);
  if (explanations.length === 1) return explanations.map((only) => formatOne(only, width, style)).join("");
  const heading = `${wrapText(formatMeaning(name, explanations), width).join("\n")}\n`;
  const groups = groupBy(explanations, reasonsKey);
  if (groups.length > MAX_LONG) return heading + formatShort(explanations, width, style);
  return [heading, ...groups.map((group) => formatGroup(group, width, style))].join("\n");
}

/** What is true of several tools is said once. */
function formatGroup(
  [first, ...others]: readonly [Explanation, ...Explanation[]],
  width: number,
  style: Style,
): string {
  const whole = formatOne(first, width, style);
  if (others.length === 0) return whole;
  const same = `${first.reasons.length === 0 ? "Visible as well" : "Same reason"} for ${others.length} more:`;
  return `${whole}${[same, ...formatNames(others.map(shownName), width, 2)].join("\n")}\n`;
}

function reasonsKey({ standing, reasons }: Explanation): string {
  const said = reasons.map(({ gate, verdict, reason }) => [gate, verdict, reason.text, formatOrigin(reason.origin)]);
  return JSON.stringify([standing, said]);
}

function formatOne(explanation: Explanation, width: number, style: Style): string {
  const { standing, passed } = explanation;
  const fromCode = explanation.reasons.some(({ reason }) => reason.code === "budget.code");
  const means = fromCode && standing === "deferred" ? "not sent now, run_code calls it" : MEANS[standing];
  const answer = `${shownName(explanation)} is ${style.standing(standing, standing)}${means === null ? "" : `: ${means}`}`;
  const fixes = toSee(explanation);
  const advice = standing === "deferred" ? "To always show it" : "To see it";
  return [
    answer,
    ...formatReasons(explanation, width, style),
    ...formatPassed(passed, width, style),
    ...(fixes === null ? [] : wrapText(escapeText(`${advice}: ${fixes}.`), width)),
    "",
  ].join("\n");
}

/** In columns where they fit the terminal, else wrapped: here nothing may be cut. */
function formatReasons({ reasons }: Explanation, width: number, style: Style): readonly string[] {
  const gateWidth = Math.max(GATE, ...reasons.map(({ gate }) => gate.length + 2));
  const lines = reasons.map(({ gate, verdict, reason }) => ({
    front: `  ${verdict.padEnd(VERDICT)}${gate.padEnd(gateWidth)}`,
    text: escapeText(reason.text),
    origin: escapeText(formatOrigin(reason.origin)),
  }));
  const indent = 2 + VERDICT + gateWidth;
  const widest = Math.max(0, ...lines.map(({ text }) => widthOf(text)));
  const fits = lines.every(({ origin }) => indent + widest + 2 + widthOf(origin) <= width);
  return lines.flatMap(({ front, text, origin }) => {
    if (fits) return [`${front}${fitText(text, widest)}  ${style.dim(origin)}`];
    const [first = "", ...rest] = wrapText(`${text} (${origin})`, width - indent);
    return [front + first, ...rest.map((line) => " ".repeat(indent) + line)];
  });
}

function formatPassed(passed: readonly string[], width: number, style: Style): readonly string[] {
  if (passed.length === 0) return [];
  const indent = 2 + VERDICT;
  return wrapText(passed.join(" "), width - indent).map((line, at) =>
    style.dim((at === 0 ? `  ${"pass".padEnd(VERDICT)}` : " ".repeat(indent)) + line),
  );
}

function formatMeaning(name: string, explanations: readonly Explanation[]): string {
  const counts = STANDINGS.map(
    (wanted) => `${explanations.filter(({ standing }) => standing === wanted).length} ${wanted}`,
  );
  return `${cutText(escapeText(name), MAX_NAME)} means ${explanations.length} tools: ${counts.join(", ")}`;
}

function formatShort(explanations: readonly Explanation[], width: number, style: Style): string {
  const names = explanations.map(shownName);
  const widest = Math.max(...names.map(widthOf));
  return [
    ...explanations.map(({ standing, reasons }, at) => {
      const gates = [...new Set(reasons.map(({ gate }) => gate))].join(" ");
      const line = `  ${style.standing(standing, standing.padEnd(10))}${fitText(names[at] ?? "", widest)}`;
      return gates === "" ? line.trimEnd() : `${line}  ${cutText(gates, Math.max(8, width - widest - 14))}`;
    }),
    'Ask "toolcrib why" about one of them for all its reasons.',
    "",
  ].join("\n");
}

function shownName({ identity }: Explanation): string {
  return cutText(escapeText(identity), MAX_NAME);
}
