import type { Entry } from "../catalog/entry.ts";
import type { NoticeCode } from "../codes/codes.ts";
import type { Notice } from "../codes/reason.ts";
import { scanWording } from "../trust/scan-entry.ts";
import { SIGNALS } from "../trust/signal.ts";
import type { Placement, TraceLine } from "./toolset.ts";

/** More would bury every other notice; `list` and `doctor` show them all. */
const MAX_NOTICES = 20;

/** What the scanner quarantines, each with its signals, and what it merely finds odd. */
export function noticeScans(entries: readonly Entry[], judged: readonly (readonly TraceLine[])[]): readonly Notice[] {
  const quarantined: Notice[] = [];
  const odd: string[] = [];
  for (const [at, entry] of entries.entries()) {
    if (!entry.scanned) continue;
    const reason = judged[at]?.find(({ reason: { code } }) => code === "trust.quarantined")?.reason;
    if (reason !== undefined) {
      const quote = scanWording(entry).find((signal) => signal.quote !== undefined)?.quote;
      const said = quote === undefined ? "" : `: "${quote}"`;
      const text = `${entry.identity} is held back until somebody has looked at it: ${reason.text}${said}`;
      quarantined.push({
        level: "warning",
        code: "tool.quarantined",
        text,
        names: [entry.identity],
        origin: reason.origin,
      });
    } else if (scanWording(entry).some(({ name }) => SIGNALS[name] === "warn")) odd.push(entry.identity);
  }
  if (odd.length === 0) return quarantined.slice(0, MAX_NOTICES);
  const shown = `${odd.slice(0, 5).join(", ")}${odd.length > 5 ? ` and ${odd.length - 5} more` : ""}`;
  const text = `what ${shown} ${odd.length === 1 ? "says" : "say"} of ${odd.length === 1 ? "itself" : "themselves"} does not fit, steers which tool is chosen, or cannot be judged`;
  return [
    ...quarantined.slice(0, MAX_NOTICES),
    { level: "info", code: "tool.suspicious", text, names: odd, origin: { kind: "definition", of: odd[0] ?? "" } },
  ];
}

/** What hides tools whose owner may wonder where they are. */
const HIDING = [
  {
    code: "tool.unapproved",
    by: new Set(["trust.unpinned", "trust.changed", "trust.unapproved"]),
    says: (tools: string) => `toolcrib.lock hides ${tools}`,
    fixAll: "review them and accept each with `toolcrib pin --approve NAME`",
  },
  {
    code: "tool.unusable",
    by: new Set([
      ...["tool.invalid-schema", "trust.unsafe-schema", "trust.remote-ref"],
      ...["trust.schema-too-deep", "trust.schema-too-large"],
    ]),
    says: (tools: string) => `no model is shown ${tools}`,
    fixAll: null,
  },
] as const satisfies readonly {
  readonly code: NoticeCode;
  readonly by: ReadonlySet<string>;
  readonly says: (tools: string) => string;
  /** For several tools; null: as for one. */
  readonly fixAll: string | null;
}[];

/** Tools that are hidden for what they are, for observers of a session: one notice for all of a server with the same reason. */
export function noticeHidden(placements: readonly Placement[]): readonly Notice[] {
  return HIDING.flatMap(({ code, by, says, fixAll }) => {
    const groups = new Map<string, { readonly first: TraceLine; readonly names: string[] }>();
    for (const { entry, trace } of placements) {
      const first = trace.find(({ reason }) => by.has(reason.code));
      if (first === undefined) continue;
      const key = JSON.stringify([entry.tool.server, first.reason.text]);
      const group = groups.get(key) ?? { first, names: [] };
      group.names.push(entry.identity);
      groups.set(key, group);
    }
    return [...groups.values()].slice(0, MAX_NOTICES).map(({ first: { reason }, names }): Notice => {
      const shown = `${names.slice(0, 5).join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
      const fix = names.length === 1 ? reason.fix : (fixAll ?? reason.fix);
      const text = `${says(shown)}: ${reason.text}; ${fix}`;
      return { level: "warning", code, text, names, origin: reason.origin };
    });
  });
}
