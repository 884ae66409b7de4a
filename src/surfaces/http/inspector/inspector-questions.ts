import type { AuditDesk } from "../../../runtime/audit/audit-desk.ts";
import { toWorldDocument } from "../../../runtime/report/world-document.ts";
import type { Actor } from "../api/actor.ts";
import { decodePart, HttpRefusal } from "../api/answers.ts";
import type { ChangeView } from "../api/api.ts";
import { type InspectorPorts, ownOf } from "../api/ports.ts";
import type { RunAnswers } from "../runs/run-answers.ts";
import type { CallHistory } from "../views/call-history.ts";
import { toLimitViews } from "../views/limit-views.ts";
import { toApprovalViews, toChoices, toOverview, toServerViews } from "../views/live-views.ts";
import { type AnsweredScene, answerScene, readSceneQuery } from "../views/scene-query.ts";
import type { createSearchView } from "../views/search-view.ts";
import { answerSessions } from "../views/sessions-view.ts";
import { toChangedStandings, toToolsetView, toWhyView } from "../views/toolset-view.ts";
import type { Usage } from "../views/usage.ts";

/** A request of the page, and what answers are made from. */
interface Question {
  readonly ports: InspectorPorts;
  readonly calls: CallHistory;
  readonly runs: RunAnswers;
  readonly search: ReturnType<typeof createSearchView>;
  readonly usage: Usage;
  readonly actor: Actor;
  readonly params: URLSearchParams;
  readonly signal: AbortSignal;
}

/** What `GET /api/PATH` answers; see `api.ts`. */
export async function answerQuestion(path: string, question: Question): Promise<unknown> {
  if (path.startsWith("why/")) {
    const written = (await question.ports.written?.()) ?? new Map();
    return toWhyView(await sceneOf(question), decodePart(path.slice("why/".length)), written);
  }
  if (path === "sessions" || path.startsWith("sessions/")) return answerSessions(path, question.params, question.ports);
  if (path === "runs" || path.startsWith("runs/")) return question.runs.answer(path);
  const answer = ANSWERS.get(path);
  if (answer === undefined) throw new HttpRefusal(404, "http.not-found", "there is nothing here");
  return answer(question);
}

const ANSWERS: ReadonlyMap<string, (question: Question) => unknown> = new Map<string, (question: Question) => unknown>([
  ["overview", ({ ports }) => toOverview(ports)],
  ["choices", ({ ports }) => toChoices(ports)],
  ["toolset", async (question) => toToolsetView(await sceneOf(question))],
  ["what-if", async (question) => toWhatIf(await sceneOf(question))],
  [
    "search",
    async (question) => {
      const { search, params } = question;
      return search(await sceneOf(question), params.get("q") ?? "", toLimit(params.get("limit")));
    },
  ],
  ["servers", ({ ports }) => toServerViews(ports)],
  ["limits", ({ ports }) => toLimitViews(ports)],
  ["calls", ({ ports, calls }) => calls.list(ports.redactor())],
  ["approvals", ({ ports, actor }) => toApprovalViews(ports, actor)],
  ["questions", ({ runs }) => runs.questions()],
  ["usage", ({ ports, usage }) => usage.view(ports.crib.main.toolset)],
  ["changes", async ({ ports, signal }) => withOff(await ownOf(ports).definitions.list(signal), ports.crib)],
  ["log", (question) => answerLog(question)],
  ["log/verify", ({ ports }) => logOf(ports).verify()],
  ["world", async (question) => toWorld(await sceneOf(question))],
]);

/** Rows of all machines: `?person=&tool=&client=&session=&since=MILLISECONDS&limit=`, and `&bodies=1` with what calls were about. */
function answerLog({ ports, params, actor }: Question) {
  const filter = ["person", "tool", "client", "session"].flatMap((key) => {
    const value = params.get(key);
    return value === null ? [] : [[key, value]];
  });
  const since = Number(params.get("since") ?? Number.NaN);
  return logOf(ports).rows({
    ...Object.fromEntries(filter),
    ...(Number.isFinite(since) ? { since } : {}),
    limit: toLimit(params.get("limit")) ?? 100,
    reader: params.get("bodies") === "1" ? { by: actor.by, principal: actor.principal } : null,
  });
}

function logOf(ports: InspectorPorts): AuditDesk {
  const { log } = ownOf(ports);
  if (log) return log;
  throw new HttpRefusal(404, "http.not-found", "the log is a file of this machine; read it with toolcrib audit");
}

function sceneOf({ ports, params }: Question): Promise<AnsweredScene> {
  return answerScene(ports, readSceneQuery(params));
}

function toWhatIf(answered: AnsweredScene) {
  return { toolset: toToolsetView(answered), changes: toChangedStandings(answered.now, answered.toolset) };
}

function toWorld({ toolset: { catalog, scene }, config }: AnsweredScene) {
  const tools = catalog.entries.map(({ tool }) => tool);
  return toWorldDocument(tools, scene, catalog.style, config);
}

function withOff(
  changes: readonly Omit<ChangeView, "isOff">[],
  { main, config }: InspectorPorts["crib"],
): readonly ChangeView[] {
  const excluded = new Set(
    main.toolset.placements
      .filter(({ trace }) => trace.some(({ gate, verdict }) => gate === "filter" && verdict === "hide"))
      .map(({ entry }) => entry.identity),
  );
  return changes.map((change) => ({
    ...change,
    isOff: excluded.has(change.tool) || config.servers.get(change.server)?.enabled.value === false,
  }));
}

function toLimit(text: string | null): number | null {
  return text !== null && /^\d{1,3}$/.test(text) ? Number(text) : null;
}
