import { formatOrigin } from "../../core/codes/origin.ts";
import { ToolcribError } from "../../core/codes/toolcrib-error.ts";
import { type Answer, type Explanation, explain } from "../../core/toolset/explain.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { isServer } from "../../sources/source.ts";
import { describeReport, type SourceReport } from "./source-report.ts";
import { type PastRequest, toPastOptions } from "./stored-world.ts";
import { toTraceRow } from "./toolset-rows.ts";

/** The tools that a name means. Throws `tool.not-found`, with the nearest names or with why nothing is known yet. */
export function findExplanations(
  toolset: Toolset,
  name: string,
  sources: readonly SourceReport[],
  past?: PastRequest,
): readonly Explanation[] {
  const found = explain(toolset, name);
  switch (found.kind) {
    case "found":
      return found.explanations;
    case "pending":
      throw unlisted(name, found.server, sources);
    case "unknown":
      for (const { name: server, state } of sources)
        if (state !== "connected" && isFront(server, name)) throw unlisted(name, server, sources);
      for (const source of sources) {
        const why = source.whyUnwanted(bareName(name, source.name));
        if (why === null) continue;
        const text = `${JSON.stringify(name)} is an operation of API "${source.name}" and no tool: ${why}`;
        throw new ToolcribError("tool.not-found", text, { names: [source.name] });
      }
      throw new ToolcribError("tool.not-found", toAdvice(toolset, name, found, past), { names: found.nearest });
  }
}

/** One tool of `why --json`. */
export function toExplanationRow(explanation: Explanation, past?: PastRequest) {
  const { wireName, id, source, standing, reasons, passed } = explanation;
  return {
    name: wireName,
    id,
    source,
    standing,
    reasons: reasons.map((line) => ({ ...toTraceRow(line), fix: line.reason.fix })),
    passed,
    toSee: past === undefined ? toSee(explanation) : null,
  };
}

/** Everything that must change, because one remaining reason would still hide the tool; null if it is visible. */
export function toSee({ fixes }: Explanation): string | null {
  return fixes.length === 0 ? null : fixes.join("; and ");
}

/** Why the tools of a server are unknown, and what to do: "unknown" would send people after a typo. */
function unlisted(name: string, server: string, sources: readonly SourceReport[]): ToolcribError {
  const report = sources.find((source) => isServer(source) && source.name === server);
  const why =
    report === undefined || report.state === "connected"
      ? `the tools of server "${server}" are not listed yet`
      : `${describeReport(report)}${report.state === "disabled" && report.isLeftOut !== true ? ` (${formatOrigin(report.origin)})` : ""}`;
  return new ToolcribError("tool.not-found", `nothing is known about ${JSON.stringify(name)}: ${why}`, {
    names: [server],
  });
}

type Unknown = Extract<Answer, { kind: "unknown" }>;

const JOINT = /^(?:\/|__|-)/;

function isFront(server: string, name: string): boolean {
  return frontsOf(server).some(
    (front) => name === front || (JOINT.test(name.slice(front.length)) && name.startsWith(front)),
  );
}

function frontsOf(server: string): readonly string[] {
  return [server, `mcp__${server}`];
}

/** The server's own name for the tool. */
function bareName(name: string, server: string): string {
  if (!isFront(server, name)) return name;
  const front = frontsOf(server).find((one) => name.startsWith(one)) ?? "";
  return name.slice(front.length).replace(JOINT, "");
}

function toAdvice(
  { catalog, notices }: Toolset,
  name: string,
  { nearest, because }: Unknown,
  past: PastRequest | undefined,
): string {
  const shown = JSON.stringify(name);
  const near = toIdentities(catalog, nearest).map((one) => JSON.stringify(one));
  const meant = near.length === 0 ? null : `did you mean ${near.join(" or ")}?`;
  if (past !== undefined) {
    const why = because === undefined ? "" : `: ${because}`;
    const list = `"toolcrib list ${toPastOptions(past)}" shows those that it had`;
    return `session ${past.session} had no tool ${shown} at event ${past.seq}${why}; ${meant ?? list}`;
  }
  if (because !== undefined) return `there is no tool ${shown}: ${because}`;
  if (name === catalog.search.wireName) return `${name} is there only while something is deferred, and nothing is`;
  if (name === catalog.code.wireName) return `${name} is there only while tools are called from code (code: on)`;
  const [, server] = /^([^/]+)\/./.exec(name) ?? [];
  const isKnown = server === undefined || catalog.entries.some(({ tool }) => tool.server === server);
  const hint = meant ?? '"toolcrib list" shows them all';
  // Before it may be read, nobody knows what a server or a folder of skills would bring.
  const waits = notices.some(({ code }) => code === "config.untrusted");
  const unknown = isKnown ? "" : `, and no server ${JSON.stringify(server)} is configured ("toolcrib add" adds one)`;
  return `there is no tool ${shown}${unknown}; ${waits ? 'it may be among what waits for "toolcrib trust"; ' : ""}${hint}`;
}

/** One spelling for people: several names of one tool are one suggestion. */
function toIdentities({ entries }: Toolset["catalog"], names: readonly string[]): readonly string[] {
  const find = (name: string): string | undefined =>
    (entries.find(({ wireName }) => wireName === name) ?? entries.find(({ tool }) => tool.aliases.includes(name)))
      ?.identity;
  return [...new Set(names.map((name) => find(name) ?? name))];
}
