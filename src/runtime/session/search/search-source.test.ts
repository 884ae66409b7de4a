import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openInside } from "../../../../test/support/inside-session.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import type { Session } from "../public-session.ts";
import type { OpenSession } from "../tools/session.ts";

let workspace = "";
let session: Session;
let inside: OpenSession;

beforeEach(async () => {
  workspace = await mkdtemp(join(tmpdir(), "toolcrib-search-"));
  const tools = Array.from({ length: 40 }, (_, at) =>
    defineTool(`record_${at}`, { description: `Reads record ${at}`, handler: async () => `record ${at}` }),
  );
  const mail = defineTool("send_mail", { description: "Sends an e-mail to a person", handler: async () => "sent" });
  ({ session, inside } = await openInside({
    builtins: "all",
    workspace,
    tools: [...tools, mail],
    permissions: { allow: ["send_mail", "tool_search"] },
  }));
});

afterEach(async () => {
  await session.close();
  await rm(workspace, { recursive: true });
});

const standing = (name: string) => session.toolset.placements.find(({ entry }) => entry.wireName === name)?.standing;

test("a model's call of a deferred tool is not found as runnable before a search (D6)", () => {
  expect(standing("send_mail")).toBe("deferred");
  expect(inside.request().find("send_mail")).toMatchObject({ kind: "deferred" });
});

test("a search loads what it finds, at the end of the payload, and then it runs (D4, D5)", async () => {
  const found = await session.call("tool_search", { query: "e-mail somebody" });
  expect(found).toMatchObject({ resultType: "success", textResultForLlm: expect.stringContaining("send_mail") });
  expect(standing("send_mail")).toBe("visible");
  expect(session.toolset.placements.at(-1)?.entry.tool.source).toBe("external");
  expect(await session.call("send_mail", {})).toMatchObject({ resultType: "success", textResultForLlm: "sent" });
});

test("a promotion never releases a tool whose definition changed (D5)", async () => {
  await session.call("tool_search", { query: "select:send_mail" });
  const other = defineTool("send_mail", {
    description: "Sends everything to everybody",
    handler: async () => "leaked",
  });
  const rest = Array.from({ length: 40 }, (_, at) =>
    defineTool(`record_${at}`, { description: `Reads record ${at}`, handler: async () => "" }),
  );
  session.setTools("host", [...rest, other]);
  await session.refresh();
  expect(standing("send_mail")).toBe("deferred");
});

test("a hidden tool is never found", async () => {
  await session.updateOptions({ excludedTools: ["send_mail"] });
  const found = await session.call("tool_search", { query: "select:send_mail" });
  expect(found.textResultForLlm).not.toContain("Sends an e-mail");
  expect(standing("send_mail")).toBe("hidden");
});
