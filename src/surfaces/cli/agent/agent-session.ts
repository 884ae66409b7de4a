import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../../../config/config.ts";
import { toBasePrompt } from "../../../core/agent/base-prompt.ts";
import type { Notice } from "../../../core/codes/reason.ts";
import { joinSections } from "../../../core/dialects/tools/join-sections.ts";
import { type StoredEvent, toStored } from "../../../core/events/envelope.ts";
import { loadInstructionFiles } from "../../../runtime/loop/instruction-files.ts";
import type { PermissionHandler } from "../../../runtime/permissions/permission-request.ts";
import { noteElsewhere } from "../../../runtime/report/named-elsewhere.ts";
import { uniqueNotices } from "../../../runtime/report/toolset-rows.ts";
import { withoutWaiting } from "../../../runtime/report/waiting-servers.ts";
import {
  type AgentJournal,
  type AgentSession,
  type AgentSetting,
  openAgent,
} from "../../../runtime/session/open-agent.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import type { CommandInput } from "../command-line/command.ts";
import { toGivenSetting } from "../servers/live-session.ts";
import { openOwnAudit } from "../stored/own-audit.ts";
import { toSchedulePort } from "../stored/own-schedules.ts";
import { createTerminalQuestions, type TerminalQuestions } from "../terminal/terminal-questions.ts";
import type { TypedLines } from "../terminal/typed-lines.ts";
import { isUnknownName } from "./show-run.ts";

/** An agent of the command line: its session, and the terminal that its questions go to. */
export interface TerminalAgent {
  readonly agent: AgentSession;
  /** Whether its session is stored, and can be gone on with. */
  readonly isKept: boolean;
  /** Null where nobody is there: questions are then denied, unless a rule allows the call. */
  readonly questions: TerminalQuestions | null;
  /** Everything that happened in it so far. */
  events(): Promise<readonly StoredEvent[]>;
  close(): Promise<void>;
}

/** Who answers what an agent asks; null where nobody does. */
export interface People
  extends Required<Pick<AgentSetting, "askUser">>,
    Pick<AgentSetting, "approvePlan" | "onElicitation" | "approvers"> {
  readonly onPermissionRequest: () => PermissionHandler | null;
}

/** Opens the agent that a configuration describes, with everything a run of the command line has. */
export async function openTerminalAgent(
  input: CommandInput,
  config: Config,
  journal: AgentJournal | null = null,
  lines?: TypedLines,
): Promise<TerminalAgent> {
  const { io, args } = input;
  const questions = io.canAsk ? createTerminalQuestions(io, lines) : null;
  const people: People = {
    onPermissionRequest: () => {
      if (args.has("yes")) return () => ({ decision: "allow", scope: "once" }) as const;
      return questions?.onPermissionRequest ?? null;
    },
    askUser: questions?.askUser ?? null,
  };
  const audit = await openOwnAudit(input, config, `toolcrib ${args.command}`);
  const agent = await openConfiguredAgent(input, config, people, journal, { audit });
  const told: StoredEvent[] = [];
  if (journal === null)
    agent.session.on("*", (event) => void told.push(...[toStored(event)].filter((one) => one !== null)));
  return {
    agent,
    isKept: journal !== null,
    questions,
    events: async () => (journal === null ? told : journal.kept.events()),
    async close() {
      questions?.close();
      await agent.close();
    },
  };
}

/** The same with the people who are there to answer. */
export async function openConfiguredAgent(
  input: CommandInput,
  config: Config,
  people: People,
  journal: AgentJournal | null = null,
  more: Pick<AgentSetting, "addedDirectories" | "open" | "audit" | "beforeRun" | "limitModel"> = {},
): Promise<AgentSession> {
  const { io } = input;
  const host = toGivenSetting(input, config);
  const { systemPrompt, notices } = await loadPrompt(host.cwd);
  const known = [...config.notices, ...notices];
  input.log.notices(known);
  const around = { ...ownSurroundings(), env: io.env, cwd: io.cwd };
  const agent = await openAgent(
    { ...config, notices: known },
    { ...host, ...more, ...people, mayCall: true, schedules: toSchedulePort(input) },
    () => ({ systemPrompt }),
    around,
    journal,
  );
  void reportUnknownNames(agent, input);
  return agent;
}

/** Names that nothing has, each once and as `list` reports them; which these are is known when every server has listed its tools. */
async function reportUnknownNames({ session }: AgentSession, { log }: CommandInput): Promise<void> {
  const told = new Set<string>();
  const report = (notices: readonly Notice[]): void => {
    const { config } = session;
    const unknown = uniqueNotices(notices).filter(({ code, text }) => isUnknownName(code) && !told.has(text));
    for (const { text } of unknown) told.add(text);
    log.notices(noteElsewhere(withoutWaiting(unknown, config), config));
  };
  session.on("session.warning", (notice) => report([{ ...notice, level: "warning" }]));
  try {
    await session.settled();
  } catch {
    return; // It was closed before.
  }
  report(session.toolset.notices);
}

async function loadPrompt(
  folder: string,
): Promise<{ readonly systemPrompt: string; readonly notices: readonly Notice[] }> {
  const root = await findRepository(folder);
  const base = toBasePrompt({
    folder,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
    isRepository: root !== null,
  });
  const { sections, notices } = await loadInstructionFiles(root ?? folder, folder);
  return { systemPrompt: joinSections([...base, ...sections]) ?? "", notices };
}

async function findRepository(folder: string): Promise<string | null> {
  for (let place = folder; ; place = dirname(place)) {
    if (await stat(join(place, ".git")).then(Boolean, () => false)) return place;
    if (dirname(place) === place) return null;
  }
}
