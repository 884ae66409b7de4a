import { escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "../terminal/io.ts";
import { shownFile } from "../terminal/shown-file.ts";
import { createStyle, type Style } from "../terminal/style.ts";
import { formatTable } from "../terminal/table.ts";
import { wrapText } from "../terminal/text-width.ts";
import type { ClientReport, GuardReport, GuardState } from "./guard-report.ts";

const COLUMNS = [
  { heading: "CLIENT" },
  { heading: "VERSION" },
  { heading: "FILES" },
  { heading: "GUARD" },
  { heading: "ANSWER", align: "right" },
  { heading: "LAST CALL", shrinks: true },
] as const;

const WORDS = {
  holds: "holds",
  refuses: "refuses all",
  open: "OPEN",
  unread: "NOT READ",
  partial: "PARTIAL",
  untrusted: "NOT TRUSTED",
  off: "OFF",
} as const satisfies Record<GuardState, string>;

/** A table of all clients, and below it what each guard cannot hold. */
export function formatGuards(clients: readonly ClientReport[], io: Io): string {
  if (clients.length === 0) return "No client of an agent was found here, and none has a guard.\n";
  const style = createStyle(io);
  const rows = clients.flatMap((client): readonly (readonly string[])[] =>
    client.guards.length === 0 ? [toRow(client, null)] : client.guards.map((guard) => toRow(client, guard)),
  );
  const [heading = "", ...lines] = formatTable(COLUMNS, rows, io.columns);
  const states = clients.flatMap(({ guards }) => (guards.length === 0 ? [null] : guards.map(({ state }) => state)));
  const coloured = lines.map((line, at) => paint(line, states[at] ?? null, style));
  const bare = clients.filter(({ guards }) => guards.length === 0).map(({ client }) => client);
  const notes = clients
    .filter(({ guards }) => guards.length > 0)
    .flatMap((client) => describeClient(client, io, style));
  const advice =
    bare.length === 0
      ? []
      : ["", ...wrapText(`No guard: "toolcrib guard install ${bare.join(" ")}" writes one.`, widthOf(io))];
  return `${[heading, ...coloured, ...notes, ...advice].join("\n")}\n`;
}

function toRow({ client, version, last }: ClientReport, guard: GuardReport | null): readonly string[] {
  const call = last === null ? "" : `${last.time.slice(0, 16).replace("T", " ")}Z ${last.decision} ${last.tool}`;
  const took = guard === null || guard.took === null ? "" : `${guard.took} ms`;
  return [client, version ?? "?", guard?.side ?? "", guard === null ? "none" : WORDS[guard.state], took, call].map(
    escapeText,
  );
}

/** Colours repeat what the words say. */
function paint(line: string, state: GuardState | null, style: Style): string {
  if (state === null) return style.dim(line);
  const word = WORDS[state];
  return line.replace(word, () => style.standing(state === "holds" ? "visible" : "hidden", word));
}

function widthOf({ columns }: Pick<Io, "columns">): number {
  return Math.max(40, columns ?? 80);
}

function describeClient(report: ClientReport, io: Io, style: Style): readonly string[] {
  const { title, guards, switches, off } = report;
  const known = describeTried(report);
  const points = [
    ...guards.map(
      ({ side, file, state, why }) =>
        `${side}: ${shownFile(file, io)}${why === null ? "" : `: ${WORDS[state]}: ${shortened(why, io)}`}`,
    ),
    ...[...new Set(guards.flatMap(({ open }) => open))],
    ...switches.map(({ files, key, isIfTrusted = false }) => {
      const isHere = off.some((one) => one.key === key);
      const whose = isIfTrusted ? "a repository that it trusts" : "a repository";
      return `${whose} can turn it off by ${key} in ${files.join(" or ")}; ${isHere ? "it is turned off here" : "this one does not"}`;
    }),
  ];
  const lines = points.flatMap((point) =>
    wrapText(escapeText(point), widthOf(io) - 4).map((line, at) => (at === 0 ? `  - ${line}` : `    ${line}`)),
  );
  return ["", style.bold(`${title} (${known})`), ...lines];
}

/** Files as the person would write them. */
function shortened(text: string, io: Io): string {
  return text.replaceAll(/(?<=^|\s)\/\S+/g, (path) => shownFile(path, io)).replaceAll(/\s*\n\s*/g, " ");
}

/** With which version all of that was found out. */
function describeTried({ program, version, tried }: ClientReport): string {
  if (tried === null) return "known from its documentation";
  if (version === tried || (version === null && program === null)) return `tried with ${tried}`;
  return `tried with ${tried}, not with ${version ?? "this one, which does not say its version"}`;
}
