import type { Config } from "../../../config/config.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { createWorldSplitter } from "../../../core/toolset/world-parts.ts";
import type { Emitter } from "../../events/emitter.ts";
import { withoutServerSecrets } from "../../report/world-document.ts";
import type { Recorder } from "../../store/recorder.ts";
import { toolsHash } from "./announce-toolset.ts";

/** Keeps the world of each request to a model, so that it can be asked later what was true then (S9). */
export function createWorldNotes(
  recorder: Recorder,
  emit: Emitter["emit"],
  config: () => Config,
): (toolset: Toolset) => void {
  const keep = createWorldSplitter((scene) => withoutServerSecrets(scene, config()));
  let last: { readonly toolset: Toolset; readonly hash: string } | null = null;
  return (toolset) => {
    if (last?.toolset === toolset) return;
    const { hash, parts } = keep(toolset);
    if (last?.hash !== hash) {
      recorder.keep(parts);
      emit("session.world_changed", { world: hash, tools: toolsHash(toolset) });
    }
    last = { toolset, hash };
  };
}
