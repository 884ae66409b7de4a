import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { defineTool } from "../../core/tool/define-tool.ts";
import { createScriptedModel } from "../models/scripted-model.ts";
import { createSession } from "../session/library.ts";
import type { SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/public-session.ts";
import type { PermissionAnswer } from "./permission-request.ts";

const ran: unknown[] = [];
const send = defineTool("send", {
  description: "Sends something",
  parameters: { type: "object", properties: { to: { type: "string" } } },
  handler: (args) => {
    ran.push(args);
    return "sent";
  },
});
const YES: PermissionAnswer = { decision: "allow" };

/** A session whose person says yes to the first call after `meanwhile`. */
async function open(
  options: SessionOptions,
  meanwhile: (session: Session) => unknown,
  answer: PermissionAnswer = YES,
): Promise<Session> {
  ran.length = 0;
  const session: Session = await createSession({
    ...{ workspace: null, ...options },
    async onPermissionRequest() {
      await meanwhile(session);
      return answer;
    },
  });
  onTestFinished(() => session.close());
  return session;
}

test("a yes to a command does not count for another file than the one its link led to", async () => {
  const { project } = tempWorkspace({ "public.txt": "what was asked about", "hidden/key.txt": "s3cr3t" });
  const link = join(project, "link.txt");
  symlinkSync(join(project, "public.txt"), link);
  const session = await open(
    {
      ...{ workspace: project, builtins: ["bash"], sandbox: { shell: "off", allowHostShell: true } },
      permissions: { ask: ["Bash(cat *)"], deny: ["Read(hidden/**)"] },
    } as SessionOptions, // As a file says it.
    () => {
      rmSync(link);
      symlinkSync(join(project, "hidden/key.txt"), link);
    },
  );
  const { resultType, textResultForLlm } = await session.call("bash", { command: "cat link.txt" });
  expect(textResultForLlm).not.toContain("s3cr3t");
  expect(resultType).toBe("denied");
});

test("nor for another place that no rule denies", async () => {
  const { project } = tempWorkspace({ "public.txt": "what was asked about", "other.txt": "another" });
  const link = join(project, "link.txt");
  symlinkSync(join(project, "public.txt"), link);
  const session = await open(
    {
      ...{ workspace: project, builtins: ["bash"], sandbox: { shell: "off", allowHostShell: true } },
      permissions: { ask: ["Read(public.txt)", "Read(other.txt)"] },
    } as SessionOptions, // As a file says it.
    () => {
      rmSync(link);
      symlinkSync(join(project, "other.txt"), link);
    },
  );
  const { resultType, textResultForLlm } = await session.call("bash", { command: "cat link.txt" });
  expect([resultType, textResultForLlm]).toEqual([
    "denied",
    expect.stringContaining("what it names or leads to changed while the call waited"),
  ]);
});

test("a yes counts where only what a file holds has changed", async () => {
  const { project } = tempWorkspace({ "public.txt": "before" });
  const session = await open(
    {
      ...{ workspace: project, builtins: ["bash"], sandbox: { shell: "off", allowHostShell: true } },
      permissions: { ask: ["Bash(cat *)"] },
    } as SessionOptions, // As a file says it.
    () => writeFileSync(join(project, "public.txt"), "after"),
  );
  expect(await session.call("bash", { command: "cat public.txt" })).toMatchObject({ resultType: "success" });
});

const OTHER_INPUT: PermissionAnswer = { decision: "allow", updatedInput: { to: "bob" } };
const ASKED: SessionOptions = { tools: [send], permissions: { ask: ["send"] } };

test("a yes to other input is taken back by the same changes", async () => {
  const session = await open(
    { ...ASKED, permissions: { allow: ["send(to=bob)"], ask: ["send(to=alice)"] } },
    (session) => session.updateOptions({ hooks: { onPreToolUse: () => ({}) } }),
    OTHER_INPUT,
  );
  const { resultType, textResultForLlm } = await session.call("send", { to: "alice" });
  expect([resultType, textResultForLlm, ran]).toEqual([
    "denied",
    expect.stringContaining("the hooks that decide about it changed while the call waited"),
    [],
  ]);
});

test("a yes to other input counts after changes that are not about it", async () => {
  const session = await open(
    { ...ASKED, permissions: { allow: ["send(to=bob)"], ask: ["send(to=alice)"] } },
    (session) => session.updateOptions({ excludedTools: ["nothing"] }),
    OTHER_INPUT,
  );
  const told: string[] = [];
  session.on("permission.completed", ({ code }) => told.push(code));
  expect(await session.call("send", { to: "alice" })).toMatchObject({ textResultForLlm: "sent" });
  expect(ran).toEqual([{ to: "bob" }]);
});

test("what is decided about a call is told once, although an approved one is judged twice", async () => {
  for (const answer of [YES, OTHER_INPUT]) {
    const rules = { allow: ["send(to=bob)"], ask: ["send(to=alice)"] };
    const session = await open({ ...ASKED, permissions: rules }, () => {}, answer);
    const told: unknown[] = [];
    session.on("permission.completed", ({ decision }) => told.push(decision));
    expect(await session.call("send", { to: "alice" })).toMatchObject({ resultType: "success" });
    expect(told).toEqual(["allow"]);
  }
});

test("a yes to a tool of one connection does not count for the same tool of another", async () => {
  const definition = { name: "deploy", description: "Deploys", inputSchema: { type: "object" as const } };
  const session = await open({ permissions: { ask: ["deploy"] } }, (session) => {
    session.setTools("connection:one", []);
    session.setTools("connection:two", [definition]);
  });
  session.setTools("connection:one", [definition]);
  const result = await session.call("deploy");
  expect([result.resultType, result.textResultForLlm]).toEqual([
    "failure",
    expect.stringContaining("is not there any more"),
  ]);
});

test.each([
  ["another program", { name: "helper", description: "Helps", acp: { command: "another" } }, false],
  ["the same program", { name: "helper", description: "Helps", acp: { command: "one" } }, true],
])("a yes to starting an agent that is %s by then", async (_, then, counts) => {
  const agent = { name: "helper", description: "Helps", acp: { command: "one" } };
  const session = await open(
    { builtins: ["agents"], customAgents: [agent], permissions: { ask: ["task"] } } as SessionOptions, // As a file says it.
    (session) => session.updateOptions({ customAgents: [then], excludedTools: ["nothing"] } as SessionOptions),
  );
  const { textResultForLlm } = await session.call("task", { agent: "helper", prompt: "Help.", description: "help" });
  if (counts) expect(textResultForLlm).not.toContain("Permission denied");
  else expect(textResultForLlm).toContain("how its server or program is started or reached changed");
});

test.each([
  ["a rule that denies it", (session: Session) => session.updateOptions({ permissions: { deny: ["send"] } }), []],
  ["a tool left out", (session: Session) => session.updateOptions({ excludedTools: ["send"] }), []],
  ["a rule about another tool", (session: Session) => session.updateOptions({ permissions: { deny: ["bash"] } }), [{}]],
] as const)(
  "a yes to a call of an agent that works for another, and meanwhile its parent got %s",
  async (_, change, calls) => {
    const session = await open(
      {
        ...{ tools: [send], builtins: ["agents"], permissions: { hostTools: "ask", allow: ["task"] } },
        customAgents: [{ name: "worker", description: "works", prompt: "You work." }],
        modelClient: createScriptedModel({
          replies: [
            { calls: [{ tool: "task", arguments: { agent: "worker", prompt: "Send it.", description: "send" } }] },
            { text: "over" },
          ],
          agents: { worker: [{ calls: [{ tool: "send" }] }, { text: "done" }] },
        }),
      },
      change,
    );
    await session.run("go");
    expect(ran).toEqual(calls);
  },
);
