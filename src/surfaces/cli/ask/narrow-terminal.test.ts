import { expect, test } from "vitest";
import { runCli } from "../../../../test/support/run-cli.ts";

const LONG = "list_all_pull_requests_of_a_repository_with_reviews";
const names = Array.from({ length: 15 }, (_, at) => `${LONG}_${at}`);
const WORLD = {
  tools: [
    { name: "view", traits: { readOnly: true } },
    ...names.map((name) => ({ name, source: "mcp", server: "github", description: "Lists them. ".repeat(9) })),
  ],
  options: { excludeTools: ["github/*"] },
};
const run = (argv: readonly string[], columns: number, world: unknown = WORLD) =>
  runCli([...argv, "--world", "-"], { stdin: JSON.stringify(world), columns });

test.each([80, 60])("names stay whole at %i columns, whatever else gives way", async (columns) => {
  const shown = { ...WORLD, options: {} };
  for (const [argv, world] of [
    [["list"], WORLD],
    [["why", "github/*"], WORLD],
    [["search", "pull requests", "--limit", "20"], shown],
    [["diff", "base", "exclude=github"], shown],
  ] as const) {
    const { out } = await run(argv, columns, world);
    for (const name of names) expect(out).toContain(`github/${name}`);
  }
});

test("list says a reason once for the tools below that share it, and where the whole of a cut one is", async () => {
  const { out } = await run(["list"], 100);
  expect(out.match(/excluded/g)).toHaveLength(1);
  expect(out.match(/ same$/gm)).toHaveLength(14);
  const narrow = await run(["list"], 80);
  expect(narrow.out).toContain('"toolcrib why TOOL" shows the whole reason.');
  const piped = await runCli(["list", "--world", "-"], { stdin: JSON.stringify(WORLD) });
  expect(piped.out.match(/excluded by "github\/\*"/g)).toHaveLength(15);
});

test("why says what several tools have in common once", async () => {
  const { out } = await run(["why", "github/*"], 80);
  expect(out.match(/excluded by/g)).toHaveLength(1);
  expect(out).toContain("Same reason for 14 more:");
});

test("diff puts together what changes alike", async () => {
  const { out } = await run(["diff", "base", "exclude=github"], 80, { ...WORLD, options: {} });
  expect(out).toMatch(/^- 15 tools: visible -> hidden\n {4}github\//);
  expect(out).toContain('    filter now hides them: excluded by "github" (exclude=github)\n\n15 tools differ');
});

test.each(["github/open", "github__open", "mcp__github__open", "github-open"])(
  "%s is understood, and shown as github/open",
  async (name) => {
    const world = { tools: [{ name: "open", source: "mcp", server: "github", description: "Opens." }] };
    for (const style of ["server__tool", "server-tool", "mcp__server__tool"]) {
      const { status, out } = await run(["why", name], 80, { ...world, wireStyle: style });
      expect([status, out.split("\n", 1)[0]]).toEqual([0, "github/open is visible: sent to the model now"]);
    }
    const found = await run(["search", `select:${name}`], 80, world);
    expect(found.out).toMatch(/^github\/open /m);
  },
);

test("a typo is answered with one spelling of the name", async () => {
  const world = { tools: [{ name: "create_issue", source: "mcp", server: "github" }] };
  const { err } = await run(["why", "github__create_isue"], 80, world);
  expect(err).toContain('did you mean "github/create_issue"?');
});
