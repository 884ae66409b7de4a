import { join } from "node:path";
import { quoteWord } from "../../core/rules/shell/quote-word.ts";
import { type ConfigNode, isNull, listNode, mapNode, nodeAt } from "../../core/shape/node.ts";
import { stateFolder } from "../layers/state-folder.ts";
import { readString } from "./hook-node.ts";

type Person = Parameters<typeof stateFolder>[0];

/**
 * The hooks of another client without `toolcrib hook`: sessions of ours judge their calls themselves, and would only do it
 * twice. Null if nothing is left.
 */
export function withoutOwnHooks(hooks: ConfigNode | null, person: Person): ConfigNode | null {
  if (hooks?.kind !== "map") return hooks;
  const kept = [...hooks.entries].flatMap(([event, list]): readonly (readonly [string, ConfigNode])[] => {
    const items = list.kind === "list" ? list.items.filter((hook) => !isOwnHook(hook, person)) : [];
    return items.length === 0 ? [] : [[event, listNode(items, list.origin)]];
  });
  return kept.length === 0 ? null : mapNode(kept, hooks.origin);
}

/** Exactly the line that is documented, or that `guard install` writes. One with anything more is somebody else's. */
function isOwnHook(hook: ConfigNode, person: Person): boolean {
  const command = readString(nodeAt(hook, "command")) ?? "";
  if (!isNull(nodeAt(hook, "args"))) return false;
  const [, client] = /([a-z]+(?:-[a-z]+)*) \|\| exit 2$/.exec(command) ?? [];
  const script = quoteWord(join(stateFolder(person), "guard", "hook.sh"));
  const lines = [`toolcrib hook ${client} || exit 2`, `/bin/sh -c '. "$0"; exit 2' ${script} ${client} || exit 2`];
  return lines.includes(command);
}
