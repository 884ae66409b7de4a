import { type NameList, nameList, type Sourced, sourced } from "../../../core/codes/origin.ts";
import type { Caller } from "../../../core/people/person.ts";
import { MODES, type Mode, type Scene } from "../../../core/scene/scene.ts";
import { type Arguments, parseWord } from "./arguments.ts";

/** What the scene flags, or one side of a `diff`, put on top of a world or a configuration. */
export interface Overrides {
  readonly agent: Sourced<string> | null;
  readonly model: Sourced<string> | null;
  readonly mode: Sourced<Mode> | null;
  readonly include: NameList | null;
  readonly exclude: NameList | null;
  /** By the name that a client gives itself. */
  readonly client: Sourced<string> | null;
  /** As the command line names somebody who may come in. */
  readonly person: Sourced<string> | null;
  /** People groups instead of those that the person is known to have. */
  readonly groups: readonly string[] | null;
  /** The person, once looked up. */
  readonly caller: Caller | null;
}

export const NO_OVERRIDES: Overrides = {
  agent: null,
  model: null,
  mode: null,
  include: null,
  exclude: null,
  client: null,
  person: null,
  groups: null,
  caller: null,
};

export function readOverrides(args: Arguments): Overrides {
  const text = (name: "agent" | "model" | "client" | "person"): Sourced<string> | null => {
    const value = args.value(name);
    return value === null ? null : sourced(value, { kind: "flag", flag: `--${name}` });
  };
  const list = (name: "include" | "exclude"): NameList | null => {
    const names = args.list(name);
    return names === null ? null : nameList(names, { kind: "flag", flag: `--${name}` });
  };
  const mode = args.value("mode");
  return {
    agent: text("agent"),
    model: text("model"),
    mode: mode === null ? null : sourced(parseWord("--mode", mode, MODES), { kind: "flag", flag: "--mode" }),
    include: list("include"),
    exclude: list("exclude"),
    client: text("client"),
    person: text("person"),
    groups: args.list("groups"),
    caller: null,
  };
}

/** The second on top of the first: what is excluded adds up, everything else is replaced. */
export function stackOverrides(under: Overrides, over: Overrides): Overrides {
  return {
    agent: over.agent ?? under.agent,
    model: over.model ?? under.model,
    mode: over.mode ?? under.mode,
    include: over.include ?? under.include,
    exclude: over.exclude === null ? under.exclude : joinLists(under.exclude, over.exclude),
    client: over.client ?? under.client,
    person: over.person ?? under.person,
    groups: over.groups ?? under.groups,
    caller: over.caller ?? under.caller,
  };
}

/** Filter and mode; an agent and a model have to be looked up first, which depends on where the scene comes from. */
export function overrideScene(scene: Scene, { mode, include, exclude }: Overrides): Scene {
  if (mode === null && include === null && exclude === null) return scene;
  const { filter } = scene;
  return {
    ...scene,
    mode: mode ?? scene.mode,
    filter: {
      ...filter,
      include: include ?? filter.include,
      exclude: exclude === null ? filter.exclude : joinLists(filter.exclude, exclude),
    },
  };
}

function joinLists(first: NameList | null, second: NameList): NameList {
  return { value: [...(first?.value ?? []), ...second.value], origin: second.origin };
}
