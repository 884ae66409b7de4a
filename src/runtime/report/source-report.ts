import type { Config, ServerConfig } from "../../config/config.ts";
import { serversOf } from "../../config/servers-of.ts";
import { defaultOrigin, type Origin } from "../../core/codes/origin.ts";
import type { Notice, Reason } from "../../core/codes/reason.ts";
import { judgeServer } from "../../core/gates/policy.ts";
import { factsOf, type SourceKind } from "../../core/tool/source-kinds.ts";
import type { Tool } from "../../core/tool/tool.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { McpSource } from "../../sources/mcp/mcp-source.ts";
import { isServer, type Source, type SourceFault, type SourceState, type SourceStatus } from "../../sources/source.ts";
import { describeUnwanted } from "./unwanted.ts";
import { waitingServers } from "./waiting-servers.ts";

/** The state of one source, running or not, with what a person needs to act on it. */
export interface SourceReport {
  readonly kind: SourceKind;
  readonly name: string;
  readonly state: SourceState;
  /** One clause about the source, such as "ended with exit code 3"; null while all is well. */
  readonly reason: string | null;
  /** What to do, in the imperative; null while nothing is needed. */
  readonly next: string | null;
  /** Set while it is being retried, and while it starts if that does not look well. */
  readonly fault?: SourceFault;
  /** Somebody asked for a restart, and it is not connected yet. */
  readonly isRestarting?: boolean;
  /** It was not even started, and a notice of the configuration says so. */
  readonly isLeftOut?: boolean;
  /** The last lines of its error stream, cleaned. */
  readonly stderr: string | null;
  /** Number of tools that it lists. */
  readonly tools: number;
  /** Variables that look like secrets, which its process did not get; those that its error stream names come first. */
  readonly heldBack: readonly string[];
  readonly transport: ServerConfig["transport"]["type"] | null;
  readonly era: McpSource["era"];
  readonly origin: Origin;
  /** Why policy forbids it; absent if it does not. */
  readonly forbiddenBy?: Reason["code"];
  /** Why an operation of an API is not a tool, by the name that it would have; null if its entry is not the reason. */
  readonly whyUnwanted: (name: string) => string | null;
}

/** The parts of a session that say how its sources are. */
export interface ReportedSources {
  readonly config: Config;
  readonly toolset: Pick<Toolset, "scene">;
  readonly sources: readonly Source[];
}

/** And those that say what each of them brings. */
interface Reported extends ReportedSources {
  readonly toolset: Toolset;
  sourceOf(tool: Tool): Source | undefined;
}

/** Every source of a session, and every configured server that was not started. */
export function reportSources(session: Reported): readonly SourceReport[] {
  const { config, sources, toolset } = session;
  const servers = serversOf(config);
  const owners = toolset.catalog.entries.map(({ tool }) => session.sourceOf(tool));
  const running = sources.map((source) =>
    reportSource(source, servers.get(source.name), owners.filter((owner) => owner === source).length),
  );
  const idle = idleServers(session).map((server) => reportIdle(server, judgeServer(server.name, toolset.scene)));
  return [...running, ...idle, ...untrustedServers(config)];
}

/**
 * Those that do not work, or that policy forbids, without counts of their tools; a session asks after every change. Of others
 * that were not started the configuration has a notice.
 */
export function reportOdd(session: ReportedSources): readonly SourceReport[] {
  const servers = serversOf(session.config);
  const broken = session.sources
    .filter(({ kind, status: { state, isRestarting, isStandIn } }) => {
      return factsOf(kind).program !== undefined && BROKEN.has(state) && !isRestarting && !isStandIn;
    })
    .map((source) => reportSource(source, servers.get(source.name), 0));
  const forbidden = idleServers(session).flatMap((server) => {
    const denials = judgeServer(server.name, session.toolset.scene);
    return denials.length === 0 ? [] : [reportIdle(server, denials)];
  });
  return [...broken, ...forbidden];
}

const BROKEN: ReadonlySet<SourceState> = new Set(["failed", "needs-auth", "stale"]);

function idleServers({ config, sources }: ReportedSources): readonly ServerConfig[] {
  const names = new Set(sources.flatMap((source) => (isServer(source) ? [source.name] : [])));
  return [...serversOf(config).values()].filter(({ name }) => !names.has(name));
}

/**
 * One notice for all sources whose tools are missing or old for the same reason. Sources that were never started have
 * their own.
 */
export function sourceNotices(reports: readonly SourceReport[]): readonly Notice[] {
  const odd = reports.filter((report) => factsOf(report.kind).program !== undefined && report.isLeftOut !== true);
  return alikeReports(odd).flatMap(({ first, names, origin }): readonly Notice[] => {
    const code = NOTICE_CODES[first.state];
    return code === null ? [] : [{ level: "warning", code, text: describeReport(first, names), names, origin }];
  });
}

/** Reports that are the same except for the name. */
interface AlikeReports {
  readonly first: SourceReport;
  readonly names: readonly string[];
  /** For several, there is no single line to change. */
  readonly origin: Origin;
}

/** Five servers that are still starting are one message. */
export function alikeReports(reports: readonly SourceReport[]): readonly AlikeReports[] {
  const groups = new Map<string, SourceReport[]>();
  for (const report of reports) {
    const text = describeReport(report, [""]);
    const alike = groups.get(text) ?? [];
    groups.set(text, [...alike, report]);
  }
  return [...groups.values()].flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const names = alike.map(({ name }) => name);
    return [{ first, names, origin: alike.length === 1 ? first.origin : defaultOrigin }];
  });
}

/** State, reason and next step in one or two sentences, for one source or several alike. */
export function describeReport(report: SourceReport, names: readonly string[] = [report.name]): string {
  const next = nextStep(report);
  const what = factsOf(report.kind).program ?? report.kind;
  const listed = names.map((name) => JSON.stringify(name)).join(", ");
  const text = describeState(report);
  const about = names.length === 1 ? `${what} ${listed} ${text}` : `${what}s ${listed}: ${text.replace(/^is /, "")}`;
  return `${about}${next === null ? "" : `. ${next.replace(/\.$/, "")}`}`;
}

/** A clause whose subject is the source. */
export function describeState({ state, reason }: Pick<SourceReport, "state" | "reason">): string {
  if (state !== "starting") return reason ?? (state === "failed" ? "has failed" : `is ${state}`);
  return reason?.replace(/^is starting\b/, "is still starting") ?? "is still starting";
}

/** What to do about a source; for one that failed, also which variables it may lack. */
export function nextStep({ state, next, heldBack }: Pick<SourceReport, "state" | "next" | "heldBack">): string | null {
  if (state !== "failed" || heldBack.length === 0) return next;
  const more = heldBack.length - MOST_NAMES;
  const named = `${heldBack.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const hint = `These variables look like secrets and were not passed on to it: ${named}. If it needs one, give it in the env of its entry, or name it there: inheritEnv: [${heldBack[0]}].`;
  return next === null ? hint : `${next.replace(/\.?$/, ".")} ${hint}`;
}

const MOST_NAMES = 8;

const NOTICE_CODES = {
  connected: null,
  disabled: null,
  failed: "server.failed",
  "needs-auth": "server.needs-auth",
  stale: "server.stale",
  starting: "server.starting",
} as const satisfies Record<SourceState, Notice["code"] | null>;

function reportSource(source: Source, server: ServerConfig | undefined, tools: number): SourceReport {
  const { kind, name, status, unwanted } = source;
  const live = isMcp(source) ? source : null;
  const { state, reason, next, fault, isRestarting } = status;
  const stderr = live?.readStderr() ?? status.stderr;
  return {
    kind,
    name,
    state,
    reason: reason?.replace(/\.$/, "") ?? null,
    next,
    ...(fault === undefined ? {} : { fault }),
    ...(isRestarting === undefined ? {} : { isRestarting }),
    stderr,
    tools,
    heldBack: mentionedFirst(live?.heldBack ?? [], stderr ?? ""),
    transport: isServer(source) ? (server?.transport.type ?? null) : null,
    era: live?.era ?? null,
    origin: server?.origin ?? defaultOrigin,
    whyUnwanted: (tool) => (server === undefined ? null : describeUnwanted(tool, { name, unwanted }, server)),
  };
}

function mentionedFirst(names: readonly string[], text: string): readonly string[] {
  const isMentioned = (name: string): boolean => text.includes(name);
  return [...names.filter(isMentioned), ...names.filter((name) => !isMentioned(name))];
}

function reportIdle(server: ServerConfig, denials: readonly Reason[]): SourceReport {
  const [denial] = denials;
  const variables = server.unset.map((name) => `\${${name}}`).join(", ");
  const status: Pick<SourceStatus, "state" | "reason" | "next"> =
    denial === undefined
      ? {
          state: server.enabled.value ? "failed" : "disabled",
          reason: `is left out: ${variables} ${server.unset.length === 1 ? "is" : "are"} not set`,
          next: `Set ${server.unset.join(" and ")} in your shell, then run: toolcrib servers restart ${server.name}`,
        }
      : {
          state: "disabled",
          reason: `is left out: ${ofIt(denial.text, server.name)}`,
          next: `${denial.fix.charAt(0).toUpperCase()}${ofIt(denial.fix, server.name).slice(1)}.`,
        };
  const report = toIdleReport(server.name, status, server.transport.type, server.origin);
  return denial === undefined ? report : { ...report, forbiddenBy: denial.code };
}

/** A report names its server already, and for several servers the name is left out. */
function ofIt(text: string, name: string): string {
  return text.replace(`server "${name}"`, "it").replace(/^it is /, "");
}

function untrustedServers(config: Config): readonly SourceReport[] {
  return waitingServers(config).map(({ name, path, origin, standing }) =>
    toIdleReport(
      name,
      {
        state: "disabled",
        reason: `is left out: its entry ${standing === "changed" ? "changed since it was trusted" : "is not trusted"}`,
        next: `Review and allow it with: toolcrib trust --only ${name}`,
      },
      path.startsWith("openapi.") ? "openapi" : null,
      origin,
    ),
  );
}

function toIdleReport(
  name: string,
  status: Pick<SourceStatus, "state" | "reason" | "next">,
  transport: SourceReport["transport"],
  origin: Origin,
): SourceReport {
  const kind = transport === "openapi" ? "openapi" : "mcp";
  return {
    kind,
    name,
    ...status,
    isLeftOut: true,
    stderr: null,
    tools: 0,
    heldBack: [],
    transport,
    era: null,
    origin,
    whyUnwanted: () => null,
  };
}

function isMcp(source: Source): source is McpSource {
  return "heldBack" in source && "era" in source;
}
