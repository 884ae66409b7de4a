import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openInside } from "../../../../test/support/inside-session.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { defineTool } from "../../../core/tool/define-tool.ts";
import { ownSurroundings } from "../../../system/surroundings.ts";
import type { Store } from "../../store/store.ts";
import type { SessionOptions } from "../options/session-options.ts";
import { openStore } from "./stored-sessions.ts";

const write = defineTool("write", { description: "Writes a line", handler: () => "written" });
const erase = defineTool("erase", { description: "Erases a line", handler: () => "erased" });

function prepare() {
  const { base, project } = tempWorkspace();
  const around = { ...ownSurroundings(), env: { HOME: base } };
  const open = async (options: SessionOptions = {}) => {
    const asked: string[] = [];
    const { session, inside } = await openInside(
      {
        workspace: project,
        tools: [write, erase],
        builtins: ["store_memory", "recall_memory"],
        features: { memory: true },
        permissions: { hostTools: "ask", allow: ["store_memory", "recall_memory"] },
        onPermissionRequest: ({ toolName }) => {
          asked.push(toolName);
          return { decision: "allow", scope: toolName === "write" ? "project" : "user" };
        },
        ...options,
      },
      around,
    );
    onTestFinished(() => session.close());
    return { session, inside, asked };
  };
  return { base, project, open };
}

const remember = { subject: "tea", fact: "The user drinks Assam." };

async function memoryStore(): Promise<Store> {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  return store;
}

test("what older versions kept in files is taken over once, by the person whose files they are (S8)", async () => {
  const { base, project, open } = prepare();
  const older = await open();
  await older.session.call("write");
  await older.session.call("erase");
  await older.session.call("store_memory", remember);
  expect(older.asked).toEqual(["write", "erase"]);
  await older.session.close();
  const files = [join(project, ".toolcrib", "grants.json"), join(project, ".toolcrib", "memory.jsonl")];
  expect(files.map((file) => existsSync(file))).toEqual([true, true]);

  const store = await memoryStore();
  const first = await open({ store });
  await first.session.call("write");
  expect(await first.session.call("recall_memory", { query: "tea" })).toMatchObject({
    textResultForLlm: expect.stringContaining("Assam"),
  });
  await first.session.close();
  for (const file of [...files, join(base, ".config")]) rmSync(file, { recursive: true, force: true });

  const second = await open({ store });
  expect(await second.session.call("write")).toMatchObject({ resultType: "success" });
  expect(await second.session.call("erase")).toMatchObject({ resultType: "success" });
  expect(await second.session.call("recall_memory", { query: "tea" })).toMatchObject({
    textResultForLlm: expect.stringContaining("Assam"),
  });
  expect([...first.asked, ...second.asked]).toEqual([]);

  const other = await open({ store, tenant: "bob" });
  await other.session.call("write");
  expect(other.asked).toEqual(["write"]);
});

test("what is approved counts wherever it lies, and `toolcrib grants` shows and revokes all of it (S8)", async () => {
  const { base, project, open } = prepare();
  const filed = await open();
  await filed.session.call("erase");
  const env = { HOME: base, XDG_CONFIG_HOME: "", XDG_STATE_HOME: "" };
  const store = `sqlite:${join(base, "sessions.db")}`;
  const config = join(base, ".config", "toolcrib", "config.yaml");
  writeFileSync(config, `store: { url: "${store}" }\n`);
  const { session, asked } = await open({ store });
  await session.call("write");
  await session.call("erase");
  expect(asked).toEqual(["write"]);

  const grants = async (...argv: readonly string[]) => (await runCli(["grants", ...argv], { cwd: project, env })).out;
  const { grants: listed } = JSON.parse(await grants("--json"));
  expect(listed.map(({ tool }: { tool: string }) => tool).sort()).toEqual(["erase", "write"]);
  for (const { id } of listed) expect(await grants("revoke", id)).toContain("Revoked");
  expect(await grants()).toBe("No approvals are kept.\n");
  // A session that runs on hears of it, and so does the next one.
  const askedAgain = async () => {
    await session.call("write");
    return asked.length;
  };
  await expect.poll(askedAgain, { timeout: 30_000 }).toBe(2);
  await session.call("erase");
  expect(asked).toEqual(["write", "write", "erase"]);
});

test("approvals, memories and what searches led to are kept by person and project, and nothing in files (S8)", async () => {
  const { project, open } = prepare();
  const store = await memoryStore();
  const first = await open({ store, toolSearch: "on" });
  await first.session.call("write");
  await first.session.call("store_memory", remember);
  await first.session.call("tool_search", { query: "erases a line" });
  await first.session.call("erase");
  expect(first.asked).toEqual(["write", "erase"]);
  await first.session.close();
  expect(existsSync(join(project, ".toolcrib"))).toBe(false);
  expect(await store.keyValues({ name: "usage", person: "", project }).get("uses")).toMatchObject([{}]);

  const second = await open({ store });
  await second.session.call("write");
  expect(second.asked).toEqual([]);
  const { grants } = await second.inside.calls();
  const [project_] = grants.grants.filter(({ scope }) => scope === "project");
  expect(await grants.revoke(project_?.id ?? "")).toBe(true);
  await second.session.call("write");
  expect(second.asked).toEqual(["write"]);
});
