import { invalidParams, type Params, type ProtocolAnswer } from "./json-rpc.ts";

const PAGE = 1_000;

/** One page of a merged list. Cursors are positions: a list that changes in between is reported as changed. */
export function toListPage(field: string, items: readonly Params[], cursor: unknown): ProtocolAnswer {
  const from = cursor === undefined ? 0 : readCursor(cursor);
  if (from === null || (from > 0 && from >= items.length)) return invalidParams("the cursor is not one of this list");
  const next = from + PAGE;
  return {
    kind: "result",
    result: {
      [field]: from === 0 && next >= items.length ? items : items.slice(from, next),
      ...(next < items.length ? { nextCursor: `at-${next}` } : {}),
    },
  };
}

function readCursor(cursor: unknown): number | null {
  const at = typeof cursor === "string" ? /^at-([1-9]\d{0,8})$/.exec(cursor)?.[1] : undefined;
  return at === undefined ? null : Number(at);
}
