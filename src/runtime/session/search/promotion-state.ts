import type { Entry } from "../../../core/catalog/entry.ts";
import { DEFAULT_CONTEXT_WINDOW, NO_PROMOTIONS, type Promotions } from "../../../core/scene/scene.ts";
import { DEFAULT_TOOL_SEARCH } from "../../../core/scene/scene-settings.ts";
import { keepAbsent, promote, trimPromotions } from "../../../core/toolset/promotions.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";

/** The tools that searches loaded, as plain data that a program can store for a later session. */
export interface SavedPromotions {
  readonly catalogHash: string | null;
  readonly names: readonly string[];
  /** By name; a tool whose signature has changed is not loaded again. */
  readonly signatures: Readonly<Record<string, string>>;
}

/** Which tools searches of one session have loaded, and when each was last of use. */
export interface PromotionState {
  readonly now: Promotions;
  /** A search found these. */
  load(toolset: Toolset, found: readonly Entry[]): void;
  /** Others of the same session have loaded these; what is loaded here stays. */
  join(others: Promotions): void;
  /** A call of this name ended well. */
  touch(wireName: string): void;
  /** Between turns: over the budget, the least recently used go. */
  trim(toolset: Toolset): void;
}

export function createPromotionState(first: Promotions, onChange: (now: Promotions) => void): PromotionState {
  let now = first;
  let clock = 0;
  const lastUsed = new Map<string, number>();
  const take = (next: Promotions, { catalog }: Toolset): void => {
    const before = now;
    now = keepAbsent(next, catalog, before);
    for (const name of lastUsed.keys()) if (!now.signatures.has(name)) lastUsed.delete(name);
    if (!isSame(before, now)) onChange(now);
  };
  return {
    get now() {
      return now;
    },
    load(toolset, found) {
      clock += 1;
      take(promote(now, toolset.catalog, found), toolset);
      for (const { wireName } of found) lastUsed.set(wireName, clock);
    },
    join(others) {
      const known = new Set(now.names);
      const fresh = others.names.filter((name) => !known.has(name) && others.signatures.has(name));
      if (fresh.length === 0) return;
      // Under no catalog's hash, so that each counts for the very tool that was loaded.
      const names = [...now.names, ...fresh];
      now = { catalogHash: null, names, signatures: new Map([...others.signatures, ...now.signatures]) };
      onChange(now);
    },
    touch(wireName) {
      clock += 1;
      if (now.signatures.has(wireName)) lastUsed.set(wireName, clock);
    },
    trim(toolset) {
      if (now.names.length > 0)
        take(trimPromotions(now, toolset.catalog, { tokens: budgetOf(toolset), lastUsed }), toolset);
    },
  };
}

/** The same share of the window that definitions may take before they are deferred (D1). */
function budgetOf({ scene: { model, toolSearch } }: Toolset): number {
  const { value } = toolSearch;
  const percent = value.use === "auto" ? value.percent : DEFAULT_TOOL_SEARCH.percent;
  return ((model?.contextWindow ?? DEFAULT_CONTEXT_WINDOW) * percent) / 100;
}

function isSame(left: Promotions, right: Promotions): boolean {
  return left.catalogHash === right.catalogHash && left.names.join("\n") === right.names.join("\n");
}

export function toSaved({ catalogHash, names, signatures }: Promotions): SavedPromotions {
  return { catalogHash, names: [...names], signatures: Object.fromEntries(signatures) };
}

/** Reads stored data without trusting it: a name that is not text is left out, and one without a signature is soon unloaded. */
export function fromSaved(saved: SavedPromotions | null): Promotions {
  if (saved === null) return NO_PROMOTIONS;
  const { catalogHash, names, signatures } = saved;
  return {
    catalogHash: typeof catalogHash === "string" ? catalogHash : null,
    names: Array.isArray(names) ? names.filter((name) => typeof name === "string") : [],
    signatures: new Map(Object.entries(signatures ?? {}).filter(([, signature]) => typeof signature === "string")),
  };
}
