import type { ServerConfig } from "../../../config/config.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import { describeState, nextStep, type SourceReport } from "../../../runtime/report/source-report.ts";
import type { Revocation } from "../../../sources/mcp/oauth/revoke.ts";
import type { Source } from "../../../sources/source.ts";
import { escapeLines, escapeText } from "../../../system/text/escape-text.ts";
import type { Io } from "../terminal/io.ts";
import { createStyle } from "../terminal/style.ts";
import { type Column, formatTable } from "../terminal/table.ts";
import { wrapText } from "../terminal/text-width.ts";

const COLUMNS: readonly Column[] = [
  { heading: "SOURCE" },
  { heading: "STATE" },
  { heading: "TOOLS", align: "right" },
  { heading: "BY", drops: true },
  { heading: "FROM", shrinks: true, keeps: "end" },
];

/** A line per source, and under the table what is wrong with which and what to do. */
export function formatReports(reports: readonly SourceReport[], io: Io): string {
  const width = Math.max(40, io.columns ?? 80);
  const style = createStyle(io);
  const [heading = "", ...lines] = formatTable(COLUMNS, reports.map(toCells), io.columns === null ? null : width);
  const painted = lines.map((line, at) => {
    const state = reports[at]?.state ?? "connected";
    const standing = STANDING[state];
    return standing === null ? line : line.replace(state, style.standing(standing, state));
  });
  const remarks = toRemarks(reports).flatMap((text) =>
    wrapText(escapeText(text), width - 2).map((line, at) => (at === 0 ? line : `  ${line}`)),
  );
  return `${[style.bold(heading), ...painted, ...(remarks.length === 0 ? [] : ["", ...remarks])].join("\n")}\n`;
}

const STANDING = {
  connected: "visible",
  starting: "deferred",
  stale: "deferred",
  "needs-auth": "deferred",
  failed: "hidden",
  disabled: null,
} as const satisfies Record<SourceReport["state"], "visible" | "deferred" | "hidden" | null>;

/** What is wrong with a server that runs on, as sentences. */
export function describeTrouble({ name, status }: Pick<Source, "name" | "status">): string {
  const said = `${name} ${describeState(status).replace(/\.$/, "")}.`;
  return status.next === null ? said : `${said} ${status.next}`;
}

/** What a server said last; it says more than any reason of ours. */
export function formatLogs({ name, stderr, state, fault }: SourceReport): string {
  const shown = escapeText(name);
  const odd = fault?.kind === "chatter" ? [`To its standard output it wrote: ${escapeText(fault.line)}`] : [];
  const said = stderr === null ? `${shown} (${state}) wrote nothing to its error stream.` : escapeLines(stderr);
  return `${[said, ...odd].join("\n")}\n`;
}

/** What to do so that a server knows who asks, where no browser can help. */
export function describeLogin(report: SourceReport, server: ServerConfig | undefined): readonly string[] {
  const { name, state, origin } = report;
  if (state === "connected") return [`${name} is connected and asks for no login.`];
  if (state !== "needs-auth")
    return [
      `${name} is not asking for a login: it ${report.reason ?? `is ${state}`}.`,
      ...(report.next ?? "").split("\n"),
    ];
  const variable = `${name
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^(?=\d)/, "_")}_TOKEN`;
  const place = formatOrigin(origin);
  const header = server?.transport.type === "stdio" ? null : findAuthorization(server);
  const where =
    header === null
      ? [
          `1. Get an access token from whoever runs it${server && server.transport.type !== "stdio" ? ` (${new URL(server.transport.url).host})` : ""}.`,
          `2. Put this under "${name}" in ${place}:`,
          `     headers: { Authorization: "Bearer \${${variable}}" }`,
          `3. Set ${variable} in the environment of toolcrib.`,
        ]
      : [
          `1. It refused the ${header} header that its entry sends (${place}): the token is wrong, expired or lacks rights.`,
          "2. Get another from whoever runs it, and set it in the variable that the entry names, or write one there:",
          `     headers: { ${header}: "Bearer \${${variable}}" }`,
        ];
  return [
    `${name} ${report.reason ?? "needs a login"}. With a token:`,
    ...where,
    `${where.length === 4 ? 4 : 3}. Try it: toolcrib servers restart ${name}`,
  ].map(escapeText);
}

function findAuthorization(server: ServerConfig | undefined): string | null {
  if (server === undefined || server.transport.type === "stdio") return null;
  const found = [...server.transport.headers.keys()].find((key) => /auth|token|key/i.test(key));
  return found ?? null;
}

/** What became of the tokens of a login that was forgotten, as a sentence that follows another. */
export function describeRevocation(revocation: Revocation | null): string {
  switch (revocation?.kind) {
    case "revoked":
      return " Its tokens are revoked.";
    case "not-offered":
      return " Its authorization server offers no way to revoke tokens, so they count until they run out.";
    case "failed":
      return ` Its tokens could not be revoked and count until they run out: ${revocation.why}.`;
    case undefined:
      return "";
  }
}

function toCells({ kind, name, state, tools, transport, era, origin }: SourceReport): readonly string[] {
  const by = transport === null ? kind : era === null ? transport : `${transport}, ${era}`;
  return [
    escapeText(name),
    state,
    String(tools),
    by,
    origin.kind === "default" ? "" : escapeText(formatOrigin(origin)),
  ];
}

/** What is wrong with which, and what to do; what is true of several is said once. */
export function toRemarks(reports: readonly SourceReport[]): readonly string[] {
  const names = new Map<string, string[]>();
  for (const report of reports) {
    const { name, reason } = report;
    const next = nextStep(report);
    if (reason === null && next === null) continue;
    const text = `${describeState(report)}.${next === null ? "" : ` ${next}`}`;
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, those]) =>
    those.length === 1 ? `${those[0]} ${text}` : `${those.join(", ")}: ${text.replace(/^is /, "")}`,
  );
}
