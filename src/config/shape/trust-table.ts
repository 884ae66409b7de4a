import { isLeaf, type Shape, type TrustMark } from "../../core/shape/shape.ts";
import { fileShape } from "./file-shape.ts";

/** What a file of an untrusted project may do with one setting. */
export interface TrustDecision {
  readonly path: string;
  /** Null if undecided, so it waits for trust. `policy` if only policy may set it. */
  readonly decision: "needed" | "for some values" | "only narrows" | "policy only" | null;
  /** Which values count before anybody trusts them, and why. */
  readonly atOnce: string | null;
}

/** Every setting down to its trust decision, in the order of the reference; what is below is decided with it. */
export function listDecisions(shape: Shape = fileShape, path = ""): readonly TrustDecision[] {
  if (shape.policyOnly === true) return [{ path, decision: "policy only", atOnce: null }];
  if (shape.trust !== undefined) return [{ path, decision: wordFor(shape.trust), atOnce: shape.trust.atOnce ?? null }];
  if (isLeaf(shape)) return [{ path, decision: null, atOnce: null }];
  switch (shape.kind) {
    case "record":
      return Object.entries(shape.fields).flatMap(([key, field]) =>
        listDecisions(field, path === "" ? key : `${path}.${key}`),
      );
    case "list":
      return listDecisions(shape.of, `${path}[]`);
    case "map":
      return listDecisions(shape.of, `${path}.<name>`);
    case "either":
      return shape.options.flatMap((option) => listDecisions(option, path));
    default:
      return [];
  }
}

/** What counts of an untrusted project, as Markdown: everything else waits. */
export function toAtOnceTable(): string {
  const rows = listDecisions().flatMap(({ path, atOnce }) => (atOnce === null ? [] : [`| \`${path}\` | ${atOnce} |`]));
  return ["| key | what counts without trust |", "|---|---|", ...rows].join("\n");
}

export function wordFor(mark: TrustMark): "needed" | "for some values" | "only narrows" {
  if ("narrows" in mark) return "only narrows";
  return mark.atOnce === undefined ? "needed" : "for some values";
}
