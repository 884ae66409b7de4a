import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../../../test/support/built-cli.ts";
import { createWorkspace } from "../../../../test/support/config-workspace.ts";
import { runCli } from "../../../../test/support/run-cli.ts";
import { HOOK_CLIENTS, type HookClientName } from "../../guard/hook-clients.ts";

/** What the real clients told their hook about one call of each kind; `scripts/real-clients.mjs --record` writes it. */
const FOLDER = join(ROOT, "test", "fixtures", "guard");

const DENIED: Readonly<Record<string, string>> = {
  bash: "Bash(touch:*)",
  "bash in a folder": "Bash(touch:*)",
  watched: "Bash(touch:*)",
  search: "Read(notes.txt)",
  "search of gpt-5.5": "Read(notes.txt)",
  "create of gpt-5.5": "Write(new.txt)",
  create: "Write(new.txt)",
  view: "Read(notes.txt)",
  edit: "Edit(notes.txt)",
  web: "WebFetch(domain:example.com)",
  agent: "task",
  "bash of a subagent": "Bash(make:*)",
};

const EVENTS = readdirSync(FOLDER).flatMap((file) => {
  const recorded: Readonly<Record<string, object>> = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
  const client = basename(file, ".json") as HookClientName; // The script names the files after them.
  return Object.entries(recorded).map(([kind, event]) => ({ client, kind, text: JSON.stringify(event) }));
});

async function ask(client: string, text: string, rules: string) {
  const { cwd, home } = createWorkspace({ user: `permissions:\n${rules}`, "sub/notes.txt": "" });
  const stdin = text.replaceAll('"/workspace', `"${cwd}`);
  return runCli(["hook", client], { cwd, env: { HOME: home }, stdin });
}

describe("an event as the real client wrote it", () => {
  const judged = EVENTS.filter(({ kind }) => DENIED[kind] !== undefined);

  test.each(judged)("is denied by the rule about it: $client, $kind", async ({ client, kind, text }) => {
    const { status, out } = await ask(client, text, `  deny: [${JSON.stringify(DENIED[kind])}]\n`);
    expect(status).toBe(0);
    expect(out).toContain("config.yaml:2");
    expect(out).toContain(JSON.stringify(`is denied by the rule ${DENIED[kind]}`).slice(1, -1));
  });

  test.each(EVENTS)("passes where no rule is about it: $client, $kind", async ({ client, text }) => {
    expect(await ask(client, text, "  allow: []\n")).toEqual({ status: 0, out: "", err: "" });
  });

  test("is there for each client that was tried", () => {
    const tried = [...new Set(EVENTS.map(({ client }) => client))];
    expect(Object.keys(HOOK_CLIENTS)).toEqual(expect.arrayContaining(tried));
    expect(tried).toHaveLength(6);
  });
});
