import type { ResolvedList } from "../catalog/resolve-list.ts";

export interface ResolvedLimit {
  /** The owner, in words. */
  readonly whose: string;
  /** Why it counts here, and what to change instead of its lists; null if its lists say it all. */
  readonly because: string | null;
  readonly fix: string | null;
  /** Its include list holds an agent's own tools, which still leaves the tool that ends the current mode. */
  readonly keepsSupport: boolean;
  readonly include: ResolvedList | null;
  readonly exclude: ResolvedList;
}

/** Every list of a scene, resolved against one catalog, so that a gate needs nothing else. */
export interface SceneLists {
  readonly include: ResolvedList | null;
  readonly exclude: ResolvedList;
  readonly agentTools: ResolvedList | null;
  readonly disallowed: ResolvedList;
  /** The tools of which the agent may not make some calls. */
  readonly disallowedPatterns: ResolvedList;
  readonly defaultExcluded: ResolvedList;
  readonly deniedTools: ResolvedList;
  /** The deny rules that cover every call of a tool. */
  readonly deny: ResolvedList;
  /** The deny rules about some calls: they hide nothing, but one that names no tool protects nothing. */
  readonly denyPatterns: ResolvedList;
  /** The union over active skills; null if none of them declares any. */
  readonly skills: ResolvedList | null;
  readonly limits: readonly ResolvedLimit[];
  readonly serverTools: ReadonlyMap<string, ResolvedList>;
}
