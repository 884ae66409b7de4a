import { homeFolder } from "../../../config/layers/home-folder.ts";
import { parseJson } from "../../../core/shape/parse-json.ts";
import { openAuditLog } from "../../../runtime/audit/audit-log.ts";
import { auditPath } from "../../../runtime/audit/audit-path.ts";
import type { GuardAnswer } from "../../../runtime/guard/guard-call.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { REFUSED, writeHookAnswer } from "../../guard/hook-answer.ts";
import { HOOK_CLIENTS, type HookClient, type HookClientName } from "../../guard/hook-clients.ts";
import { EVENT_SHAPES, fieldsOf, type GuardEvent } from "../../guard/hook-event.ts";
import { sealAnswer } from "../../guard/sealed-answer.ts";
import { parseWord } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { type JudgedEvent, judgeEvent } from "./judge-event.ts";

/** The owner of the program, as other rows of their log name them. */
const PRINCIPAL = "main";

/** Milliseconds, less than any client waits: one that gives up goes on as if nobody had said no. */
const PATIENCE = 8_000;

/**
 * `toolcrib hook CLIENT`: says what the rules are about one call that a client is about to run. Whatever goes wrong ends with
 * the status that clients take for a no.
 */
export async function runHook(input: CommandInput): Promise<number> {
  if (!input.args.has("sealed")) return decide(input);
  const out: string[] = [];
  const err: string[] = [];
  const io = { ...input.io, out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
  const status = await decide({ ...input, io });
  input.io.out(sealAnswer({ out: out.join(""), err: err.join(""), status }));
  return 0;
}

async function decide(input: CommandInput): Promise<number> {
  const { args } = input;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(() => resolve(refuse(input, `there was no answer within ${PATIENCE / 1_000} s`)), PATIENCE);
  });
  try {
    const name: HookClientName = parseWord(
      "CLIENT",
      args.operands[0] ?? "",
      Object.keys(HOOK_CLIENTS) as HookClientName[],
    ); // Keys of the table.
    return await Promise.race([answer(input, name, HOOK_CLIENTS[name]), late]);
  } catch (error) {
    return refuse(input, error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function answer(input: CommandInput, name: HookClientName, client: HookClient): Promise<number> {
  const text = await input.io.readInput("end");
  const fields = fieldsOf(parseJson(text));
  if (fields === null) return refuse(input, `what ${client.title} wrote is no JSON object`);
  const event = EVENT_SHAPES[client.event](fields);
  if (event === null) return 0;
  if (typeof event === "string") return refuse(input, `${client.title}: ${event}`);
  const judged = await judgeEvent(input, name, event);
  if (typeof judged === "string") return refuse(input, `${client.title}: ${judged}`);
  // The gateway writes the row of a call that it is to run.
  const isNext = judged.isOwn && judged.answer.answer !== "deny";
  if (!isNext) await note(input, judged, { name, event, answer: judged.answer });
  const { out, err, status } = writeHookAnswer(judged.answer, client, fields.hook_event_name !== undefined);
  if (out !== "") input.io.out(out);
  if (err !== "") input.io.err(err);
  return status;
}

interface Judged {
  readonly name: HookClientName;
  readonly event: GuardEvent;
  readonly answer: GuardAnswer;
}

async function note(
  input: CommandInput,
  { config, workspace }: Pick<JudgedEvent, "config" | "workspace">,
  { name, event, answer }: Judged,
): Promise<void> {
  const { io } = input;
  const isRequired = config.policy.audit.value === "required";
  const path = auditPath({ home: homeFolder(io.env), env: io.env }, workspace);
  const problems: string[] = [];
  const log = await openAuditLog({ path, isRequired, onError: (text) => void problems.push(text) }).catch(
    (error: unknown) => {
      if (isRequired) throw error;
      return null;
    },
  );
  if (log === null) return;
  log.hide(config);
  const { session, agent, call, tool, input: given } = event;
  const said =
    answer.answer === "pass" ? { code: "permission.no-rule", text: "no rule is about it", origin: "default" } : answer;
  const decision = { decision: answer.answer, code: said.code, text: said.text, origin: said.origin, by: null };
  log.judged({
    session: session ?? "",
    client: name,
    principal: PRINCIPAL,
    call: call ?? "",
    agent,
    tool,
    given,
    decision,
  });
  await log.close();
  const [problem] = problems;
  if (problem !== undefined && isRequired) throw new Error(problem);
}

function refuse({ io }: CommandInput, text: string): number {
  io.err(`toolcrib hook: ${text.split("\n").map(escapeText).join("\n")}; the call is refused\n`);
  return REFUSED;
}
