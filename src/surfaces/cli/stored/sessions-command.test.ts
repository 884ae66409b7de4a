import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createMachine, runCli } from "../../../../test/support/run-cli.ts";
import { loadSqlite } from "../../../runtime/store/sqlite/sqlite-engine.ts";

const LOOK = `replies:
  - text: Let me look.
    calls: [{ tool: view, arguments: { path: notes.txt } }]
  - text: It says hello.
`;
const DENIED = `replies:
  - calls: [{ tool: create, arguments: { path: new.txt, content: made } }]
  - text: Not allowed.
`;

/** A machine on which one session was kept. */
async function machine(script = LOOK, prompt = "What is in notes.txt?") {
  const { cwd, home } = createMachine({ "script.yaml": script, "notes.txt": "hello ```` there\n" });
  const run = (argv: readonly string[], options = {}) => runCli(argv, { cwd, env: { HOME: home }, ...options });
  const kept = await run(["run", prompt, "--model", "scripted:script.yaml", "--keep", "--format", "json"]);
  const sessions = (...argv: readonly string[]) => run(["sessions", ...argv]);
  return { home, run, sessions, id: String(JSON.parse(kept.out).session) };
}

test("sessions lists what is kept: id, first words, events", async () => {
  const { run, sessions, id } = await machine();
  const { out } = await sessions();
  expect(out).toMatch(/^ID +CHANGED +FIRST WORDS +EVENTS\n/);
  expect(out).toMatch(new RegExp(`^${id} +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\dZ +What is in notes.txt\\? +\\d+$`, "m"));
  const { out: onTerminal } = await run(["sessions"], { isTTY: true, columns: 80 });
  expect(onTerminal).toContain(`\n${id.slice(0, 8)}  `);
  const { out: json } = await sessions("list", "--json");
  expect(JSON.parse(json)).toMatchObject({ sessions: [{ id, prompt: "What is in notes.txt?" }] });
  const { out: whole } = await sessions("show", id, "--json");
  expect(JSON.parse(whole)).toMatchObject({ session: { id, requests: 2, cost: 0 } });
});

test("where none is kept it says how to keep one", async () => {
  const { cwd, home } = createMachine();
  const { status, out } = await runCli(["sessions"], { cwd, env: { HOME: home } });
  expect({ status, out }).toEqual({
    status: 0,
    out: 'No sessions of this workspace are kept; "toolcrib run --keep" keeps one.\n',
  });
});

test("show is a timeline of what was said and done", async () => {
  const { sessions, id } = await machine();
  const { out } = await sessions("show", id.slice(0, 8));
  const lines = out.split("\n").map((line) => line.replace(/^ *\d+ {2}\d\d:\d\d:\d\d {2}/, ""));
  expect(lines).toContain("user: What is in notes.txt?");
  expect(lines).toContain('→ view {"path":"notes.txt"}');
  expect(lines.filter((line) => line.startsWith("✓ view"))).toHaveLength(1);
  expect(lines.find((line) => line.endsWith("It says hello."))).toBeDefined();
  expect(lines).toContain("the run ended");
  expect(out).not.toContain("\n\n");
});

test("a call that was denied, and what a model writes to steer a terminal, are shown for what they are", async () => {
  const { sessions, id } = await machine(DENIED, "Make \u001b[2Jit");
  const { out } = await sessions("show", id);
  expect(out).toContain("✗ create");
  expect(out).toContain("Make \\x1b[2Jit");
});

test("export prints each event as a line, and masks secrets (S10)", async () => {
  const { sessions, id } = await machine(LOOK, `My key is ghp_${"a".repeat(30)}; what is in notes.txt?`);
  const { out } = await sessions("export", id);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events[0]).toMatchObject({ seq: 1, type: "session.started" });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(out).toContain("My key is [hidden]; what");
});

test("export --format md is a document whose fences hold", async () => {
  const { sessions, id } = await machine();
  const { out } = await sessions("export", id, "--format", "md");
  expect(out).toContain(`# Session ${id}\n`);
  expect(out).toContain("## user\n\n> What is in notes.txt?\n");
  expect(out).toContain('### → view\n\n```json\n{"path":"notes.txt"}\n```\n');
  expect(out).toMatch(/### ✓ view\n\n`{5}\n[\s\S]*hello ```` there[\s\S]*\n`{5}\n/);
});

test("export --format html is one page that runs nothing of what was said", async () => {
  const { sessions, id } = await machine(LOOK, "What is in <script>alert(1)</script>?");
  const { out } = await sessions("export", id, "--format", "html");
  expect(out).toContain("<h1>What is in &lt;script&gt;alert(1)&lt;/script&gt;?</h1>");
  expect(out).toContain(`Session ${id}`);
  expect(out).toContain("What is in &lt;script&gt;alert(1)&lt;/script&gt;?");
  expect(out).toContain("hello ```` there");
  expect(out).not.toMatch(/<script|src=|https?:/);
});

test("run --export writes the session to a new file, and says at once what cannot be written", async () => {
  const { run } = await machine();
  const again = (file: string) => run(["run", "Hi", "--model", "scripted:script.yaml", "--export", file]);
  expect(await again("out.md")).toMatchObject({ status: 0, err: expect.stringContaining("out.md\n") });
  expect(await again("out.md")).toMatchObject({ status: 2, out: "", err: expect.stringContaining("exists") });
  expect(await again("out.txt")).toMatchObject({ status: 2, out: "", err: expect.stringContaining(".html") });
});

test("delete asks, keeps the session on a no, and is over with --yes", async () => {
  const { run, sessions, id } = await machine();
  expect(await run(["sessions", "delete", id], { types: "n" })).toMatchObject({
    status: 1,
    out: "Nothing was changed.\n",
  });
  const alone = await sessions("delete", id);
  expect(alone).toMatchObject({ status: 2, out: "" });
  expect(alone.err.replace(/\s+/g, " ")).toMatch(new RegExp(`"Delete session ${id} .*nothing was changed.*--yes`));
  expect((await sessions()).out).toContain(id);
  expect(await sessions("delete", id, "--yes")).toMatchObject({
    status: 0,
    out: expect.stringContaining(`Deleted: session ${id}`),
  });
  expect((await sessions()).out).toContain("No sessions");
  expect(await sessions("show", id)).toMatchObject({
    status: 3,
    err: expect.stringContaining("no session of this workspace"),
  });
});

test("diff takes a session by its id alone, as it is now", async () => {
  const { run, id } = await machine();
  expect(await run(["diff", id, id])).toMatchObject({ status: 0, out: expect.stringMatching(/^no difference/) });
  expect(await run(["diff", id, "base"])).toMatchObject({ status: 0 });
  expect(await run(["diff", id, "nobody"])).toMatchObject({ status: 3, err: expect.stringContaining('"nobody"') });
});

test("a store that cannot be read is put aside, and that is said with where it is now (S7)", async () => {
  const { home, sessions, id } = await machine();
  const folder = join(home, ".local", "state", "toolcrib", "sessions");
  const file = join(folder, readdirSync(folder)[0] ?? "", "sessions.db");
  truncateSync(file, statSync(file).size / 2);
  const { status, out, err } = await sessions();
  expect([status, out]).toEqual([0, expect.stringContaining("No sessions")]);
  expect(err.replace(/\s+/g, " ")).toContain("could not be read; it was put aside as ");
  expect((await sessions()).err).toBe("");
  expect(out + err).not.toContain(id);
});

test("prune leaves alone what is younger than store.keep says", async () => {
  const { sessions, id } = await machine();
  expect(await sessions("prune", "--yes", "--json")).toMatchObject({ status: 0, out: '{"pruned":0}\n' });
  expect((await sessions()).out).toContain(id);
});

test("prune asks about what nobody changed for a month, and deletes it", async () => {
  const { run, home, sessions, id } = await machine();
  const folder = join(home, ".local", "state", "toolcrib", "sessions");
  const [workspace = ""] = readdirSync(folder);
  const database = loadSqlite()(join(folder, workspace, "sessions.db"));
  database.all("UPDATE journal SET changed = changed - ?", [31 * 86_400_000]);
  database.close();
  const asked = await run(["sessions", "prune"], { types: "n" });
  expect(asked).toMatchObject({ status: 1, err: expect.stringContaining("Delete 1 session that") });
  expect((await sessions()).out).toContain(id);
  expect(await sessions("prune", "--yes", "--json")).toMatchObject({ status: 0, out: '{"pruned":1}\n' });
  expect((await sessions()).out).toContain("No sessions");
});

test("an action that lacks its id, or has no use for what it got, says so", async () => {
  const { cwd, home } = createMachine();
  const say = async (...argv: readonly string[]) =>
    (await runCli(["sessions", ...argv], { cwd, env: { HOME: home } })).err;
  expect(await say("show")).toContain("sessions show needs the ID of a session");
  expect(await say("prune", "x")).toContain('sessions prune has no use for "x"');
  expect(await say("show", "x", "--format", "md")).toContain("--format is for sessions export");
  expect(await say("export", "x", "--format", "pdf")).toContain("--format");
});
