import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt, startCli } from "../support/built-cli.ts";
import { newMachine } from "../support/running-up.ts";

beforeAll(ensureBuilt, 120_000);

const GUIDE = new URL("../../docs/guides/put-it-in-front.md", import.meta.url);

test("toolcrib up prints what the guide shows, but for the folder, the port, the token and the log's own id", async () => {
  const [, shown = ""] = /```text\n\$ toolcrib up\n([\s\S]*?)```/.exec(readFileSync(GUIDE, "utf8")) ?? [];
  const { cwd, home, env } = newMachine();
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "toolcrib"), "#!/bin/sh\n", { mode: 0o755 });
  const PATH = `${bin}:${process.env.PATH}`;
  const child = startCli(["up", "--port", "0"], { cwd, env: { ...env, PATH } });
  const ended = once(child, "close");
  let out = "";
  for await (const text of child.stdout?.setEncoding("utf8") ?? []) {
    out += text;
    if (out.includes("Ctrl-C ends it.\n")) break;
  }
  child.kill("SIGINT");
  await ended;
  const [, token = "?"] = /Token {6}(\S+)/.exec(out) ?? [];
  const printed = out
    .slice(0, out.indexOf("Ctrl-C ends it.\n") + "Ctrl-C ends it.\n".length)
    .replaceAll(token, "TOKEN")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787")
    .replace(/is up for .*/, "is up for ~/project")
    .replace(/audit\/[^/]+\//, "audit/project-ID/");
  expect(printed).toBe(shown);
});
