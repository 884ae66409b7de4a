import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import { isRecord } from "../../../core/shape/is-record.ts";
import type { Actor } from "../api/actor.ts";
import { decodePart, HttpRefusal } from "../api/answers.ts";
import type { TrialView } from "../api/api.ts";
import { type InspectorPorts, ownOf } from "../api/ports.ts";
import type { RunAnswers } from "../runs/run-answers.ts";
import { findRestartable } from "../views/live-views.ts";
import { readApprovalAnswer } from "./read-approval.ts";
import { tryCall } from "./try-call.ts";

/** What carries out the page's actions. */
interface Doers {
  readonly ports: InspectorPorts;
  readonly runs: RunAnswers;
  readonly actor: Actor;
  readonly signal: AbortSignal;
}

/** An action that the page requests. */
interface Wish extends Doers {
  readonly name: string;
  readonly body: unknown;
}

/** What `POST /api/PATH` does; see `api.ts`. Undefined: no content. */
export async function act(path: string, body: unknown, doers: Doers): Promise<unknown> {
  const [what = "", name = "", action = "", ...rest] = path.split("/").map(decodePart);
  const done = ACTIONS.get(`${what} ${action}`);
  if (done === undefined || rest.length > 0 || (name === "" && !NAMELESS.has(what))) throw gone();
  const answer = await done({ ...doers, name, body });
  noteAct(`${what} ${action}`, name, doers);
  return answer;
}

/** Who did it: what a person decided is in the log under their name (O15). An approval's own row has it. */
function noteAct(act: string, name: string, { ports, actor }: Doers): void {
  const { by, principal } = actor;
  if (act === "approvals " || principal === null) return;
  const text = `${by} did: ${act.trim()}${name === "" ? "" : ` ${name}`}`;
  ports.note?.({ type: "inspector.acted", text, principal, ...(name === "" ? {} : { names: [name] }) });
}

const NAMELESS: ReadonlySet<string> = new Set(["pins", "rehearsals", "runs"]);

const ACTIONS: ReadonlyMap<string, (wish: Wish) => unknown> = new Map<string, (wish: Wish) => unknown>([
  [
    "approvals ",
    async ({ ports, actor, name, body }) =>
      orGone(await ports.crib.approvals.answer(name, { ...readApprovalAnswer(body), by: actor.by }, actor)),
  ],
  ["changes approve", async ({ ports, name, signal }) => orGone(await ownOf(ports).definitions.approve(name, signal))],
  ["pins ", async ({ ports, signal }) => orGone(await ownOf(ports).definitions.pinAll(signal))],
  ["questions ", ({ runs, name, body }) => runs.reply(name, body)],
  ["rehearsals ", rehearseHere],
  ["requests remove", removeRequests],
  ["runs ", ({ runs, name, body, actor }) => (name === "" ? runs.start(body, actor.person) : orGone(false))],
  ["runs say", ({ runs, name, body }) => runs.say(name, body)],
  ["runs stop", ({ runs, name, body }) => runs.stop(name, body)],
  ["servers restart", restart],
  ["servers start", startServer],
  ["servers on", (wish) => switchServer(wish, true)],
  ["servers off", (wish) => switchServer(wish, false)],
  ["tools on", (wish) => switchTool(wish, true)],
  ["tools off", (wish) => switchTool(wish, false)],
  ["try ", tryHere],
]);

async function startServer({ ports, name, body }: Wish): Promise<void> {
  if (await ownOf(ports).waiting.start(name, idIn(body))) return;
  const why = "its entry changed since it was shown, or is gone: look at what it runs now, then start it";
  throw new HttpRefusal(404, "http.not-found", why);
}

function idIn(body: unknown): string {
  if (isRecord(body) && typeof body.id === "string") return body.id;
  throw new HttpRefusal(400, "http.invalid-request", 'the body has to be {"id": ID}');
}

const DAY = 86_400_000;

function rehearseHere({ ports, actor: { by, principal }, name, body, signal }: Wish): Promise<TrialView> {
  if (name !== "") throw gone();
  const { policy, days } = isRecord(body) ? body : {};
  const isFit = days === undefined || (typeof days === "number" && days > 0);
  if (typeof policy !== "string" || !isFit)
    throw new HttpRefusal(400, "http.invalid-request", 'the body has to be {"policy": TEXT, "days": NUMBER}');
  const since = typeof days === "number" ? Date.now() - days * DAY : 0;
  return ownOf(ports).rehearse({ policy, since, reader: { by, principal } }, signal);
}

function tryHere({ ports, name, body, signal }: Wish) {
  ownOf(ports);
  return tryCall(ports.crib.main, name, body, signal);
}

async function restart({ ports, name }: Wish): Promise<void> {
  ownOf(ports);
  const server = findRestartable(ports.crib, name);
  if (server === null) throw new ToolcribError("server.unknown", "no running server has that name");
  // Its state shows the outcome, and an event reports the change.
  await server.restart().catch((error: unknown) => ports.onError(`${name} could not be restarted`, error));
}

function switchServer({ ports, name }: Wish, isOn: boolean) {
  if (!ports.crib.config.servers.has(name)) throw new ToolcribError("server.unknown", "no server has that name");
  return ownOf(ports).switches.turn("server", name, isOn);
}

/** Lists name a tool by its identity, which stays the same whatever its wire name is. */
function switchTool({ ports, name }: Wish, isOn: boolean) {
  return ownOf(ports).switches.turn("tool", findEntry(ports.crib, name).identity, isOn);
}

async function removeRequests({ ports: { crib, unwrite }, name }: Wish): Promise<void> {
  if (unwrite === undefined) throw gone();
  await unwrite([findEntry(crib, name).signature]);
}

function findEntry({ main }: InspectorPorts["crib"], name: string) {
  const { entries } = main.toolset.catalog;
  const found = entries.find(({ wireName, identity }) => wireName === name || identity === name);
  if (found !== undefined) return found;
  throw new ToolcribError("tool.not-found", "there is no tool of that name", { names: [name] });
}

function orGone(isDone: boolean): void {
  if (!isDone) throw gone();
}

function gone(): HttpRefusal {
  return new HttpRefusal(404, "http.not-found", "there is nothing of that name, or not any more");
}
