import { toContextInfo } from "../events/session-figures.ts";
import type { ClientSession } from "../sessions/client-session.ts";
import { applyOptions } from "../sessions/session-options.ts";
import { commandsOf } from "../sessions/sessions.ts";
import { askAll, emitPassing, type OpenQuestion, type SessionCore, setOptions } from "../state/session-core.ts";
import { listSkills, loadProvided, lookAt, skillFolders } from "../tools/skills.ts";
import { enqueue } from "../turns/turns.ts";
import { type Json, recordOf, textOf } from "../wire/wire-values.ts";
import { after, type SessionMethod } from "./method.ts";

const BUILT_IN = [
  { name: "help", description: "Shows the commands" },
  { name: "model", description: "Shows or changes the model" },
  { name: "compact", description: "Turns the conversation into a summary" },
  { name: "context", description: "Shows how full the context is, and of what" },
];

/** Commands of clients, skills, and what waits. */
export const COMMAND_METHODS: Readonly<Record<string, SessionMethod>> = {
  "commands.list": async (live, { includeBuiltins, includeClientCommands, includeSkills }) => ({
    commands: [
      ...(includeBuiltins === false ? [] : BUILT_IN.map((one) => toCommand(one, "builtin"))),
      ...(includeClientCommands === false ? [] : commandsOf(live.core).map((one) => toCommand(one, "client"))),
      ...(includeSkills === false ? [] : (await usableSkills(live)).map((one) => toCommand(one, "skill"))),
    ],
  }),
  "commands.invoke": (live, { name, commandName, input, args }) =>
    invoke(live, textOf(name) ?? textOf(commandName) ?? "", textOf(input) ?? textOf(args) ?? ""),
  "commands.execute": ({ core }, { commandName, args }) => execute(core, textOf(commandName) ?? "", textOf(args) ?? ""),
  "commands.enqueue": (live, { command }) => {
    const requestId = live.core.server.around.newId();
    enqueue(live, { messageId: requestId, params: {}, command: { requestId, command: textOf(command) ?? "" } });
    return { queued: true };
  },
  "commands.respondToQueuedCommand": ({ core }, { requestId, result }) => {
    const question = openCommand(core, requestId);
    question?.answer(recordOf(result));
    return { success: question !== undefined };
  },
  "commands.handlePendingCommand": ({ core }, { requestId, error }) => {
    openCommand(core, requestId)?.answer(error === undefined ? {} : { error });
    return { success: true };
  },
  "queue.pendingItems": ({ core, turns }) => ({
    items: turns.queue.map(({ messageId, params, command }) => ({
      id: messageId,
      kind: command === undefined ? "message" : "command",
      displayText: command?.command ?? textOf(params.displayPrompt) ?? textOf(params.prompt) ?? "",
      agentMode: textOf(params.agentMode) ?? core.mode,
    })),
    steeringMessages: [...turns.steering.values()],
  }),
  "queue.removeMostRecent": ({ core, turns }) => {
    const removed = turns.queue.pop() !== undefined;
    if (removed) emitPassing(core, "pending_messages.modified", {});
    return { removed };
  },
  "queue.clear": ({ core, turns }) => {
    turns.queue.length = 0;
    emitPassing(core, "pending_messages.modified", {});
    return {};
  },
  "skills.list": async (live) => {
    if (await loadProvided(live.core, live.skills)) await applyOptions(live);
    return { skills: await listSkills(live.core, live.skills) };
  },
  "skills.enable": (live, { name }) => {
    setOptions(live.core, { disabledSkills: live.core.options.disabledSkills.filter((one) => one !== name) });
    return after(applyOptions(live), null);
  },
  "skills.disable": (live, { name }) => {
    const disabledSkills = new Set([...live.core.options.disabledSkills, textOf(name) ?? ""]);
    setOptions(live.core, { disabledSkills: [...disabledSkills] });
    return after(applyOptions(live), null);
  },
  // What is wrong with skills: those that are not there for it, and what is odd about others.
  "skills.reload": async (live) => {
    const { core, skills } = live;
    if (await loadProvided(core, skills, true)) await applyOptions(live);
    await core.session.refresh();
    const { notices } = await lookAt(skillFolders(core, skills), { ...core.server.around, cwd: core.cwd });
    const texts = (isError: boolean) =>
      notices.filter(({ code }) => (code === "skill.invalid") === isError).map(({ text }) => text);
    return { errors: texts(true), warnings: texts(false) };
  },
  "skills.ensureLoaded": ({ core }) => after(core.session.refresh(), null),
  "skills.getInvoked": ({ events }) => ({
    skills: events.log.flatMap(({ type, data }) =>
      type === "skill.invoked" ? [{ name: data.name, path: data.path, content: data.content }] : [],
    ),
  }),
};

/** Other questions are not answered as if they were commands. */
function openCommand({ questions }: SessionCore, requestId: unknown): OpenQuestion | undefined {
  const question = questions.get(String(requestId));
  return question?.kind === "command" ? question : undefined;
}

function toCommand({ name, description }: Json, kind: string): Json {
  return { name, description: textOf(description) ?? "", kind, allowDuringAgentExecution: kind === "builtin" };
}

async function invoke(live: ClientSession, name: string, input: string): Promise<Json> {
  const { core, models } = live;
  const bare = name.replace(/^\//, "");
  if (commandsOf(core).some((command) => command.name === bare)) return execute(core, bare, input);
  switch (bare) {
    case "help":
      return { kind: "text", text: BUILT_IN.map((one) => `/${one.name}: ${one.description}`).join("\n") };
    case "model":
      return { kind: "text", text: models.model ?? "the default model" };
    case "compact":
      return { kind: "text", text: (await core.session.compact()) ? "Compacted." : "There is nothing to compact." };
    case "context":
      return { kind: "text", text: describeContext(live) };
    default:
      return askForSkill(live, bare, input);
  }
}

/** Estimates, as all counts that come from no provider. */
function describeContext(live: ClientSession): string {
  const { modelName, totalTokens, promptTokenLimit, ...of } = toContextInfo(live);
  const rows = [
    ["System text", of.systemTokens],
    ["Tools", of.toolDefinitionsTokens],
    ["Conversation", of.conversationTokens],
  ] as const;
  return [
    `${modelName}: about ${totalTokens} of ${promptTokenLimit} tokens`,
    ...rows.map(([name, tokens]) => `${name}: ${tokens}`),
  ].join("\n");
}

async function usableSkills({ core, skills }: ClientSession): Promise<readonly Json[]> {
  const all = await listSkills(core, skills);
  return all.filter(({ enabled, userInvocable }) => enabled === true && userInvocable === true);
}

/** A skill as a command is a prompt that the client sends. */
async function askForSkill(live: ClientSession, name: string, input: string): Promise<Json> {
  const skill = (await usableSkills(live)).find((one) => one.name === name);
  if (skill === undefined) throw new Error(`Unknown command: ${name}`);
  const prompt = [`Use the skill "${name}".`, input].filter((part) => part !== "").join("\n\n");
  return { kind: "agent-prompt", prompt, displayPrompt: `/${name}${input === "" ? "" : ` ${input}`}` };
}

async function execute(core: SessionCore, commandName: string, args: string): Promise<Json> {
  if (!commandsOf(core).some(({ name }) => name === commandName)) throw new Error(`Unknown command: ${commandName}`);
  const requestId = core.server.around.newId();
  const command = `/${commandName}${args === "" ? "" : ` ${args}`}`;
  const send = (): void => emitPassing(core, "command.execute", { requestId, command, commandName, args });
  const { error } = await askAll(core, "command", requestId, { command }, send);
  emitPassing(core, "command.completed", { requestId });
  return textOf(error) === undefined ? {} : { error };
}
