import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Mode } from "../../core/scene/scene.ts";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createSession } from "../session/library.ts";
import type { Session } from "../session/public-session.ts";

let workspace = "";
let session: Session | null = null;

beforeEach(async () => {
  workspace = await realpath(await mkdtemp(join(tmpdir(), "toolcrib-modes-")));
  await writeFile(join(workspace, "a.txt"), "hello\n");
  await mkdir(join(workspace, ".git"));
});
afterEach(async () => {
  await session?.close();
  await rm(workspace, { recursive: true });
});

const parameters = { type: "object", properties: {} } as const;
const TOOLS = [
  defineTool("changes", { description: "Changes something", parameters, handler: async () => "done" }),
  defineTool("looks", {
    description: "Only looks",
    parameters,
    traits: { readOnly: true },
    handler: async () => "seen",
  }),
];
const RULES = { deny: ["Write(secret.txt)", "Bash(rm:*)"], ask: ["Write(asked.txt)"], allow: ["Write(allowed.txt)"] };

const file = (path: string) => ["create", { path, content: "x" }] as const;
const CALLS = {
  "reads a file": ["view", { path: "a.txt" }],
  "reads outside": ["view", { path: "/etc/hostname" }],
  "writes a file": file("n.txt"),
  "writes what later runs trust": file(".git/hooks/pre-commit"),
  "writes outside": file(join(tmpdir(), "modes-outside.txt")),
  "writes what a rule allows": file("allowed.txt"),
  "writes what a rule asks about": file("asked.txt"),
  "writes what a rule denies": file("secret.txt"),
  "runs a tool that changes": ["changes", {}],
  "runs a tool that looks": ["looks", {}],
  "runs a command that reads": ["bash", { command: "cat a.txt" }],
  "runs a command that edits": ["bash", { command: "touch made.txt" }],
  "runs another command": ["bash", { command: "expr 1 + 1" }],
  "runs a denied command": ["bash", { command: "cat a.txt; rm a.txt" }],
} as const satisfies Record<string, readonly [string, object]>;
type CallName = keyof typeof CALLS;
type Fate = "ran" | "asked" | "denied" | "hidden";

/** What becomes of each call in a mode, where a person says no to everything. */
async function fates(mode: Mode): Promise<Record<CallName, Fate>> {
  let asked = 0;
  session = await createSession({
    builtins: "all",
    workspace,
    mode,
    tools: TOOLS,
    permissions: RULES,
    sandbox: { allowHostShell: true },
    onPermissionRequest: () => {
      asked += 1;
      return { decision: "deny" };
    },
  });
  const found: [string, Fate][] = [];
  for (const [name, [tool, args]] of Object.entries(CALLS)) {
    const before = asked;
    const { standing } = session.toolset.placements.find(({ entry }) => entry.wireName === tool) ?? {};
    const { resultType } = await session.call(tool, args);
    const fate =
      standing === "hidden" ? "hidden" : asked > before ? "asked" : resultType === "denied" ? "denied" : "ran";
    found.push([name, fate]);
  }
  // Every call of the table is there.
  return Object.fromEntries(found) as Record<CallName, Fate>;
}

/** What a mode changes, beside `default`. */
const DEFAULT: Record<CallName, Fate> = {
  "reads a file": "ran",
  "reads outside": "asked",
  "writes a file": "asked",
  "writes what later runs trust": "asked",
  "writes outside": "asked",
  "writes what a rule allows": "ran",
  "writes what a rule asks about": "asked",
  "writes what a rule denies": "denied",
  "runs a tool that changes": "asked",
  "runs a tool that looks": "ran",
  "runs a command that reads": "ran",
  "runs a command that edits": "asked",
  "runs another command": "asked",
  "runs a denied command": "denied",
};

const CHANGES: Readonly<Record<Mode, Partial<Record<CallName, Fate>>>> = {
  default: {},
  autopilot: {},
  "accept-edits": { "writes a file": "ran", "runs a command that edits": "ran" },
  plan: {
    "writes a file": "hidden",
    "writes what later runs trust": "hidden",
    "writes outside": "hidden",
    "writes what a rule allows": "hidden",
    "writes what a rule asks about": "hidden",
    "writes what a rule denies": "hidden",
    "runs a tool that changes": "hidden",
    "runs a command that reads": "hidden",
    "runs a command that edits": "hidden",
    "runs another command": "hidden",
    "runs a denied command": "hidden",
  },
  "dont-ask": {
    "reads outside": "denied",
    "writes a file": "denied",
    "writes what later runs trust": "denied",
    "writes outside": "denied",
    "writes what a rule asks about": "denied",
    "runs a tool that changes": "denied",
    "runs a command that edits": "denied",
    "runs another command": "denied",
  },
  bypass: {
    "reads outside": "ran",
    "writes a file": "ran",
    "writes outside": "ran",
    "runs a tool that changes": "ran",
    "runs a command that edits": "ran",
    "runs another command": "ran",
  },
};

describe("what runs, what is asked and what is denied", () => {
  test.each(Object.entries(CHANGES))("in mode %s", async (mode, changes) => {
    // The keys of the table are modes.
    expect(await fates(mode as Mode)).toEqual({ ...DEFAULT, ...changes });
    expect([existsSync(join(workspace, "secret.txt")), existsSync(join(workspace, "a.txt"))]).toEqual([false, true]);
  });
});

test("each mode has its own way out: exit_plan_mode while planning, task_complete on autopilot", async () => {
  const standings = async (mode: Mode) => {
    session = await createSession({ workspace, builtins: "all", mode });
    const of = (name: string) => session?.toolset.placements.find(({ entry }) => entry.wireName === name)?.standing;
    const found = [of("exit_plan_mode"), of("task_complete")];
    await session.close();
    return found;
  };
  expect(await standings("plan")).toEqual(["visible", "hidden"]);
  expect(await standings("autopilot")).toEqual(["hidden", "visible"]);
  expect(await standings("default")).toEqual(["hidden", "hidden"]);
});

test("the mode may change between two calls, and counts for the next one", async () => {
  session = await createSession({ workspace, builtins: "all", mode: "dont-ask" });
  const call = async (path: string) => (await session?.call("create", { path, content: "x" }))?.resultType;
  expect(await call("1.txt")).toBe("denied");
  await session.updateOptions({ mode: "accept-edits" });
  expect(await call("2.txt")).toBe("success");
  await session.updateOptions({ mode: "dont-ask" });
  expect(await call("3.txt")).toBe("denied");
});
