import { quoteWord } from "../../../core/rules/shell/quote-word.ts";
import type { GuardAnswer, GuardTool } from "../../../runtime/guard/guard-call.ts";
import { BUILTIN_TOOLS } from "../../../sources/builtin/definitions.ts";
import { escapeText } from "../../../system/text/escape-text.ts";
import { ownTool, toAskedEvent } from "../../guard/asked-event.ts";
import { withoutQuestion, writeHookAnswer } from "../../guard/hook-answer.ts";
import { findHookClient, HOOK_CLIENTS, type HookClient, type HookClientName } from "../../guard/hook-clients.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { supposeEvent } from "../guard/suppose-event.ts";

/** What a client's hook answers about a call of the client's own. */
export interface HookCheck {
  readonly client: HookClientName;
  /** As the client names it, and what it is here. */
  readonly tool: string;
  readonly meant: readonly string[];
  readonly answer: GuardAnswer;
  /** The client runs it, or asks its person, by rules of its own. */
  readonly isLeft: boolean;
  /** The call goes on to our gateway. */
  readonly isOwn: boolean;
  /** It is a tool of a server, which the client may reach by itself and through our gateway. */
  readonly isServed: boolean;
}

/** Null where the client asks no hook. `words` are a command for its shell. */
export async function checkHook(
  input: CommandInput,
  named: string,
  { tool, words, args }: { readonly tool: string; readonly words: readonly string[]; readonly args: HookArguments },
): Promise<HookCheck | null> {
  const name = findHookClient(named);
  if (name === null) return null;
  const client: HookClient = HOOK_CLIENTS[name];
  const given = words.length === 0 ? args : toCommand(tool, words, client);
  const event = toAskedEvent(
    { tool, args: given },
    client,
    BUILTIN_TOOLS.map(({ name }) => name),
  );
  if (typeof event === "string") throw usage(event);
  const judged = await supposeEvent(input, name, event);
  if (typeof judged === "string") throw usage(`${client.title}: ${judged}`);
  const answer = withoutQuestion(judged.answer, client);
  const { out, status } = writeHookAnswer(answer, client, true);
  return {
    ...{ client: name, tool: event.tool, meant: [...new Set(judged.calls.map((call) => idOf(call.tool)))], answer },
    isLeft: out === "" && status === 0,
    isOwn: judged.isOwn,
    isServed: judged.calls.some((call) => call.tool.kind === "served"),
  };
}

type HookArguments = Readonly<Record<string, unknown>>;

/** The words as this shell passed them on, so that a quoted one stays one; a single word is a whole line. */
function toCommand(tool: string, words: readonly string[], client: HookClient): HookArguments {
  const row = client.tools.get(ownTool(tool, client) ?? "");
  const field = row?.args.command?.[0];
  if (field === undefined)
    throw usage(`${tool} of ${client.title} runs no commands; give its arguments as JSON with --args '{…}'`);
  const [line = "", ...more] = words;
  return { [field]: more.length === 0 ? line : words.map(quoteWord).join(" ") };
}

function idOf(tool: GuardTool): string {
  return tool.kind === "served" ? `${tool.server}/${tool.name}` : tool.name;
}

export function toHookRow({ client, tool, meant, answer, isLeft, isOwn }: HookCheck): object {
  const { answer: decision, ...said } = answer;
  return { client, tool, id: meant.join(", "), decision, ...said, leavesItToClient: isLeft, goesToGateway: isOwn };
}

/** The first line is the answer, as in a check without a client. */
export function formatHookCheck({ client, tool, meant, answer, isLeft, isOwn }: HookCheck): string {
  const { title } = HOOK_CLIENTS[client];
  const [first = tool] = meant;
  const shown = first === tool ? tool : `${tool} (${meant.join(" or ")})`;
  const lines = [`${escapeText(shown)} of ${title}: ${answer.answer}`];
  if (answer.answer !== "pass") {
    const { text, origin } = answer;
    lines.push(`  ${escapeText(text)}${origin === "" ? "" : ` (${escapeText(origin)})`}`);
  }
  if (isOwn && isLeft) lines.push("  It goes on to Toolcrib's gateway, which judges it.");
  else if (answer.answer === "pass")
    lines.push(`  No rule is about it, so ${title} goes on as it would without Toolcrib.`);
  else if (isLeft) lines.push(`  ${title} takes no such word from a hook, so it goes on as it would without Toolcrib.`);
  return `${lines.join("\n")}\n`;
}

/** Where `why` is asked about a tool that the client has of its own: what an answer about ours says nothing about. */
export function describeOwnTool(named: string, tool: string): string | null {
  const name = findHookClient(named);
  if (name === null) return null;
  const client: HookClient = HOOK_CLIENTS[name];
  const own = ownTool(tool, client);
  const row = client.tools.get(own ?? "");
  if (own === null || row === undefined) return null;
  const given = row.args.command === undefined ? "--args '{…}'" : `${own} 'COMMAND'`;
  const call = row.args.command === undefined ? `${given} ${own}` : given;
  return `${client.title} has ${own === tool ? own : `${own}, which is ${tool} here,`} of its own, and runs it itself${own === tool && row.tool !== tool ? `; rules know it as ${row.tool}` : ""}: "toolcrib check --client ${name} ${call}" says what its hook answers.`;
}
