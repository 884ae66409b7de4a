import { buildCatalog } from "../../core/catalog/catalog.ts";
import type { WireStyle } from "../../core/catalog/wire-name.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Scene } from "../../core/scene/scene.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { buildToolset } from "../../core/toolset/build-toolset.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import { usage } from "./arguments.ts";
import type { CommandInput } from "./command.ts";
import { type Overrides, readOverrides } from "./overrides.ts";

/** Tools and scene of one visibility question, wherever they came from. */
export interface Question {
  readonly tools: readonly Tool[];
  readonly scene: Scene;
  readonly wireStyle: WireStyle;
  readonly notices: readonly Notice[];
}

/** A question with its answer. */
export interface Answered {
  readonly toolset: Toolset;
  readonly notices: readonly Notice[];
}

/** From `--world`, or else from the configuration; the other one's code is not even loaded. */
export async function loadQuestion(
  input: CommandInput,
  overrides: Overrides = readOverrides(input.args),
): Promise<Question> {
  const { args, io, log } = input;
  const world = args.value("world");
  if (world === null) {
    const { loadConfigured } = await import("./load-configured.ts");
    return loadConfigured(input, overrides);
  }
  if (args.has("config")) throw usage("--config has no effect beside --world, which reads no configuration");
  const { readWorldFile } = await import("./read-world-file.ts");
  return readWorldFile(world, overrides, io, log);
}

export function answer({ tools, scene, wireStyle, notices }: Question, log: CommandInput["log"]): Answered {
  const catalog = log.timed(`the catalog of ${tools.length} tools`, () =>
    buildCatalog(tools, { style: wireStyle, servers: scene.servers.keys() }),
  );
  const toolset = log.timed("the toolset", () => buildToolset(catalog, scene));
  return { toolset, notices: [...notices, ...toolset.notices] };
}
