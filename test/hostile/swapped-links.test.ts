import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { PermissionAnswer } from "../../src/runtime/permissions/permission-request.ts";
import { createSession } from "../../src/runtime/session/library.ts";
import { leadLink, swapLinks } from "../support/link-swapper.ts";
import { rounds } from "../support/rounds.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** What a rule or the mode lets nobody read or write stands in these; everything else may be read and edited. */
const CLOSED = { ".env": "KEY=canary\n", "kept/file.txt": "KEY=canary\n", ".claude/file.txt": "KEY=settings\n" };
const OPEN = { "plain.txt": "KEY=open\n", "open/file.txt": "KEY=open\n" };

const CALLS = rounds(200, 60);
const LONGEST = 10_000;
const SEED = Number(process.env.TOOLCRIB_SEED ?? "20260728") || Date.now();

const EDITOR = "str_replace_based_edit_tool";

type Args = Readonly<Record<string, unknown>>;

function patch(...lines: readonly string[]): Args {
  return { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") };
}

/** Calls a tool while a second process swaps `link` and the folder `way`; counts what came out or went in. */
async function race(tool: string, closed: string, argsOf: (round: number) => Args, mustWork = false) {
  const { project } = tempWorkspace({ ...OPEN, ...CLOSED });
  const session = await createSession({
    workspace: project,
    builtins: "all",
    mode: "accept-edits",
    permissions: { deny: ["Read(.env)", "Read(./kept/**)"] },
    ...(tool === EDITOR ? { model: "one", models: { one: { variants: ["edit:commands"] } } } : {}),
  });
  const links = [
    { link: join(project, "link"), targets: ["plain.txt", ".env"] },
    { link: join(project, "way"), targets: ["open", closed] },
  ] as const;
  for (const { link, targets } of links) symlinkSync(targets[0], link);
  const { swaps, stop } = swapLinks(links, SEED);
  onTestFinished(async () => {
    await stop();
    await session.close();
  });
  const [until, counts] = [performance.now() + LONGEST, { worked: 0, read: 0, written: 0 }];
  const isEnough = (round: number) => round >= CALLS && swaps() >= CALLS;
  // On a busy machine time is up first.
  const isOver = (round: number) => isEnough(round) || performance.now() > until;
  for (let round = 0; !isOver(round) || swaps() === 0 || (mustWork && counts.worked === 0); round += 1) {
    // A call that is refused waits for nothing, and the swaps have to be heard of.
    await setImmediate();
    const { resultType, textResultForLlm } = await session.call(tool, { ...argsOf(round) });
    if (/canary/.test(textResultForLlm)) counts.read += 1;
    else if (resultType === "success") counts.worked += 1;
    if (mend(project)) counts.written += 1;
  }
  return counts;
}

/** Whether something closed was changed; then it is put back. */
function mend(project: string): boolean {
  const folders = ["kept", ".claude"].map((folder) => readdirSync(join(project, folder)).join());
  const isWhole = Object.entries(CLOSED).every(
    ([path, text]) => readFileSync(join(project, path), { encoding: "utf8", flag: "a+" }) === text,
  );
  if (isWhole && folders.every((names) => names === "file.txt")) return false;
  for (const folder of ["kept", ".claude"])
    for (const name of readdirSync(join(project, folder))) rmSync(join(project, folder, name), { recursive: true });
  for (const [path, text] of Object.entries(CLOSED)) writeFileSync(join(project, path), text);
  return true;
}

describe(`while a second process swaps links (seed ${SEED})`, () => {
  test.each<[string, string, Args]>([
    ["view", "a file", { path: "link" }],
    ["view", "a folder above", { path: "way/file.txt" }],
    ["grep", "a file", { pattern: "KEY", path: "link", output_mode: "content" }],
    ["grep", "a folder", { pattern: "KEY", path: "way", output_mode: "content" }],
    ["edit", "a file, by what does not fit", { path: "link", old_str: "KEY=canarx", new_str: "x" }],
    ["edit", "a folder above, by what does not fit", { path: "way/file.txt", old_str: "KEY=canarx", new_str: "x" }],
    [
      EDITOR,
      "a folder above, by what does not fit",
      { command: "str_replace", path: "way/file.txt", old_str: "KEY=canarx" },
    ],
    ["apply_patch", "a file, by what does not fit", patch("*** Update File: link", "@@", "-KEY=canarx", "+x")],
    ["apply_patch", "a folder above", patch("*** Update File: way/file.txt", "@@", "-KEY=canarx", "+x")],
  ])("%s reads nothing that is closed through %s", async (tool, _, args) => {
    const { read } = await race(tool, "kept", () => args, ["view", "grep"].includes(tool));
    expect(read).toBe(0);
  });

  test.each<[string, string, (round: number) => Args]>([
    ["create", "a file", (round) => ({ path: "link", content: `KEY=${round}\n`, overwrite: true })],
    ["create", "a folder above", (round) => ({ path: `way/${round}.txt`, content: "x" })],
    ["create", "a folder above new folders", (round) => ({ path: `way/${round}/deep/file.txt`, content: "x" })],
    ["edit", "a file", () => ({ path: "link", old_str: "KEY", new_str: "KEY" + "S", replace_all: true })],
    ["edit", "a folder above", () => ({ path: "way/file.txt", old_str: "K", new_str: "KK", replace_all: false })],
    [EDITOR, "a file", () => ({ command: "insert", path: "link", insert_line: 0, insert_text: "KEY" })],
    ["apply_patch", "a folder above, adding", (round) => patch(`*** Add File: way/${round}.txt`, "+x")],
    ["apply_patch", "a folder above, deleting", () => patch("*** Delete File: way/file.txt")],
    [
      "apply_patch",
      "a folder that it moves into",
      (round) => patch("*** Update File: plain.txt", `*** Move to: way/${round}.txt`, "@@", "-KEY=open", "+KEY=open"),
    ],
  ])("%s changes nothing that is closed through %s", async (tool, _, argsOf) => {
    const { read, written } = await race(tool, ".claude", argsOf);
    expect({ read, written }).toEqual({ read: 0, written: 0 });
  });
});

describe("a link that changes while somebody is asked", () => {
  async function call(tool: string, args: Args, ask: readonly string[]) {
    const { project } = tempWorkspace({ ...OPEN, ...CLOSED });
    const asked: string[] = [];
    const lead = (link: string, target: string) => leadLink(join(project, link), target);
    lead("link", "plain.txt");
    lead("way", "open");
    const session = await createSession({
      workspace: project,
      builtins: "all",
      permissions: { ask },
      onPermissionRequest: ({ reason }) => {
        asked.push(reason);
        lead("link", ".env");
        lead("way", "kept");
        return { decision: "allow" };
      },
    });
    onTestFinished(() => session.close());
    const { textResultForLlm, resultType } = await session.call(tool, { ...args });
    expect(asked).toHaveLength(1);
    return { text: textResultForLlm, resultType, isWhole: !mend(project) };
  }

  test.each<[string, Args, readonly string[], string]>([
    [
      "view",
      { path: "link" },
      ["Read(plain.txt)", "Read(.env)"],
      '"link" now leads to ".env", and the rule Read(.env) asks about ".env"; make the call again to be asked about that.',
    ],
    [
      "create",
      { path: "way/new.txt", content: "x" },
      [],
      '"way/new.txt" now leads to "kept/new.txt", and no rule covers writing kept/new.txt; make the call again to be asked about that.',
    ],
    [
      "create",
      { path: "link", content: "x", overwrite: true },
      [],
      '"link" now leads to ".env", and later runs look at .env for programs or settings; make the call again to be asked about that.',
    ],
  ])("%s is not carried over to where it leads now", async (tool, args, ask, text) => {
    expect(await call(tool, args, ask)).toEqual({ text, resultType: "denied", isWhole: true });
  });

  test("what was answered about one folder opens no other to a search", async () => {
    const args = { pattern: "KEY", path: "way", output_mode: "content" };
    const { text } = await call("grep", args, ["Read(./open/**)", "Read(./kept/**)"]);
    expect(text).not.toContain("canary");
  });
});

describe("a link", () => {
  async function start(answer: PermissionAnswer, allow: readonly string[] = []) {
    const { project } = tempWorkspace({ ...OPEN, ...CLOSED });
    const asked: string[] = [];
    const session = await createSession({
      workspace: project,
      builtins: "all",
      permissions: { deny: ["Read(./kept/**)"], allow },
      onPermissionRequest: ({ reason }) => {
        asked.push(reason);
        return answer;
      },
    });
    onTestFinished(() => session.close());
    const lead = (target: string) => leadLink(join(project, "link"), target);
    const call = async (tool: string, args: Args) => (await session.call(tool, { ...args })).textResultForLlm;
    return { asked, lead, call };
  }

  test("is named with where it leads to the person who is asked, and to the caller who is denied", async () => {
    const { asked, lead, call } = await start({ decision: "deny", reason: "no" });
    lead(".claude");
    await call("create", { path: "link/new.txt", content: "x" });
    lead("open");
    await call("create", { path: "link/new.txt", content: "x" });
    expect(asked).toEqual([
      "later runs look at link/new.txt -> .claude/new.txt for programs or settings",
      "no rule covers writing link/new.txt -> open/new.txt",
    ]);
    lead("kept");
    expect(await call("view", { path: "link/file.txt" })).toBe(
      'Permission denied: "link/file.txt -> kept/file.txt" is denied by the rule Read(./kept/**).',
    );
  });

  test("that leads elsewhere since is asked about again, also where these very arguments were approved", async () => {
    const { asked, lead, call } = await start({ decision: "allow", scope: "session", boundToArguments: true });
    const args = { path: "link", content: "x", overwrite: true };
    lead("plain.txt");
    for (let round = 0; round < 2; round += 1) await call("create", args);
    expect(asked).toHaveLength(1);
    lead(".env");
    await call("create", args);
    expect(asked).toHaveLength(2);
  });

  test("is not what a rule had in mind that names it, where it leads to what later runs trust", async () => {
    const { asked, lead, call } = await start({ decision: "deny" }, ["Write(./link)", "Write(./**)"]);
    lead("plain.txt");
    await call("create", { path: "link", content: "x", overwrite: true });
    expect(asked).toEqual([]);
    lead(".env");
    await call("create", { path: "link", content: "x", overwrite: true });
    expect(asked).toEqual(["later runs look at link -> .env for programs or settings"]);
  });
});
