import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Explanation } from "../../../core/toolset/explain.ts";
import { toSee } from "../../../runtime/report/explanation-rows.ts";
import { type PastRequest, toPastOptions } from "../../../runtime/report/stored-world.ts";
import { type Tense, tellPast, tellStanding, tenseOf } from "../../../runtime/report/tell-standing.ts";
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

interface Look {
  readonly width: number;
  readonly style: Style;
  readonly tense: Tense;
}

/** The answer first, then every gate, then what to change; one part per tool that the name means. */
export function formatExplanations(
  name: string,
  explanations: readonly Explanation[],
  io: Io,
  past?: PastRequest,
): string {
  const look = {
    width: Math.max(40, io.columns ?? 80),
    style: createStyle(io),
    tense: tenseOf(past),
  };
  return formatAll(name, explanations, look, past) + (past === undefined ? "" : formatPast(past, name, look.width));
}

function formatAll(
  name: string,
  explanations: readonly Explanation[],
  look: Look,
  past: PastRequest | undefined,
): string {
  if (explanations.length === 1) return explanations.map((only) => formatOne(only, look)).join("");
  const heading = `${wrapText(formatMeaning(name, explanations, look), look.width).join("\n")}\n`;
  const groups = groupBy(explanations, reasonsKey);
  if (groups.length > MAX_LONG) return heading + formatShort(explanations, look, past);
  return [heading, ...groups.map((group) => formatGroup(group, look))].join("\n");
}

function formatPast(past: PastRequest, name: string, width: number): string {
  const then = escapeText(tellPast(past));
  const now = `"toolcrib why ${cutText(escapeText(name), MAX_NAME)}" tells how it is now`;
  return `${wrapText(`${then}; ${now}.`, width).join("\n")}\n`;
}

/** What is true of several tools is said once. */
function formatGroup([first, ...others]: readonly [Explanation, ...Explanation[]], look: Look): string {
  const whole = formatOne(first, look);
  if (others.length === 0) return whole;
  const same = `${first.reasons.length === 0 ? "Visible as well" : "Same reason"} for ${others.length} more:`;
  return `${whole}${[same, ...formatNames(others.map(shownName), look.width, 2)].join("\n")}\n`;
}

function reasonsKey({ standing, reasons }: Explanation): string {
  const said = reasons.map(({ gate, verdict, reason }) => [gate, verdict, reason.text, formatOrigin(reason.origin)]);
  return JSON.stringify([standing, said]);
}

function formatOne(explanation: Explanation, { width, style, tense }: Look): string {
  const { standing, passed } = explanation;
  const means = tellStanding(standing, explanation.reasons, tense);
  const answer = `${shownName(explanation)} ${tense.is} ${style.standing(standing, standing)}${means === null ? "" : `: ${means}`}`;
  const fixes = tense.isOver ? null : toSee(explanation);
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

function formatMeaning(name: string, explanations: readonly Explanation[], { tense }: Look): string {
  const counts = STANDINGS.map(
    (wanted) => `${explanations.filter(({ standing }) => standing === wanted).length} ${wanted}`,
  );
  return `${cutText(escapeText(name), MAX_NAME)} ${tense.means} ${explanations.length} tools: ${counts.join(", ")}`;
}

function formatShort(
  explanations: readonly Explanation[],
  { width, style }: Look,
  past: PastRequest | undefined,
): string {
  const then = past === undefined ? "" : ` ${toPastOptions(past)}`;
  const names = explanations.map(shownName);
  const widest = Math.max(...names.map(widthOf));
  return [
    ...explanations.map(({ standing, reasons }, at) => {
      const gates = [...new Set(reasons.map(({ gate }) => gate))].join(" ");
      const line = `  ${style.standing(standing, standing.padEnd(10))}${fitText(names[at] ?? "", widest)}`;
      return gates === "" ? line.trimEnd() : `${line}  ${cutText(gates, Math.max(8, width - widest - 14))}`;
    }),
    `Ask "toolcrib why TOOL${then}" about one of them for all its reasons.`,
    "",
  ].join("\n");
}

function shownName({ identity }: Explanation): string {
  return cutText(escapeText(identity), MAX_NAME);
}
