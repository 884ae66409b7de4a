import { type ConfigNode, isEmpty, isNull, nodeAt, type Scalar, toCanonicalText } from "./node.ts";
import { entriesAt, itemsAt, readText } from "./read-node.ts";
import type { IsStricter, Own } from "./shape.ts";

/** For lists that only remove more as they grow. */
export const TAKES_AWAY = { narrows: true, atOnce: "all of it: it only takes away" } as const;

export function isOneOf(...values: readonly Scalar[]): (node: ConfigNode) => boolean {
  return (node) => node.kind === "scalar" && values.includes(node.value);
}

export function isNoneOf(...values: readonly Scalar[]): (node: ConfigNode) => boolean {
  return (node) => !isOneOf(...values)(node);
}

/** For values that each remove at least as much as the following ones. */
export function strictestFirst(...values: readonly Scalar[]): IsStricter {
  return (value, than) => values.includes(value) && values.indexOf(value) < values.indexOf(than);
}

/** Compared with the default it only narrows; compared with what a person set it may not. */
export function replacesOwn(node: ConfigNode, { here }: Own): boolean {
  return here !== undefined && toCanonicalText(here) !== toCanonicalText(node);
}

/** Modes that ask less than the default mode. */
const LOOSE = ["accept-edits", "bypass", "autopilot"];
const isLoose = isOneOf(...LOOSE);

/** Each of the two strict modes allows something that the other does not, so neither replaces the other. */
export const isStricterMode: IsStricter = (value, than) => {
  const order = [["plan", "dont-ask"], ["default"], ["accept-edits", "autopilot"], ["bypass"]];
  const rank = (mode: Scalar) => order.findIndex((modes) => modes.includes(String(mode)));
  return rank(value) !== -1 && rank(value) < rank(than);
};

/** A mode that asks less than the default, or differs from the strict one a person chose. */
export function easesMode(node: ConfigNode, own: Own): boolean {
  if (isLoose(node)) return true;
  return replacesOwn(node, own) && own.here !== undefined && isNoneOf("default", ...LOOSE)(own.here);
}

/**
 * An include list replaces a person's own, and what it names returns in spite of patterns, of the default agent's
 * exclusions and of marks (F2, A2). If a person has none of these it only narrows.
 */
export function liftsOwn(node: ConfigNode, own: Own): boolean {
  const { root } = own;
  const lists = [nodeAt(root, "excludeTools"), nodeAt(root, "defaultAgent", "excludedTools")];
  const tools = [...itemsAt(root, "tools"), ...entriesAt(root, "toolOverrides").map(([, override]) => override)];
  return replacesOwn(node, own) || lists.some(saysSomething) || tools.some((one) => !isNull(nodeAt(one, "internal")));
}

/** Skills that a person's own agent activates: without them, what they restrict would be free. */
export function frees(node: ConfigNode, { root }: Own): boolean {
  const wanted = itemsAt(root, "agents").flatMap((agent) => itemsAt(agent, "skills").map(readText));
  return itemsAt(node).some((skill) => wanted.some((other) => other?.value === readText(skill)?.value));
}

/** A set under a name or identifier that a person's own lists, rules or sets use. */
export function takesOwnName(node: ConfigNode, { root, key }: Own): boolean {
  const taken = namesIn(root);
  const id = readText(nodeAt(node, "id"))?.value ?? `toolset:${key}`;
  return [...taken].some((name) => name === key || name === id || name.startsWith(`${key}/`));
}

/** Everything that could name a tool or a set: list items, keys of maps that people fill, and rules. */
function namesIn(root: ConfigNode | undefined): ReadonlySet<string> {
  const names = new Set(
    ["toolsets", "toolOverrides", "mcpServers", "openapi"].flatMap((map) => entriesAt(root, map).map(first)),
  );
  const collect = (node: ConfigNode, isName: boolean): void => {
    if (node.kind === "list") for (const item of node.items) collect(item, true);
    if (node.kind === "map") for (const [key, value] of node.entries) collect(value, NAMING.has(key));
    if (node.kind === "scalar" && isName) names.add(String(node.value).replace(/\(.*$/s, "").trim());
  };
  if (root !== undefined) collect(root, false);
  return names;
}

const NAMING: ReadonlySet<string> = new Set(["rule", "if", "matcher"]);

function first([key]: readonly [string, unknown]): string {
  return key;
}

function saysSomething(node: ConfigNode | undefined): boolean {
  return node !== undefined && !isNull(node) && !isEmpty(node);
}
