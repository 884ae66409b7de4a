/** A query with the tools that answer it. */
export interface LabelledQuery {
  readonly id: string;
  readonly query: string;
  /** Each group is found when any of its names is. */
  readonly groups: readonly (readonly string[])[];
}

export interface QueryScore {
  readonly recall: ReadonlyMap<number, number>;
  readonly ndcg: number;
  readonly reciprocalRank: number;
}

export const RECALL_DEPTHS = [1, 3, 5, 10] as const;
const NDCG_DEPTH = 10;

/** Where the wanted tools stand among the results; a group counts once, at its first member. */
export function scoreQuery(results: readonly string[], groups: readonly (readonly string[])[]): QueryScore {
  const ranks = groups.map((names) => results.findIndex((name) => names.includes(name)) + 1);
  const found = ranks.filter((rank) => rank > 0);
  const share = (depth: number): number => found.filter((rank) => rank <= depth).length / Math.max(1, groups.length);
  let gain = 0;
  for (const rank of new Set(found)) if (rank <= NDCG_DEPTH) gain += discount(rank);
  let ideal = 0;
  for (let rank = 1; rank <= Math.min(NDCG_DEPTH, groups.length); rank++) ideal += discount(rank);
  return {
    recall: new Map(RECALL_DEPTHS.map((depth) => [depth, share(depth)])),
    ndcg: ideal === 0 ? 0 : gain / ideal,
    reciprocalRank: found.length === 0 ? 0 : 1 / Math.min(...found),
  };
}

function discount(rank: number): number {
  return 1 / Math.log2(rank + 1);
}
