import type { ServerConfig } from "../../../config/config.ts";
import { toLaunchSpec } from "../../../config/lock/launch-spec.ts";
import { MODELS } from "../../../config/models.ts";
import { serversOf } from "../../../config/servers-of.ts";
import { toShownWord } from "../../../config/trust/found-program.ts";
import { formatOrigin } from "../../../core/codes/origin.ts";
import type { Answerer } from "../../../core/people/may-answer.ts";
import { describePerson } from "../../../core/people/person.ts";
import { describeClient } from "../../../core/scene/client.ts";
import { DEFAULT_CONTEXT_WINDOW, MODES } from "../../../core/scene/scene.ts";
import { factsOf } from "../../../core/tool/source-kinds.ts";
import { isUntrusted } from "../../../core/tool/tool.ts";
import type { PendingApproval } from "../../../runtime/crib/crib.ts";
import { whyNot } from "../../../runtime/crib/guarded-approvals.ts";
import { describeLine, describeTool, serverOfRequest } from "../../../runtime/permissions/permission-request.ts";
import { adviseSource } from "../../../runtime/report/advise-source.ts";
import { toChangedLines } from "../../../runtime/report/file-change.ts";
import { reportSources, type SourceReport } from "../../../runtime/report/source-report.ts";
import { toReportRow } from "../../../runtime/report/source-rows.ts";
import type { Source } from "../../../sources/source.ts";
import { revealText } from "../../../system/text/reveal-text.ts";
import type { ApprovalView, Choices, Overview, ServerView, ShownStanding } from "../api/api.ts";
import type { InspectorPorts, WaitingServer } from "../api/ports.ts";
import { toShown } from "../api/shown-value.ts";

export async function toOverview({ crib, front, version, workspace, own }: InspectorPorts): Promise<Overview> {
  const elsewhere = await front.elsewhere();
  const { agent, model, mode } = crib.main.toolset.scene;
  const sumOf = (standing: ShownStanding) => {
    const own = crib.main.toolset.placements.filter((placement) => placement.standing === standing);
    return { count: own.length, tokens: own.reduce((sum, { entry }) => sum + entry.tokens, 0) };
  };
  return {
    version,
    workspace,
    refused: crib.refused === null ? null : revealText(crib.refused),
    isApp: own === undefined,
    endpoint: own?.endpoint() ?? null,
    connect: own?.connect() ?? null,
    clients: [
      ...front.clients
        .filter(({ isHere }) => isHere)
        .map(({ sessionId, label, principal, era, agent: as, since, calls }) => ({
          ...{ id: sessionId, label: revealText(label), principal, era, agent: as, since, calls, machine: null },
          gets: describeOffer(crib, sessionId),
        })),
      ...elsewhere.map(({ label, ...client }) => ({ ...client, label: revealText(label), gets: null })),
    ],
    agent: agent?.name ?? null,
    model: model?.id ?? null,
    mode: mode.value,
    tools: { visible: sumOf("visible"), deferred: sumOf("deferred"), hidden: sumOf("hidden") },
    contextWindow: model?.contextWindow ?? DEFAULT_CONTEXT_WINDOW,
    pinned: crib.config.lock?.lock?.tools.size ?? null,
    pinnable: crib.main.toolset.catalog.entries.filter(({ tool }) => isUntrusted(tool)).length,
  };
}

function describeOffer({ views }: Pick<InspectorPorts["crib"], "views">, sessionId: string): string | null {
  const client = views.find(({ session }) => session.id === sessionId)?.session.toolset.scene.client ?? null;
  return client === null ? null : revealText(describeClient(client));
}

export async function toChoices({ crib, own }: InspectorPorts): Promise<Choices> {
  const { config, main } = crib;
  const { scene } = main.toolset;
  const models = [
    scene.model?.id,
    ...[...config.agents.values()].map(({ model }) => model?.value),
    ...[...config.models.keys(), ...MODELS.keys()].map((pattern) => pattern.replace(/-?\*$/, "")),
  ].filter((id) => id !== undefined && id !== "" && !id.includes("*"));
  return {
    agents: [...config.agents.keys()],
    models: [...new Set(models)].flatMap((id) => id ?? []),
    modes: MODES,
    toolsets: scene.sets.map(({ name }) => name),
    servers: [...config.servers.keys()],
    people: ((await own?.people?.()) ?? []).map(({ caller }) => describePerson(caller)),
  };
}

export async function toServerViews({ crib, own, redactor }: InspectorPorts): Promise<readonly ServerView[]> {
  const servers = serversOf(crib.config);
  const { text } = redactor();
  const waiting = (await own?.waiting.list()) ?? [];
  const isWaiting = (report: SourceReport) =>
    report.isLeftOut === true && waiting.some(({ name }) => name === report.name);
  // What ships with Toolcrib is not a server: it neither fails nor is switched here.
  const reports = reportSources(crib.main).filter(({ kind }) => factsOf(kind).ships !== true);
  const views = reports
    .filter((report) => !isWaiting(report))
    .map((report) => ({
      ...toReportRow({ ...report, next: toNext(report) }),
      stderr: report.stderr === null ? null : revealText(report.stderr),
      from: report.origin.kind === "default" ? null : formatOrigin(report.origin),
      shows: toLaunch(servers.get(report.name), text),
      waits: null,
      canRestart: own !== undefined && findRestartable(crib, report.name) !== null,
      canSwitch: own !== undefined && crib.config.servers.has(report.name),
    }));
  return [...views, ...waiting.map(toWaitingView)];
}

function toWaitingView({ name, id, from, reason, shows }: WaitingServer): ServerView {
  return {
    ...{ name, kind: "mcp", state: "waiting", tools: 0, era: null, stderr: null, from, waits: id },
    reason,
    next: "Look at what it runs, then start it here; or run toolcrib init, then toolcrib trust",
    shows: shows.map(({ path, value }) => ({ path, value: revealText(value) })),
    canRestart: false,
    canSwitch: false,
  };
}

/** What an entry runs or where it is. */
function toLaunch(server: ServerConfig | undefined, withoutSecrets: (text: string) => string): ServerView["shows"] {
  if (server === undefined) return [];
  const { command, args = [], url } = toLaunchSpec(server);
  const words = args.map(toShownWord).join(" ");
  const runs = command === undefined ? { spec: words, url } : { runs: `${toShownWord(command)} ${words}`.trim() };
  return Object.entries(runs).flatMap(([path, value = ""]) =>
    value === "" ? [] : [{ path, value: revealText(withoutSecrets(value)) }],
  );
}

/** It is retried anyway: what counts is what a person can do until then. */
function toNext(report: SourceReport): string | null {
  const advice = adviseSource(report);
  return advice === null ? report.next : `${advice.text}. It is tried again by itself.`;
}

/** The server of that name, including one that only some clients have. */
export function findRestartable(
  { sources, views }: Pick<InspectorPorts["crib"], "sources" | "views">,
  name: string,
): Restartable | null {
  for (const source of [...sources, ...views.flatMap(({ session }) => session.sources)])
    if (source.name === name && isRestartable(source)) return source;
  return null;
}

type Restartable = Source & { restart(): Promise<void> };

function isRestartable(source: Source): source is Restartable {
  return source.restart !== undefined;
}

/** Those that this one may answer. */
export function toApprovalViews({ crib }: Pick<InspectorPorts, "crib">, who: Answerer): readonly ApprovalView[] {
  const own = crib.approvals.pending.filter((pending) => whyNot(pending, who) === null);
  // What a person allows counts once.
  return own.map(toApprovalView).map((view) => (who.person === null ? view : { ...view, suggestions: [] }));
}

/** A person decides on what is shown here, so hardly anything is cut, and nothing is invisible. */
function toApprovalView({ id, since, client, machine, request }: PendingApproval): ApprovalView {
  const { kind, description, toolName, toolArgs, parts, reason, suggestions } = request;
  const server = serverOfRequest(request);
  const line = describeLine(request);
  const diff = kind === "write" ? toChangedLines(toolArgs) : [];
  return {
    id,
    since,
    client: revealText(client),
    machine,
    tool: revealText(describeTool(request)),
    server: server === null ? null : revealText(server),
    kind,
    description: revealText(description),
    arguments: toShown(toolArgs, { characters: 100_000, values: 5_000 }),
    session: request.sessionId,
    ...(diff.length === 0 ? {} : { diff: diff.map(({ mark, text }) => ({ mark, text: revealText(text) })) }),
    // A part that is only the tool itself adds nothing to its name.
    parts: parts.flatMap(({ part }) => (part === toolName ? [] : [revealText(part)])),
    reason: revealText(reason),
    ...(line === null ? {} : { line: revealText(line) }),
    suggestions: suggestions.map(({ rules, text }) => ({
      rule: rules.map(revealText).join(", "),
      text: revealText(text),
    })),
  };
}
