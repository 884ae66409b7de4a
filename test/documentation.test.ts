import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { startLoopback } from "../examples/providers/loopback.mjs";
import { runCli } from "./support/run-cli.ts";
import { tempWorkspace } from "./support/temp-workspace.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "REVIEW.md",
  "SECURITY.md",
  "ARCHITECTURE.md",
  "bench/README.md",
  ...pagesIn("docs"),
];

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file));
}

const examples = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  return [...text.matchAll(/```console\n\$ toolcrib (.+)\n([\s\S]*?)```/g)].map(([, command = "", output = ""]) => ({
    page,
    command,
    output,
  }));
});

test("there are examples to check", () => {
  expect(examples.map(({ page }) => page)).toEqual(
    expect.arrayContaining(["README.md", "docs/guides/my-tool-does-not-appear.md"]),
  );
});

test.each(examples)("$page: toolcrib $command prints what the page says", async ({ command, output }) => {
  const { out, err } = await runCli(wordsOf(command), { cwd: ROOT, columns: 80 });
  expect((out === "" ? err : out).trimEnd()).toBe(output.trimEnd());
});

describe("links between pages", () => {
  test.each(PAGES)("%s points at files that exist", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});

describe("the index", () => {
  const index = readFileSync(join(ROOT, "docs/index.md"), "utf8");
  const listed = [...index.matchAll(/^- \[.+?\]\((.+?)\)$/gm)].map(([, page = ""]) => join("docs", page));

  test("lists every page of docs once, and so does the menu of the site", () => {
    expect([...listed].sort()).toEqual(
      pagesIn("docs")
        .filter((page) => page !== join("docs", "index.md"))
        .sort(),
    );
  });
});

test("pages for users cite no numbers of internal rules", () => {
  const others = ["decisions", "contributing"].map((folder) => join("docs", folder));
  const pages = ["README.md", ...pagesIn("docs")].filter((page) => !others.includes(dirname(page)));
  const cited = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/\((?:rule )?[A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*\)/g)].map(
      ([text]) => `${page}: ${text}`,
    ),
  );
  expect(cited).toEqual([]);
});

test("no part of the site is in the package", () => {
  const { files } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(files).not.toContain("site");
});

test("the agent of the library's quickstart runs", async () => {
  const page = readFileSync(join(ROOT, "docs/quickstart/library.md"), "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const city = (id: string, name: string) => ({ id, name: "weather", input: { city: name } });
  const server = await startLoopback([[city("call_1", "Oslo"), city("call_2", "Rome")]]);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
      cwd: ROOT,
      env: { ...process.env, ANTHROPIC_API_KEY: "none", ANTHROPIC_BASE_URL: server.url },
      timeout: 50_000,
    });
    expect(stdout).toBe("Sunny in Oslo\nSunny in Rome\nAll 2 calls are answered.\n");
  } finally {
    await server.close();
  }
  expect(code.trim().split("\n").length).toBeLessThan(30);
});

test("the agent in ten lines runs, and has ten lines", () => {
  const page = readFileSync(join(ROOT, "docs/guides/build-an-agent.md"), "utf8");
  const [, code = ""] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const { stdout, status } = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      code.replace('"toolcrib"', JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href)),
    ],
    { encoding: "utf8", timeout: 50_000 },
  );
  expect([status, stdout]).toEqual([0, "Take an umbrella.\n"]);
  expect(code.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("import"))).toHaveLength(9);
});

test("the README's two commands are scripts of the package", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test"]));
});

test("the README's library example runs and says why", () => {
  const [, block = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  const code = block.replace('"toolcrib"', JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href));
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
    timeout: 50_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [said] = stdout.split("\n");
  expect(said).toBe("a.ts is clean");
  expect(stdout).toContain("standing: 'hidden'");
  expect(stdout).toContain("gate: 'builtins'");
  // Nothing of the answer is cut short.
  expect(stdout).not.toMatch(/\[(?:Array|Object)\]/);
});

test("the examples of the library's pages run", () => {
  const pages = ["library", "core"].map((name) => readFileSync(join(ROOT, `docs/reference/${name}.md`), "utf8"));
  const built = (file: string): string => JSON.stringify(pathToFileURL(join(ROOT, "dist", file)).href);
  const examples = [...pages.join("\n").matchAll(/```js\n([\s\S]*?)```/g)].map(([, block = ""]) => {
    const code = block.replace('"toolcrib"', built("index.js")).replace('"toolcrib/core"', built("doors/core.js"));
    return `data:text/javascript,${encodeURIComponent(code)}`;
  });
  // One after the other in one process: to load the library takes longer than all of them.
  const code = `for (const example of ${JSON.stringify(examples)}) { await import(example); console.log("--"); }`;
  const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
    timeout: 50_000,
    env: { ...process.env, XDG_STATE_HOME: tempWorkspace().base },
  });
  // Warnings, as of a machine without a sandbox, go to the error stream and are no failure.
  expect(status).toBe(0);
  expect(stdout.split("--\n")).toEqual([
    "success a.ts is clean\n",
    "end 2 Yes, it rains.\n",
    expect.stringMatching(/^\d+ events so far\n$/),
    expect.stringContaining("filter.excluded"),
    "",
  ]);
});

/** As a shell splits them; the pages quote with ' alone. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted = word]) => quoted);
}
