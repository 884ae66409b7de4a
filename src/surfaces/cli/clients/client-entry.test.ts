import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { defaultOrigin } from "../../../core/codes/origin.ts";
import { toConnectLines } from "./client-entry.ts";

const policyOf = (value: "allow" | "deny") =>
  ({ policy: { connect: { value, origin: defaultOrigin } } }) as Parameters<typeof toConnectLines>[0]; // The rest is not read.

test("clients are shown the way in without a token, by the shortest name that works", () => {
  const { base } = tempWorkspace();
  mkdirSync(join(base, "node_modules", ".bin"), { recursive: true });
  writeFileSync(join(base, "node_modules", ".bin", "toolcrib"), "");
  const [claude, vscode, cursor] = toConnectLines(policyOf("allow"), "/nowhere", base) ?? [];
  expect(claude?.text).toBe("claude mcp add toolcrib -- npx --no-install toolcrib connect");
  expect(vscode).toMatchObject({ client: "VS Code", where: ".vscode/mcp.json" });
  const folder = ["--workspace", "${workspace" + "Folder}"];
  const args = ["--no-install", "toolcrib", "connect", ...folder];
  expect(JSON.parse(vscode?.text ?? "")).toEqual({ servers: { toolcrib: { type: "stdio", command: "npx", args } } });
  expect(JSON.parse(cursor?.text ?? "")).toEqual({ mcpServers: { toolcrib: { command: "npx", args } } });
});

test("where managed policy wants a token of every client there is no such way", () => {
  expect(toConnectLines(policyOf("deny"), "/nowhere", "/nowhere")).toBe(null);
});
