import { expect, test } from "vitest";
import { createWorkspace } from "../../../test/support/config-workspace.ts";
import { toScene } from "../../config/to-scene.ts";
import { toTool } from "../../core/tool/tool.ts";
import type { AuditRow } from "../audit/audit-row.ts";
import { openGrants } from "../permissions/grant-store.ts";
import { rehearse } from "./rehearse.ts";

test("others go on while a long log is rehearsed (O17)", async () => {
  const place = createWorkspace();
  place.write("user", JSON.stringify({ permissions: { allow: ["crm/*"] } }));
  const config = await place.load();
  const { cwd, home } = place;
  const tool = toTool({ name: "find", source: "mcp", server: "crm", inputSchema: { type: "object" } });
  const rows = Array.from({ length: 20_000 }, (_, seq) => toRow(seq));
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const report = await rehearse({
    ...{ now: config, next: config },
    place: {
      ...{ base: toScene(config), workspace: cwd, home, path: "", now: Date.now },
      grants: await openGrants({ home, env: {}, workspace: cwd }),
    },
    lists: new Map([["h", { hash: "h", tools: [tool], names: new Map([["crm__find", "crm/find"]]), used: 1 }]]),
    rows: (async function* () {
      const before = turns;
      yield { rows, bodies: new Map() };
      // It has judged them all by now.
      expect(turns - before).toBeGreaterThan(2);
    })(),
    signal: new AbortController().signal,
  });
  isOver = true;
  expect(report.judged).toBe(rows.length);
});

function toRow(seq: number): AuditRow {
  const at = { seq, time: new Date(seq).toISOString(), type: "call" };
  return {
    ...at,
    tool: "crm/find",
    arguments: { seq },
    client: "c",
    judged: { policy: "p", list: "h" },
  } as unknown as AuditRow; // As the log has it.
}
