import type { Config } from "../../config/config.ts";
import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { WireStyle } from "../../core/catalog/wire-name.ts";
import type { Notice } from "../../core/codes/reason.ts";
import { findOff } from "../../core/gates/builtins.ts";
import type { Scene } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { LeftOut } from "../../core/toolset/toolset.ts";
import { type Answered, uniqueNotices } from "../../runtime/report/toolset-rows.ts";
import { withoutWaiting } from "../../runtime/report/waiting-servers.ts";
import type { SourceReport } from "../../runtime/session/source-report.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { forClient } from "./for-client.ts";
import { type Overrides, readOverrides } from "./overrides.ts";

/** Tools and scene of one visibility question, wherever they came from. */
export interface Question {
  readonly tools: readonly Tool[];
  readonly scene: Scene;
  readonly wireStyle: WireStyle;
  readonly notices: readonly Notice[];
  /** What is configured and was taken away before it could be a tool. */
  readonly leftOut?: readonly LeftOut[];
  /** What it was read from; none for a world file. */
  readonly config?: Config;
  /** How the sources are doing; none where nothing was started. */
  readonly sources?: readonly SourceReport[];
}

/** From `--world`, or else from the configuration; the other one's code is not even loaded. */
export async function loadQuestion(
  input: CommandInput,
  overrides: Overrides = readOverrides(input.args),
): Promise<Question> {
  const [question] = await loadQuestions(input, [overrides]);
  if (question === undefined) throw new Error("one question was asked");
  return question;
}

/** One question for each of the overrides; servers that several of them need are started once. */
export async function loadQuestions(input: CommandInput, asked: readonly Overrides[]): Promise<readonly Question[]> {
  const questions = await loadAll(input, asked);
  return Promise.all(questions.map((question) => forClient(question, input)));
}

async function loadAll(input: CommandInput, asked: readonly Overrides[]): Promise<readonly Question[]> {
  const { args, io, log } = input;
  const world = args.value("world");
  if (world !== null) {
    if (args.has("config")) throw usage("--config has no effect beside --world, which reads no configuration");
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

export function answer(
  { tools, scene, wireStyle, notices, leftOut = [], config }: Question,
  log: CommandInput["log"],
): Answered {
  const catalog = log.timed(`the catalog of ${tools.length} tools`, () =>
    buildCatalog(tools, { style: wireStyle, servers: scene.servers.keys(), isOff: findOff(scene) }),
  );
  const toolset = log.timed("the toolset", () => ({ ...buildToolset(catalog, scene), leftOut }));
  const told = uniqueNotices([...notices, ...toolset.notices]);
  return { toolset, notices: config === undefined ? told : withoutWaiting(told, config) };
}
