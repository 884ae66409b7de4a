import { formatOrigin } from "../../../core/codes/origin.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Caller } from "../../../core/people/person.ts";
import type { Crib, CribView, Profile } from "../../../runtime/crib/crib.ts";
import { MAIN, mainProfile, personProfile } from "../../../runtime/crib/profile.ts";
import { createQuestionDesk, type QuestionDesk } from "../../../runtime/crib/question-desk.ts";
import { askedFor } from "../../../runtime/crib/view-approver.ts";
import { whoApproves } from "../../../runtime/crib/who-approves.ts";
import type { RunLimits } from "../../../runtime/loop/run-types.ts";
import { readSaid, sendSaid } from "../../../runtime/session/conversation/said-prompt.ts";
import type { AgentSession } from "../../../runtime/session/open-agent.ts";
import type { ElicitationAnswer } from "../../../runtime/session/sources/elicitation.ts";
import type { WantedRun } from "../../http/api/api.ts";
import type { RunDesk } from "../../http/api/ports.ts";
import type { CommandInput } from "../command-line/command.ts";
import type { People } from "./agent-session.ts";

/** The runs that a person starts on the inspector's page. */
export interface PageRuns extends RunDesk {
  readonly questions: QuestionDesk;
  /** How many go on now. */
  readonly running: number;
  close(): Promise<void>;
}

interface PageRunsPorts {
  readonly crib: Pick<Crib, "config" | "approvals" | "openSource" | "beforeRun" | "limits">;
  readonly workspace: string;
  /** Called for each session before anything runs in it. */
  readonly watch: (view: CribView) => void;
}

interface OpenRun {
  readonly agent: AgentSession;
  readonly limits: Partial<RunLimits>;
  isRunning: boolean;
}

/** Sessions that stay open, so that something more can be said to them. */
const MOST_OPEN = 16;

export function createPageRuns(input: CommandInput, { crib, workspace, watch }: PageRunsPorts): PageRuns {
  // What is wrong with the configuration is on the page, and the terminal of `up` has been told.
  const log = { ...input.log, notices: () => {} };
  const here: CommandInput = { ...input, log, io: { ...input.io, cwd: workspace, canAsk: false } };
  const questions = createQuestionDesk();
  const open = new Map<string, OpenRun>();
  const load = () => import("./open-page-run.ts");
  return {
    questions,
    get running() {
      return [...open.values()].filter(({ isRunning }) => isRunning).length;
    },
    async setup() {
      return { ...(await (await load()).describeSetup(here)), refusal: refusalOf(crib) };
    },
    async start(wanted, caller) {
      const refusal = refusalOf(crib);
      if (refusal !== null) throw new ToolcribError("run.refused", refusal);
      await makeRoom(open);
      const from = { session: "", client: "run", caller };
      const agent = await (await load()).openPageRun(here, wanted, askOnPage(crib, questions, from), {
        ...{ openSource: crib.openSource, beforeRun: crib.beforeRun },
        limitModel: (model) => crib.limits.limitModel(model, profileOf(caller, crib)),
      });
      const { session } = agent;
      Object.assign(from, { session: session.id, client: `run ${session.id.slice(0, 8)}` });
      const run: OpenRun = { agent, limits: toLimits(wanted), isRunning: false };
      open.set(session.id, run);
      watch({ session, label: from.client, principal: MAIN });
      session.on("session.idle", () => {
        run.isRunning = false;
      });
      begin(run, wanted.prompt);
      return session.id;
    },
    say(id, prompt) {
      const run = open.get(id);
      if (run !== undefined) begin(run, prompt);
      return run !== undefined;
    },
    async stop(id, one) {
      const run = open.get(id);
      if (run === undefined) return false;
      if (one !== null) return run.agent.agents.stop(one);
      await run.agent.abort("user_initiated");
      const { agents } = run.agent;
      await Promise.all((await agents.list()).map((agent) => agents.stop(agent.id)));
      return true;
    },
    isOpen: (id) => open.has(id),
    async close() {
      const all = [...open.values()];
      open.clear();
      await Promise.all(all.map(({ agent }) => agent.close()));
    },
  };
}

/** Whose money a run spends: that of the person who started it, or the owner's. */
function profileOf(caller: Caller | null, { config }: Pick<Crib, "config">): Profile {
  return caller === null ? mainProfile() : personProfile(config, caller);
}

/** Milliseconds for servers to start. */
const PATIENCE = 30_000;

/** Joins a run that goes on, else makes one. */
function begin(run: OpenRun, prompt: string): void {
  const { agent, limits, isRunning } = run;
  const { session } = agent;
  const said = readSaid(prompt, session.config);
  const joined = (text: string) =>
    new Promise<void>((resolve) => {
      session.on("session.idle", () => resolve());
      agent.send(text, { mode: "immediate" });
    });
  const settled = isRunning ? null : session.settled(AbortSignal.timeout(PATIENCE));
  run.isRunning = true;
  const sent = (settled ?? Promise.resolve()).then(() =>
    sendSaid<unknown>(session, said, isRunning ? joined : (text) => agent.run(text, { limits })),
  );
  // What goes wrong is told as an event.
  sent.catch(() => {});
}

/** A person who may open the page may start runs, unless a setting or managed policy says otherwise. */
function refusalOf({ config: { gateway } }: PageRunsPorts["crib"]): string | null {
  const { value, origin } = gateway.runs;
  return value ? null : `gateway.runs is false (${formatOrigin(origin)}), so no run can be started here`;
}

/** The oldest that is over gives way. */
async function makeRoom(open: Map<string, OpenRun>): Promise<void> {
  if (open.size < MOST_OPEN) return;
  const idle = [...open].find(([, { isRunning }]) => !isRunning);
  if (idle === undefined) throw new ToolcribError("run.refused", `${MOST_OPEN} runs go on already; stop one first`);
  const [id, { agent }] = idle;
  open.delete(id);
  await agent.close();
}

function toLimits({ maxCost }: WantedRun): Partial<RunLimits> {
  return maxCost === undefined ? {} : { cost: maxCost };
}

/** What the agent asks waits on the page; where `gateway.approvals` is `deny`, nobody is asked about calls. */
function askOnPage(
  crib: PageRunsPorts["crib"],
  questions: QuestionDesk,
  from: { readonly session: string; readonly client: string; readonly caller: Caller | null },
): People {
  return {
    onPermissionRequest: () =>
      crib.config.gateway.approvals.value === "deny"
        ? null
        : (request) =>
            crib.approvals.ask(request, askedFor(request, from, crib.config.gateway.approvals), request.signal),
    approvers: (server) => whoApproves(server, crib.config.gateway),
    async askUser({ question, choices }, signal) {
      return String(await questions.ask(from, { kind: "user_input", question, choices }, signal));
    },
    async approvePlan(plan, signal) {
      const answer = (await questions.ask(from, { kind: "plan", plan }, signal)) as PlanAnswer; // As the API reads it.
      return { approved: answer.approved, feedback: answer.feedback ?? null };
    },
    onElicitation: async (request, signal) =>
      (await questions.ask(from, { kind: "elicitation", request }, signal)) as ElicitationAnswer, // As the API reads it.
  };
}

interface PlanAnswer {
  readonly approved: boolean;
  readonly feedback?: string;
}
