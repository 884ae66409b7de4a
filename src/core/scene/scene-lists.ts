import type { ResolvedList } from "../catalog/resolve-list.ts";

export interface ResolvedLimit {
  /** Whose it is, in words. */
  readonly whose: string;
  /** Its include list is one of an agent's own tools, which leaves the way out of the mode it runs in. */
  readonly keepsSupport: boolean;
  readonly include: ResolvedList | null;
  readonly exclude: ResolvedList;
}

/** Every list of a scene, read against one catalog, so that a gate needs nothing else. */
export interface SceneLists {
  readonly include: ResolvedList | null;
  readonly exclude: ResolvedList;
  readonly agentTools: ResolvedList | null;
  readonly disallowed: ResolvedList;
  readonly defaultExcluded: ResolvedList;
  readonly deniedTools: ResolvedList;
  /** The deny rules that are about every call of a tool. */
  readonly deny: ResolvedList;
  /** The deny rules about some calls: they hide nothing, but one that names nothing protects nobody. */
  readonly denyPatterns: ResolvedList;
  /** The union over active skills; null while no active skill declares anything. */
  readonly skills: ResolvedList | null;
  readonly limits: readonly ResolvedLimit[];
  readonly serverTools: ReadonlyMap<string, ResolvedList>;
}
