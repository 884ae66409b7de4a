import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** Where a tool can be named: as something imported, as a program, or as a folder that is looked for. */
const USERS = ["src", "test", "scripts", "bench", "examples"];
const MANIFEST: { readonly devDependencies: object; readonly workspaces: readonly string[] } = readManifest(".");

test("every tool is used, and none is what the build has already", () => {
  const { devDependencies: tools } = readManifest("tools");
  const texts = USERS.flatMap(textsIn).join("\n") + readFileSync(join(ROOT, "package.json"), "utf8");
  const unused = Object.keys(tools).filter((name) => !texts.includes(name.replace(/^@(?:types|biomejs)\//, "")));
  expect(unused).toEqual([]);
  expect(Object.keys(tools).filter((name) => name in MANIFEST.devDependencies)).toEqual([]);
});

test("an install from git leaves the tools out", () => {
  expect(MANIFEST.workspaces).toEqual(["tools"]);
  expect(readFileSync(join(ROOT, ".npmrc"), "utf8")).toContain("\nworkspaces=false\n");
});

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
}

function textsIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(?:tsx?|m?js)$/.test(path) && !path.includes("node_modules"))
    .map((path) => readFileSync(join(ROOT, folder, path), "utf8"));
}
