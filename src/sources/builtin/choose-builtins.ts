import { nearestNames } from "../../core/codes/nearest-name.ts";
import { formatOrigin, type Origin } from "../../core/codes/origin.ts";
import type { Notice } from "../../core/codes/reason.ts";
import type { Builtins } from "../../core/scene/scene.ts";
import { BUILTIN_SETS, BUILTIN_TOOLS } from "./definitions.ts";

/** What was configured: a word, or names of built-in tools and of their sets. */
export interface ChosenBuiltins {
  readonly choice: "off" | "read" | "all" | readonly string[];
  /** The setting, by the name under which a person looks for it. */
  readonly setting: string;
  readonly origin: Origin;
}

/** The tools that a choice names. An unknown name is reported, and chooses nothing. */
export function chooseBuiltins({ choice, setting, origin }: ChosenBuiltins): {
  readonly builtins: Builtins;
  readonly notices: readonly Notice[];
} {
  if (typeof choice === "string") return { builtins: { which: choice, setting, origin }, notices: [] };
  const found = choice.map((name) => ({ name, tools: KNOWN.get(name) ?? [] }));
  return {
    builtins: { which: new Set(found.flatMap(({ tools }) => tools)), setting, origin },
    notices: found.filter(({ tools }) => tools.length === 0).map(({ name }) => toNotice(name, setting, origin)),
  };
}

function toNotice(name: string, setting: string, origin: Origin): Notice {
  const [nearest] = nearestNames(name, KNOWN.keys(), 1);
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  const text = `${setting} names "${name}" (${formatOrigin(origin)}), which is no built-in tool${hint}`;
  const unknown = { level: "warning", code: "filter.unknown-name", text, names: [name], origin } as const;
  return nearest === undefined ? unknown : { ...unknown, nearest: [nearest] };
}

const FRONT = "builtin:";

/** Every name of a built-in tool or set, with the tools that it means; a set wins over a tool of the same name (I1). */
const KNOWN: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...BUILTIN_TOOLS.flatMap(({ name, aliases }) =>
    [...aliases, name, `${FRONT}${name}`].map((known): [string, string[]] => [known, [name]]),
  ),
  ...BUILTIN_SETS.map(({ name, members }): [string, string[]] => [
    name,
    members.value.map(({ value }) => withoutFront(value)),
  ]),
]);

function withoutFront(member: string): string {
  return member.startsWith(FRONT) ? member.slice(FRONT.length) : member;
}
