import { CODE_NAME } from "../../catalog/code-tool.ts";
import type { Entry } from "../../catalog/entry.ts";
import { SEARCH_NAME } from "../../catalog/search-tool.ts";
import { joinName } from "../../catalog/wire-name.ts";
import type { Notice } from "../../codes/reason.ts";
import { toToolText } from "../../search/search-text.ts";
import { isBuiltin, isServed, type Tool } from "../../tool/tool.ts";
import { findBehind } from "../../toolset/loadable.ts";
import type { Placement, Toolset } from "../../toolset/toolset.ts";
import type { DialectLimits } from "../limits/limits.ts";
import type { SchemaRules } from "../limits/schema-rules.ts";
import { createNames, type NameEntry, type Names, nameFor } from "./names.ts";
import { type ObjectSchema, type Shaped, shapeSchema } from "./shape-schema.ts";

export type DeferralForm = "none" | "names" | "native";

export interface PayloadOptions {
  /** Overrides the model's `toolSearch` capability: `names` if a proxy drops the native form. */
  readonly deferral?: "native" | "names";
  /**
   * How the native form sends loaded tools: as the history loads them (default), inline where it is gone, or, where part
   * of it is gone, inline except for those with these wire names, which the rest still loads.
   */
  readonly promoted?: "history" | "inline" | ReadonlySet<string>;
  /** Marks tools as strict if the provider can guarantee their schemas, within its limits. */
  readonly strict?: boolean;
}

/** One tool as a dialect sends it. */
export interface Advertised extends NameEntry {
  readonly tool: Tool;
  readonly description: string;
  readonly schema: ObjectSchema;
  readonly strict: boolean;
  /** Its schema stays out of the context until a search loads it. */
  readonly deferred: boolean;
}

export interface Advertisement {
  /** Sent inline, in payload order: built-ins, the rest, `tool_search`, promoted tools. */
  readonly shown: readonly Advertised[];
  /** What a search can load, in catalog order; with the native form, also what it has loaded already. */
  readonly deferred: readonly Advertised[];
  /** Their names, which the prompt lists. */
  readonly listed: ReadonlySet<string>;
  /** How many of `shown` are built-ins: the prefix that caches may keep. */
  readonly boundary: number;
  readonly deferral: DeferralForm;
  readonly names: Names;
  readonly notices: readonly Notice[];
}

/** Decides how each tool of a toolset is sent within a provider's limits. Cached, because a toolset is immutable. */
export function advertise(toolset: Toolset, limits: DialectLimits, options: PayloadOptions = {}): Advertisement {
  const { deferral, promoted, strict } = options;
  const earlier = advertised.get(toolset);
  const key = `${deferral} ${typeof promoted === "object" ? [...promoted].join() : promoted} ${strict}`;
  if (earlier?.limits === limits && earlier.key === key) return earlier.made;
  const made = decide(toolset, limits, options);
  advertised.set(toolset, { limits, key, made });
  return made;
}

/** The last result for each toolset. */
const advertised = new WeakMap<
  Toolset,
  { readonly limits: DialectLimits; readonly key: string; readonly made: Advertisement }
>();

function decide(toolset: Toolset, limits: DialectLimits, options: PayloadOptions): Advertisement {
  const permitted = toolset.placements.filter(({ standing }) => standing !== "hidden");
  const deferral = chooseDeferral(toolset, limits, options);
  const loaded = new Set(deferral === "native" ? findBehind(toolset).loaded.filter(isInHistory(options)) : []);

  const taken = new Set(permitted.map(({ entry }) => entry.wireName));
  const strict = createStrictBudget(limits, options);
  const all = permitted.map((placement): Advertised => {
    const { entry, standing } = placement;
    const deferred = standing === "deferred" || loaded.has(placement);
    const given = toToolText(toolset, entry);
    const shaped = strict(entry.tool) ?? { ...shapeOnce(entry.tool, limits.schema), strict: false };
    const { namespace, name } = toProviderName(entry, limits, taken, deferral === "native" && deferred);
    return {
      wireName: entry.wireName,
      name,
      namespace,
      restore: shaped.restore,
      tool: entry.tool,
      strict: shaped.strict,
      deferred,
      ...describe(given, shaped, limits.maxDescription),
    };
  });
  const shown = all.filter(({ deferred }) => !deferred);
  const rank = new Map(toolset.catalog.entries.map(({ tool }, at) => [tool, at]));
  const deferred = all
    .filter((one) => one.deferred)
    .sort((left, right) => (rank.get(left.tool) ?? 0) - (rank.get(right.tool) ?? 0));
  const boundary = shown.findIndex(({ tool, wireName }) => !isBuiltin(tool) || FINDERS.includes(wireName));
  return {
    shown,
    deferred,
    listed: new Set(deferred.map(({ wireName }) => wireName)),
    boundary: boundary < 0 ? shown.length : boundary,
    deferral,
    names: createNames(all),
    notices: noticeLimit(shown, limits, toolset),
  };
}

/** Their descriptions change with the servers. */
const FINDERS: readonly string[] = [SEARCH_NAME, CODE_NAME];

/** Nothing is dropped here, where no search could find it; a notice names the remedy. */
function noticeLimit(shown: readonly Advertised[], { maxTools }: DialectLimits, { scene }: Toolset): readonly Notice[] {
  if (maxTools === null || shown.length <= maxTools) return [];
  const model = scene.model?.id ?? "MODEL";
  return [
    {
      level: "warning",
      code: "dialect.too-many-tools",
      text: `${shown.length} tools are sent and the provider takes ${maxTools}: set models["${model}"].maxTools to ${maxTools}, or exclude some`,
      names: shown.slice(maxTools).map(({ wireName }) => wireName),
      origin: scene.model?.origin ?? scene.toolSearch.origin,
    },
  ];
}

function isInHistory({ promoted = "history" }: PayloadOptions): (placement: Placement) => boolean {
  if (typeof promoted === "string") return () => promoted === "history";
  return ({ entry }) => promoted.has(entry.wireName);
}

function chooseDeferral(toolset: Toolset, { deferral }: DialectLimits, options: PayloadOptions): DeferralForm {
  const { deferred, loaded, searchable } = findBehind(toolset);
  if (!searchable || deferred.length + loaded.length === 0) return "none";
  const { model } = toolset.scene;
  const able = model === null || model.capabilities.get("toolSearch") === "native";
  return deferral.native !== null && (options.deferral ?? (able ? "native" : "names")) === "native"
    ? "native"
    : "names";
}

/** A namespace is the prefix of a server's tools, so namespace and name together always give the wire name. */
function toProviderName(
  { tool, wireName, claim }: Entry,
  { names, deferral }: DialectLimits,
  taken: Set<string>,
  isLoadable: boolean,
): { readonly name: string; readonly namespace: string | null } {
  if (isLoadable && deferral.native === "definition" && isServed(tool) && tool.server !== null) {
    const prefix = joinName(tool.server, "", claim.style);
    const namespace = prefix.replace(/[_-]+$/, "");
    const name = wireName.slice(prefix.length);
    if (wireName.startsWith(prefix) && names.pattern.test(namespace) && name !== "") return { name, namespace };
  }
  return { name: nameFor(wireName, names, taken), namespace: null };
}

/** Accepts strict tools in payload order within the provider's totals: later tools never change earlier ones. */
function createStrictBudget(
  { strict }: DialectLimits,
  options: PayloadOptions,
): (tool: Tool) => (Shaped & { readonly strict: true }) | null {
  let [tools, optional, unions] = [0, 0, 0];
  return (tool) => {
    if (strict === null || options.strict !== true) return null;
    const shaped = shapeOnce(tool, strict.schema);
    const fits =
      shaped.fits &&
      tools < (strict.maxTools ?? Number.POSITIVE_INFINITY) &&
      optional + shaped.optional <= (strict.maxOptional ?? Number.POSITIVE_INFINITY) &&
      unions + shaped.unions <= (strict.maxUnions ?? Number.POSITIVE_INFINITY);
    if (!fits) return null;
    tools += 1;
    optional += shaped.optional;
    unions += shaped.unions;
    return { ...shaped, strict: true };
  };
}

/** Tools are immutable, so a schema is shaped once per set of rules, not once per request. */
const shapedByRules = new WeakMap<SchemaRules, WeakMap<Tool, Shaped>>();

function shapeOnce(tool: Tool, rules: SchemaRules): Shaped {
  let known = shapedByRules.get(rules);
  if (known === undefined) {
    known = new WeakMap();
    shapedByRules.set(rules, known);
  }
  let shaped = known.get(tool);
  if (shaped === undefined) {
    shaped = shapeSchema(tool.inputSchema, rules);
    known.set(tool, shaped);
  }
  return shaped;
}

/** What does not fit into the description moves to the schema's description, so that nothing is lost. */
function describe(
  given: string,
  { schema, note }: Shaped,
  max: number | null,
): Pick<Advertised, "description" | "schema"> {
  const description = [given, note].filter((text) => text !== null && text !== "").join("\n");
  if (max === null || description.length <= max) return { description, schema };
  const head = `${description.slice(0, max - 1)}…`;
  const rest = [`…${description.slice(max - 1)}`, schema.description].filter((text) => typeof text === "string");
  return { description: head, schema: { ...schema, description: rest.join("\n") } };
}
