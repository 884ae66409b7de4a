import { describe, expect, onTestFinished, test } from "vitest";
import { createSession } from "../../src/runtime/session/library.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import { createStore } from "../../src/runtime/store/create-store.ts";
import { createMemoryBackEnd } from "../../src/runtime/store/memory-back-end.ts";
import { createMemoryTables } from "../../src/runtime/store/memory-tables.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";
import { answerer, IT, openWaiting, resultText, type WaitingSettings } from "../support/waiting-crib.ts";

const BOB = answerer("bob");
const RUNS = /^\//;
const ASKED = { ask: ["it/cwd"] };
const HOOK = { command: "true", matcher: "it__cwd" };
const CONDITION = { command: "true", if: "risky" };
const GONE = /is not there any more|may not be used now|what would run it was changed|how its server or program/;
const SECRET = { name: "ticket", pattern: "T-[0-9]+" };
const APPROVER = { everybody: true, roles: ["approver"] };
const MEMBER = { everybody: true, profile: "all" };

/** What changes while `it/cwd` waits, and what its yes is worth then. */
type Row = readonly [what: string, then: WaitingSettings, says: RegExp, first?: WaitingSettings];
const ROWS: readonly Row[] = [
  ["nothing of it", {}, RUNS],
  ["another server", { mcpServers: { it: IT, other: { url: "https://example.com/mcp" } } }, RUNS],
  ["a rule about another tool", { permissions: { ask: ["it/cwd", "it/pids"], deny: ["it/echo"] } }, RUNS],
  ["an allow rule for it", { permissions: { ...ASKED, allow: ["it/cwd"] } }, RUNS],
  ["its question is asked for no more", { permissions: { allow: ["it/cwd"] } }, RUNS],
  ["a tool left out beside it", { excludeTools: ["it/pids"] }, RUNS],
  [
    "a deny rule for it",
    { permissions: { ...ASKED, deny: ["it/cwd"] } },
    /denied by the rule "it\/cwd"|may not be used now/,
  ],
  ["another rule asks", { permissions: { ask: ["it/*"] } }, /the rules changed, and now the rule it\/\* asks/],
  [
    "nobody is asked any longer",
    { permissions: { ...ASKED, mode: "dont-ask" } },
    /the rules changed, and now nobody is asked/,
  ],
  ["it is left out", { excludeTools: ["it/cwd"] }, /may not be used now/],
  [
    "how it is described to models, which is no part of its definition",
    { toolOverrides: { "it/cwd": { description: "Says where." } } },
    RUNS,
  ],
  [
    "how its server is started",
    { mcpServers: { it: { ...IT, args: [...IT.args, "now"] } } },
    /is not there any more|what would run it was changed/,
  ],
  [
    "a variable of its server",
    { mcpServers: { it: { ...IT, env: { REGION: "eu" } } } },
    /is not there any more|what would run it was changed/,
  ],
  [
    "its server is another",
    { mcpServers: { it: { url: "http://127.0.0.1:9/mcp" } } },
    /is not there any more|what would run it was changed/,
  ],
  [
    "a question that no rule asks for becomes one",
    { permissions: ASKED },
    /the rules changed, and now the rule it\/cwd asks/,
    { approvals: "inspector", permissions: {} },
  ],
  [
    "how a server is started that no rule is about",
    { permissions: {}, mcpServers: { it: { ...IT, args: [...IT.args, "now"] } } },
    /is not there any more|what would run it was changed/,
    { approvals: "inspector", permissions: {} },
  ],
];

/** The same for settings that only files have. */
const GATEWAY_ROWS: readonly Row[] = [
  ["a hook for another tool", { hooks: { preToolUse: [{ ...HOOK, matcher: "it__pids" }] } }, RUNS],
  ["a hook for it", { hooks: { preToolUse: [HOOK] } }, /the hooks that decide about it changed while the call waited/],
  ["a hook for it is gone", { hooks: {} }, /the hooks that decide about it changed/, { hooks: { preToolUse: [HOOK] } }],
  ["a hook for it, for questions", { hooks: { permissionRequest: [HOOK] } }, /the hooks that decide about it changed/],
  [
    "a filter of its arguments",
    { filters: [{ ...SECRET, tools: ["it/cwd"] }] },
    /the filters of its arguments changed/,
  ],
  ["a filter of its results alone", { filters: [{ ...SECRET, on: ["results"] }] }, RUNS],
  ["a filter for another tool", { filters: [{ ...SECRET, tools: ["it/pids"] }] }, RUNS],
  [
    "a set that a filter names",
    { filters: [{ ...SECRET, tools: ["risky"] }], toolsets: { risky: ["it/cwd"] } },
    /the filters of its arguments changed/,
    { filters: [{ ...SECRET, tools: ["risky"] }], toolsets: { risky: ["it/pids"] } },
  ],
  [
    "a set that the condition of a hook names",
    { hooks: { preToolUse: [CONDITION] }, toolsets: { risky: ["it/cwd"] } },
    /the hooks that decide about it changed/,
    { hooks: { preToolUse: [CONDITION] }, toolsets: { risky: ["it/pids"] } },
  ],
  ["the flag that its server needs", { mcpServers: { it: { ...IT, feature: "new" } } }, GONE],
  ["its server is switched off", { disabledServers: ["it"] }, GONE],
  ["who shares its server", { mcpServers: { it: { ...IT, isolation: "client" } } }, GONE],
  ["the profile of who asked", { people: [APPROVER] }, GONE, { people: [MEMBER, APPROVER] }],
  ["the mode, in which nothing changes anything", { permissions: { ...ASKED, mode: "plan" } }, GONE],
  [
    "who may approve something else",
    { people: [MEMBER, APPROVER, { group: "ops", roles: ["approver"], servers: ["other"] }] },
    RUNS,
    { people: [MEMBER, APPROVER] },
  ],
  ["the answer's way in the configuration", { approvals: { ask: "inspector" } }, RUNS],
];

describe("a yes to a call that waits in a gateway, where meanwhile this changed:", () => {
  test.each([...ROWS, ...GATEWAY_ROWS].map(toCase))("$what", async ({ then, says, first }) => {
    const { crib, ask, reload } = await openWaiting(first);
    const { result, pending } = await ask();
    await reload(then);
    expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
    expect(await resultText(result)).toMatch(says);
  });
});

describe("a yes to a call that waits in a program, where meanwhile this changed:", () => {
  test.each(ROWS.map(toCase))("$what", async ({ then, says, first }) => {
    const { project } = tempWorkspace();
    const options = (settings: WaitingSettings): SessionOptions => {
      const {
        excludeTools = [],
        permissions = first.permissions ?? ASKED,
        mcpServers = { it: IT },
        toolOverrides = {},
      } = settings;
      return { mcpServers, permissions, toolOverrides, excludedTools: excludeTools } as SessionOptions; // As the row says.
    };
    const [asked, answered] = [gate(), gate()];
    const session = await createSession({
      ...{ workspace: project, ...options(first) },
      async onPermissionRequest() {
        asked.open();
        await answered.opened;
        return { decision: "allow" };
      },
    });
    onTestFinished(() => session.close());
    await session.settled();
    const result = session.call("it/cwd");
    await Promise.race([asked.opened, result]);
    await session.updateOptions(options(then));
    answered.open();
    expect((await result).textResultForLlm).toMatch(says);
  });
});

test("a yes counts once what changed is as it was when it was asked for", async () => {
  const { crib, ask, reload } = await openWaiting({});
  const { result, pending } = await ask();
  await reload({ permissions: { ...ASKED, deny: ["it/cwd"] }, hooks: { preToolUse: [HOOK] } });
  await reload({});
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect(await resultText(result)).toMatch(RUNS);
});

test("a yes does not count for a server that was another one meanwhile and has started again", async () => {
  const { crib, ask, reload } = await openWaiting({});
  const { result, pending } = await ask();
  await reload({ mcpServers: { it: { ...IT, args: [...IT.args, "now"] } } });
  await reload({});
  expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
  expect(await resultText(result)).toMatch(GONE);
});

const NARROWER: readonly (readonly [what: string, first: WaitingSettings, then: WaitingSettings])[] = [
  ["a rule for approvers is gone", { people: [MEMBER, APPROVER] }, { people: [MEMBER] }],
  [
    "a rule for approvers is for fewer",
    { people: [MEMBER, APPROVER] },
    { people: [MEMBER, { group: "ops", roles: ["approver"] }] },
  ],
  [
    "approvers are for other servers",
    { people: [MEMBER, APPROVER] },
    { people: [MEMBER, { ...APPROVER, servers: ["x"] }] },
  ],
  ["a second person is needed", {}, { approvals: { ask: "approvers", fourEyes: true } }],
  ["nobody is asked any longer", {}, { approvals: "deny" }],
];
const OTHERS = /who may approve it changed while the call waited/;

describe("a yes does not count any more, where before the call could run", () => {
  test.each(NARROWER)("%s", async (_, first, then) => {
    const back = gate();
    const { crib, ask, reload } = await openWaiting(first, { whenHere: () => back.opened });
    const { result, pending } = await ask();
    expect(await crib.approvals.answer(pending.id, { decision: "allow" }, BOB)).toBe(true);
    await reload(then);
    back.open();
    expect(await resultText(result)).toMatch(OTHERS);
  });

  test("the user of the client is not who is asked any longer", async () => {
    const back = gate();
    const { session, reload } = await openWaiting({ approvals: "client" }, { whenHere: () => back.opened });
    const result = session.call("it/cwd", {}, { behind: {} });
    await expect.poll(() => session.hasCalls).toBe(true);
    await reload({ approvals: "approvers" });
    back.open();
    expect(await resultText(result)).toMatch(/changed while the call waited/);
  });
});

test("a question that is asked again elsewhere is another one where people are known to its server in another way", async () => {
  const aboutOf = async (settings: WaitingSettings) => {
    const { ask } = await openWaiting(settings);
    return (await ask()).pending.request.about;
  };
  const about = await aboutOf({});
  expect(about).toEqual(expect.any(String));
  expect(await aboutOf({})).toBe(about);
  for (const more of [{ credentials: "none" }, { isolation: "client" }])
    expect(await aboutOf({ mcpServers: { it: { ...IT, ...more } } })).not.toBe(about);
});

describe("an answer that another machine took", () => {
  const start = async () => {
    const tables = createMemoryTables();
    const open = async () => {
      const store = createStore(createMemoryBackEnd(tables));
      onTestFinished(() => store.close());
      return openWaiting({ people: [MEMBER, APPROVER] }, { shared: { store, scope: "test" } });
    };
    const [one, two] = [await open(), await open()];
    const { result, pending } = await one.ask();
    return { one, two, result, answer: () => two.crib.approvals.answer(pending.id, { decision: "allow" }, BOB) };
  };

  test("counts after an unrelated change, whichever of them has heard of it", async () => {
    const { one, two, result, answer } = await start();
    await one.reload({ excludeTools: ["it/pids"] });
    await two.reload({ permissions: { ask: ["it/cwd", "it/echo"] } });
    expect(await answer()).toBe(true);
    expect(await resultText(result)).toMatch(RUNS);
  });

  test.each([
    ["fewer may approve", { people: [MEMBER, { group: "ops", roles: ["approver"] }] }, OTHERS],
    [
      "a rule denies the call",
      { permissions: { ...ASKED, deny: ["it/cwd"] } },
      /denied by the rule|may not be used now/,
    ],
  ])(
    "does not count where it waits once %s there, though the other machine has not heard of it",
    async (_, then, says) => {
      const { one, result, answer } = await start();
      await one.reload(then);
      expect(await answer()).toBe(true);
      expect(await resultText(result)).toMatch(says);
    },
  );
});

function toCase([what, then, says, first = {}]: Row) {
  return { what, then, says, first };
}

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
