import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CliOptions, createMachine, runCli } from "../../../../test/support/run-cli.ts";

function machine(yaml = "") {
  const made = createMachine({ "a.txt": "hello\n", user: yaml });
  const run = (argv: readonly string[], options: CliOptions = {}) =>
    runCli(argv, { cwd: made.cwd, env: { HOME: made.home, PATH: process.env.PATH ?? "" }, ...options });
  return { ...made, run };
}
const create = (path: string) => ["call", "create", "--args", JSON.stringify({ path, content: "x" })];

test("a call that nobody has to be asked about prints what a model would read", async () => {
  const { run } = machine();
  const { status, out } = await run(["call", "view", "--args", '{"path":"a.txt"}']);
  expect([status, out]).toEqual([0, expect.stringContaining("hello")]);
  const json = await run(["call", "view", "--args", "-", "--json"], { stdin: '{"path":"a.txt"}' });
  expect(JSON.parse(json.out)).toMatchObject({ tool: "view", resultType: "success" });
});

test("what a rule asks about each time can be allowed once and no further", async () => {
  const { run } = machine("permissions: { ask: ['Write(n.txt)'] }");
  const { err } = await run(create("n.txt"), { types: "n" });
  expect(err).toContain("Allow it? [y]es once, [N]o ");
});

test("a call is no session, so none is offered to allow it in, and its letter is no yes", async () => {
  const { run, cwd } = machine();
  const { err, status } = await run(create("m.txt"), { types: "s" });
  expect(err).toContain("Allow it? [y]es once, this [p]roject, always for [m]e, [N]o ");
  expect([status, existsSync(join(cwd, "m.txt"))]).toEqual([1, false]);
  expect((await run(create("m.txt"), { types: "p" })).status).toBe(0);
  expect(existsSync(join(cwd, "m.txt"))).toBe(true);
});

test("lines and columns of a result stay as they are, and nothing else in it steers the terminal", async () => {
  const { run, write } = machine();
  write("odd.txt", "a\tb\u001b[31m\u202e\n");
  const { out } = await run(["call", "view", "--args", '{"path":"odd.txt"}']);
  expect(out).toContain("1\ta\tb\\x1b[31m\\u{202e}\n");
});

test("of a hidden tool the answer says as little as a model is told, and the person is told where to ask", async () => {
  const { run } = machine("excludeTools: [view]");
  const { status, out, err } = await run(["call", "view", "--args", '{"path":"a.txt"}']);
  expect([status, out]).toEqual([1, expect.not.stringContaining("hidden")]);
  expect(err).toContain('the tool is hidden in this scene: "toolcrib why view" says why');
  expect((await run(["call", "view", "--args", '{"path":"none.txt"}'])).err).toContain("is hidden");
  expect((await machine().run(["call", "view", "--args", '{"path":"none.txt"}'])).err).not.toContain("is hidden");
});

test("a file of arguments that is not there is told in words", async () => {
  const { run } = machine();
  const { status, err } = await run(["call", "view", "--args", "@gone.json"]);
  expect([status, err]).toEqual([2, "toolcrib: --args: cannot read gone.json: it does not exist\n"]);
});

test("without anybody to ask it is denied, with --yes it runs, and a deny rule stays one", async () => {
  const { run, cwd } = machine("permissions: { deny: ['Write(b.txt)'] }");
  expect(await run(create("n.txt"))).toMatchObject({
    status: 1,
    out: expect.stringContaining("there is nobody to ask"),
    err: expect.stringContaining('"toolcrib check create" with the same --args says which rule would allow it'),
  });
  expect((await run([...create("n.txt"), "--yes"])).status).toBe(0);
  expect(await run([...create("b.txt"), "--yes"])).toMatchObject({
    status: 1,
    out: expect.stringContaining("Permission denied"),
    err: expect.not.stringContaining("toolcrib check"),
  });
  expect([existsSync(join(cwd, "n.txt")), existsSync(join(cwd, "b.txt"))]).toEqual([true, false]);
});

test("on a terminal the parts and what would be kept are shown before anybody answers", async () => {
  const { run, cwd } = machine();
  const no = await run(create("n.txt"), { types: "n" });
  expect(no.status).toBe(1);
  expect(no.err).toContain("create (built-in) wants to run with");
  expect(no.err).toContain(`for longer than once: Write(/${cwd}/n.txt)`);
  expect((await run(create("n.txt"), { types: "y" })).status).toBe(0);
});

test("what is kept for a project is listed, used without a question, and revoked", async () => {
  const { run, cwd } = machine();
  expect((await run(create("n.txt"), { types: "p" })).status).toBe(0);
  const edit = ["call", "edit", "--args", '{"path":"n.txt","old_str":"x","new_str":"y"}'];
  expect((await run(edit)).status).toBe(0);
  expect(readFileSync(join(cwd, "n.txt"), "utf8")).toBe("y");
  const { grants } = JSON.parse((await run(["grants", "--json"])).out);
  expect(grants).toMatchObject([{ scope: "project", rules: [`Write(/${cwd}/n.txt)`] }]);
  expect((await run(["grants"])).out).toContain("n.txt");
  expect((await run(["grants", "revoke", grants[0].id])).status).toBe(0);
  expect((await run(edit)).status).toBe(1);
  expect((await run(["grants"])).out).toBe("No approvals are kept.\n");
  expect(await run(["grants", "revoke", "zzz", "--json"])).toMatchObject({
    status: 1,
    out: expect.stringContaining("grant.not-found"),
  });
});

test("an unknown tool is said so, with the nearest", async () => {
  const { run } = machine();
  expect(await run(["call", "veiw", "--json"])).toMatchObject({
    status: 1,
    out: expect.stringContaining('"tool.not-found"'),
  });
});

test("hooks of the user's configuration are asked, and one that cannot be started blocks and is told", async () => {
  const { run } = machine("hooks: { preToolUse: [ { matcher: view, command: ./missing-hook } ] }");
  const result = await run(["call", "view", "--args", '{"path":"a.txt"}']);
  expect(result).toMatchObject({ status: 1, out: expect.stringContaining("could not be started") });
  expect(result.err).toContain("./missing-hook");
});

test("what comes beside the text is told, because nobody would miss it", async () => {
  const { run, write } = machine();
  const result = {
    textResultForLlm: "a dot",
    resultType: "success",
    binaryResultsForLlm: [{ type: "image", mimeType: "image/png", data: "AAAA" }],
  };
  write(
    "draw.mjs",
    `export const draw = { name: "draw", description: "d", handler: () => (${JSON.stringify(result)}) };\n`,
  );
  write("own.json", JSON.stringify({ tools: [{ name: "draw", use: "./draw.mjs:draw" }] }));
  const { out, err } = await run(["call", "draw", "--config", "own.json", "--yes"]);
  expect(out).toBe("a dot\n");
  expect(err).toContain("beside the text: image (image/png, 1 KB); --json prints it");
});

test("a line typed before the question is no answer to it, and each question is answered for itself", async () => {
  const { run, cwd } = machine("code: on");
  const code = 'for (const path of ["1.txt", "2.txt"]) await tools.call("create", { path, content: "x" })';
  let asked = 0;
  let type = (_line: string): void => {};
  const onLine = (take: (line: string) => void) => {
    type = take;
    queueMicrotask(() => take("y"));
    return () => {};
  };
  const answers = ["n", "y", "n"];
  const onErr = (text: string): void => {
    if (text.endsWith("[N]o ")) queueMicrotask(() => type(answers[asked++] ?? "n"));
  };
  expect((await run(create("n.txt"), { types: "", onLine, onErr })).status).toBe(1);
  await run(["call", "run_code", "--args", JSON.stringify({ code })], { types: "", onLine, onErr });
  expect([asked, existsSync(join(cwd, "1.txt")), existsSync(join(cwd, "2.txt"))]).toEqual([3, true, false]);
});
