import { buildCatalog } from "../../../core/catalog/catalog.ts";
import { findOff } from "../../../core/gates/builtins.ts";
import { buildToolset } from "../../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { noteElsewhere } from "../../../runtime/report/named-elsewhere.ts";
import { type AnsweredQuestion, uniqueNotices } from "../../../runtime/report/toolset-rows.ts";
import { withoutWaiting } from "../../../runtime/report/waiting-servers.ts";
import { usage } from "../command-line/arguments.ts";
import type { CommandInput } from "../command-line/command.ts";
import { NO_OVERRIDES, type Overrides, readOverrides } from "../command-line/overrides.ts";
import { forClient, sayScene } from "./for-client.ts";
import type { ToolQuestion } from "./question.ts";

/** From `--world`, or else from the configuration; the other one's code is not even loaded. */
export async function loadQuestion(
  input: CommandInput,
  overrides: Overrides = readOverrides(input.args),
): Promise<ToolQuestion> {
  const [question] = await loadQuestions(input, [overrides]);
  if (question === undefined) throw new Error("one question was asked");
  return question;
}

/** One question for each of the overrides; servers that several of them need are started once. */
export async function loadQuestions(
  input: CommandInput,
  wanted: readonly Overrides[],
): Promise<readonly ToolQuestion[]> {
  const past = await loadFromSession(input);
  const asked = await Promise.all(wanted.map((overrides) => withCaller(input, overrides)));
  if (past !== null) return wanted.map(() => past);
  // Of several, each is named where it is asked about.
  if (asked.length === 1) sayScene(input, asked[0] ?? NO_OVERRIDES);
  const questions = await loadAll(input, asked);
  return Promise.all(questions.map((question, at) => forAsked(question, asked[at] ?? NO_OVERRIDES, input)));
}

async function forAsked(question: ToolQuestion, overrides: Overrides, input: CommandInput): Promise<ToolQuestion> {
  const own = await forClient(question, overrides);
  const { caller } = overrides;
  if (caller === null) return own;
  return (await import("./person-logins.ts")).withPersonLogins(own, caller, input);
}

/** With the person looked up whom they name. */
export async function withCaller(input: CommandInput, overrides: Overrides): Promise<Overrides> {
  const { person, groups, caller } = overrides;
  if (caller !== null) return overrides;
  if (person !== null) {
    if (input.args.has("world")) throw usage("--person has no effect beside --world, which reads no configuration");
    return { ...overrides, caller: await (await import("./find-caller.ts")).findCaller(input, overrides) };
  }
  if (groups !== null) throw usage("--groups needs --person NAME: whose people groups they would be");
  return overrides;
}

async function loadFromSession(input: CommandInput): Promise<ToolQuestion | null> {
  if (!input.args.has("session") && !input.args.has("at")) return null;
  return (await import("./past-question.ts")).loadPast(input);
}

async function loadAll(input: CommandInput, asked: readonly Overrides[]): Promise<readonly ToolQuestion[]> {
  const { args, io, log } = input;
  const world = args.value("world");
  if (world !== null) {
    for (const name of ["config", "subagent"] as const)
      if (args.has(name)) throw usage(`--${name} has no effect beside --world, which reads no configuration`);
    const { readWorldFile } = await import("./read-world-file.ts");
    return Promise.all(asked.map((overrides) => readWorldFile(world, overrides, io, log)));
  }
  if (args.has("no-start")) {
    const { loadConfigured } = await import("./load-configured.ts");
    return Promise.all(asked.map((overrides) => loadConfigured(input, overrides)));
  }
  const { loadLiveQuestions } = await import("./live-question.ts");
  return loadLiveQuestions(input, asked);
}

export function answer(question: ToolQuestion, log: CommandInput["log"]): AnsweredQuestion {
  const { notices, config } = question;
  const toolset = question.toolset ?? build(question, log);
  const told = uniqueNotices([...notices, ...toolset.notices]);
  return { toolset, notices: config === undefined ? told : noteElsewhere(withoutWaiting(told, config), config) };
}

function build({ tools, scene, wireStyle, leftOut = [] }: ToolQuestion, log: CommandInput["log"]): Toolset {
  const catalog = log.timed(`the catalog of ${tools.length} tools`, () =>
    buildCatalog(tools, { style: wireStyle, servers: scene.servers.keys(), isOff: findOff(scene) }),
  );
  return log.timed("the toolset", () => ({ ...buildToolset(catalog, scene), leftOut }));
}
