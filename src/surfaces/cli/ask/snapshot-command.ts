import { toWorld } from "../../../core/scene/world.ts";
import { toWorldDocument } from "../../../runtime/report/world-document.ts";
import { toJson } from "../../../system/text/escape-text.ts";
import type { CommandInput } from "../command-line/command.ts";
import { loadQuestion } from "./load-question.ts";

/** `toolcrib snapshot`: the world, so that a question about visibility can be replayed anywhere with `--world`. */
export async function runSnapshot(input: CommandInput): Promise<number> {
  const { io, args, log } = input;
  const { tools, scene, wireStyle, config, notices } = await loadQuestion(input);
  const world =
    config === undefined ? toWorld(tools, scene, wireStyle) : toWorldDocument(tools, scene, wireStyle, config);
  io.out(toJson(world, !args.has("json") || io.isTTY));
  if (!args.has("json")) log.notices(notices);
  return 0;
}
