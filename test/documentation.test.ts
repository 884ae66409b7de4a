import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { runCli } from "./run-cli.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "bench/README.md", ...pagesIn("docs")];

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
  const { out, err } = await runCli(command.split(" "), { cwd: ROOT, columns: 80 });
  expect((out === "" ? err : out).trimEnd()).toBe(output.trimEnd());
});

describe("links between pages", () => {
  test.each(PAGES)("%s points at files that exist", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !existsSync(join(ROOT, dirname(page), target)))).toEqual([]);
  });
});

test("the README's two commands are scripts of the package", () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test"]));
});

test("the README's library example runs and says why", () => {
  const [, block = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  const code = block
    .replace('"toolcrib"', JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href))
    .replace('session.why("bash")', 'JSON.stringify(session.why("bash"))');
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
    encoding: "utf8",
    timeout: 20_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [said, why = ""] = stdout.split("\n");
  expect(said).toBe("a.ts is clean");
  expect(JSON.parse(why)).toMatchObject({
    kind: "found",
    explanations: [
      { standing: "hidden", reasons: expect.arrayContaining([expect.objectContaining({ gate: "builtins" })]) },
    ],
  });
});

test("the examples of the library's page run", () => {
  const page = readFileSync(join(ROOT, "docs/reference/library.md"), "utf8");
  const said = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, block = ""]) => {
    const code = block.replace('"toolcrib"', JSON.stringify(pathToFileURL(join(ROOT, "dist/index.js")).href));
    const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "-e", code], {
      encoding: "utf8",
      timeout: 20_000,
    });
    // Warnings, as of a machine without a sandbox, go to the error stream and are no failure.
    expect(status).toBe(0);
    return stdout;
  });
  expect(said).toEqual(["success a.ts is clean\n", expect.stringContaining("filter.excluded")]);
});
