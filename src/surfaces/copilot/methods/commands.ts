import type { SessionMethod } from "../method.ts";
import { commandsOf } from "../sessions/sessions.ts";
import { type Live, type OpenQuestion, steeringOf, tellPassing } from "../state/live.ts";
import { work } from "../turns/turns.ts";
import { type Json, recordOf, textOf } from "../wire/wire-values.ts";
import { listSkills } from "./skills.ts";

const BUILT_IN = [
  { name: "help", description: "Shows the commands" },
  { name: "model", description: "Shows or changes the model" },
  { name: "compact", description: "Turns the conversation into a summary" },
];

/** Commands of clients, and what waits. */
export const COMMAND_METHODS: Readonly<Record<string, SessionMethod>> = {
  "commands.list": async (live, { includeBuiltins, includeClientCommands, includeSkills }) => ({
    commands: [
      ...(includeBuiltins === false ? [] : BUILT_IN.map((one) => toCommand(one, "builtin"))),
      ...(includeClientCommands === false ? [] : commandsOf(live).map((one) => toCommand(one, "client"))),
      ...(includeSkills === false ? [] : (await usableSkills(live)).map((one) => toCommand(one, "skill"))),
    ],
  }),
  "commands.invoke": (live, { name, commandName, input, args }) =>
    invoke(live, textOf(name) ?? textOf(commandName) ?? "", textOf(input) ?? textOf(args) ?? ""),
  "commands.execute": (live, { commandName, args }) => execute(live, textOf(commandName) ?? "", textOf(args) ?? ""),
  "commands.enqueue": (live, { command }) => {
    const requestId = live.server.around.newId();
    live.queue.push({ messageId: requestId, params: {}, command: { requestId, command: textOf(command) ?? "" } });
    tellPassing(live, "pending_messages.modified", {});
    work(live);
    return { queued: true };
  },
  "commands.respondToQueuedCommand": (live, { requestId, result }) => {
    const question = openCommand(live, requestId);
    question?.answer(recordOf(result));
    return { success: question !== undefined };
  },
  "commands.handlePendingCommand": (live, { requestId, error }) => {
    openCommand(live, requestId)?.answer(error === undefined ? {} : { error });
    return { success: true };
  },
  "queue.pendingItems": (live) => ({
    items: live.queue.map(({ messageId, params, command }) => ({
      id: messageId,
      kind: command === undefined ? "message" : "command",
      displayText: command?.command ?? textOf(params.displayPrompt) ?? textOf(params.prompt) ?? "",
      agentMode: textOf(params.agentMode) ?? live.mode,
    })),
    steeringMessages: [...steeringOf(live).values()],
  }),
  "queue.removeMostRecent": (live) => {
    const removed = live.queue.pop() !== undefined;
    if (removed) tellPassing(live, "pending_messages.modified", {});
    return { removed };
  },
  "queue.clear": (live) => {
    live.queue.length = 0;
    tellPassing(live, "pending_messages.modified", {});
    return {};
  },
};

/** Other questions are not answered as if they were commands. */
function openCommand({ questions }: Live, requestId: unknown): OpenQuestion | undefined {
  const question = questions.get(String(requestId));
  return question?.kind === "command" ? question : undefined;
}

function toCommand({ name, description }: Json, kind: string): Json {
  return { name, description: textOf(description) ?? "", kind, allowDuringAgentExecution: kind === "builtin" };
}

async function invoke(live: Live, name: string, input: string): Promise<Json> {
  const bare = name.replace(/^\//, "");
  if (commandsOf(live).some((command) => command.name === bare)) return execute(live, bare, input);
  switch (bare) {
    case "help":
      return { kind: "text", text: BUILT_IN.map((one) => `/${one.name}: ${one.description}`).join("\n") };
    case "model":
      return { kind: "text", text: live.model ?? "the default model" };
    case "compact":
      return { kind: "text", text: (await live.session.compact()) ? "Compacted." : "There is nothing to compact." };
    default:
      return askForSkill(live, bare, input);
  }
}

async function usableSkills(live: Live): Promise<readonly Json[]> {
  return (await listSkills(live)).filter(({ enabled, userInvocable }) => enabled === true && userInvocable === true);
}

/** A skill as a command is a prompt that the client sends. */
async function askForSkill(live: Live, name: string, input: string): Promise<Json> {
  const skill = (await usableSkills(live)).find((one) => one.name === name);
  if (skill === undefined) throw new Error(`Unknown command: ${name}`);
  const prompt = [`Use the skill "${name}".`, input].filter((part) => part !== "").join("\n\n");
  return { kind: "agent-prompt", prompt, displayPrompt: `/${name}${input === "" ? "" : ` ${input}`}` };
}

async function execute(live: Live, commandName: string, args: string): Promise<Json> {
  if (!commandsOf(live).some(({ name }) => name === commandName)) throw new Error(`Unknown command: ${commandName}`);
  const requestId = live.server.around.newId();
  const command = `/${commandName}${args === "" ? "" : ` ${args}`}`;
  const answer = await new Promise<Json>((resolve) => {
    live.questions.set(requestId, { kind: "command", asked: { command }, answer: resolve });
    tellPassing(live, "command.execute", { requestId, command, commandName, args });
  });
  live.questions.delete(requestId);
  tellPassing(live, "command.completed", { requestId });
  const error = textOf(answer.error);
  return error === undefined ? {} : { error };
}
