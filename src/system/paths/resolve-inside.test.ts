import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { NODE_DISK } from "./disk.ts";
import { PathRefusal } from "./path-refusal.ts";
import { resolveInside } from "./resolve-inside.ts";
import { contains, loadRoots } from "./roots.ts";

async function setUp() {
  const workspace = tempWorkspace({ "src/a.ts": "a", "link-target/b.ts": "b" });
  const { base, project, outside } = workspace;
  writeFileSync(join(outside, "secret"), "secret");
  mkdirSync(join(base, "project-secrets"));
  writeFileSync(join(base, "project-secrets", "key"), "key");
  const added = join(base, "added");
  mkdirSync(added);
  const roots = await loadRoots(NODE_DISK, [project, added]);
  return { ...workspace, added, roots, resolve: (path: string) => resolveInside(NODE_DISK, roots, path) };
}

const refusal = (kind: string) => expect.objectContaining({ name: "PathRefusal", kind });

describe("inside", () => {
  test.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    ["src/", "src"],
    [".", "."],
    ["src/../src/a.ts", "src/a.ts"],
    ["missing/deep/new.ts", "missing/deep/new.ts"],
    ["..data/x", "..data/x"],
    ["src/~", "src/~"],
    ["./~/x", "~/x"],
  ])("%j is %j", async (path, shown) => {
    const { resolve, project } = await setUp();
    const place = await resolve(path);
    expect(place).toMatchObject({ shown, real: shown === "." ? project : join(project, shown) });
  });

  test("an absolute path counts like a relative one", async () => {
    const { resolve, project } = await setUp();
    expect(await resolve(join(project, "src", "a.ts"))).toMatchObject({ shown: "src/a.ts", missing: [] });
  });

  test("an added folder is named by its absolute path", async () => {
    const { resolve, added } = await setUp();
    expect(await resolve(join(added, "x"))).toMatchObject({ shown: join(added, "x"), missing: ["x"] });
  });

  test("a link that stays inside is followed", async () => {
    const { resolve, project } = await setUp();
    symlinkSync("link-target", join(project, "link"));
    expect(await resolve("link/b.ts")).toMatchObject({ shown: "link-target/b.ts" });
  });

  test("a workspace that is itself a link is known by both of its paths", async () => {
    const { base, project } = await setUp();
    symlinkSync(project, join(base, "alias"));
    const roots = await loadRoots(NODE_DISK, [join(base, "alias")]);
    for (const path of ["src/a.ts", join(base, "alias", "src/a.ts"), join(project, "src/a.ts")]) {
      expect(await resolveInside(NODE_DISK, roots, path)).toMatchObject({ shown: "src/a.ts" });
    }
  });
});

describe("outside", () => {
  test.each([
    "..",
    "../outside/secret",
    "src/../../outside/secret",
    "../project-secrets/key",
    "../PROJECT/src/a.ts",
    "/etc/passwd",
    "/",
    "//etc/passwd",
    "/proc/self/root/etc/passwd",
    "missing/../../outside/secret",
  ])("%j is refused", async (path) => {
    const { resolve } = await setUp();
    await expect(resolve(path)).rejects.toThrow(refusal("outside"));
  });

  test.each(["~", "~/.ssh/id_rsa", "", "src/a.ts\0.png", "x".repeat(5000)])("%j is no path", async (path) => {
    const { resolve } = await setUp();
    await expect(resolve(path)).rejects.toThrow(refusal("invalid"));
  });

  test("a sibling whose name starts like the workspace is outside, by its absolute path too", async () => {
    const { resolve, base } = await setUp();
    await expect(resolve(join(base, "project-secrets", "key"))).rejects.toThrow(refusal("outside"));
  });

  test("a link out is refused as a file, as a parent, and as a parent of what does not exist", async () => {
    const { resolve, project, outside } = await setUp();
    symlinkSync(join(outside, "secret"), join(project, "file-link"));
    symlinkSync(outside, join(project, "folder-link"));
    symlinkSync("folder-link", join(project, "link-to-link"));
    for (const path of ["file-link", "folder-link/secret", "folder-link/new/file", "link-to-link/secret"]) {
      await expect(resolve(path)).rejects.toThrow(refusal("outside"));
    }
  });

  test("a link that leads nowhere, or in circles, is refused", async () => {
    const { resolve, project, outside } = await setUp();
    symlinkSync(join(outside, "not-yet"), join(project, "dangling"));
    symlinkSync("circle", join(project, "circle"));
    for (const path of ["dangling", "dangling/x", "circle", "circle/x"]) {
      await expect(resolve(path)).rejects.toThrow(refusal("link"));
    }
  });

  test("an added folder that is replaced by a link afterwards opens nothing", async () => {
    const { resolve, added, outside } = await setUp();
    rmSync(added, { recursive: true });
    symlinkSync(outside, added);
    await expect(resolve(join(added, "secret"))).rejects.toThrow(refusal("outside"));
  });

  test("a refusal tells nothing about what exists outside", async () => {
    const { resolve, project, outside } = await setUp();
    symlinkSync(outside, join(project, "door"));
    const texts = await Promise.all(
      ["door/secret", "door/absent"].map((path) => resolve(path).catch((error: unknown) => String(error))),
    );
    expect(texts[0]).toBe(String(texts[1]).replace("absent", "secret"));
    expect(texts.join()).not.toContain(outside);
  });
});

test("law: whatever the path, a place is really inside a root", async () => {
  const { resolve, project, outside, added, roots } = await setUp();
  symlinkSync(outside, join(project, "out"));
  symlinkSync("..", join(project, "up"));
  symlinkSync("src", join(project, "in"));
  symlinkSync(join(outside, "none"), join(project, "src", "broken"));
  const part = fc.oneof(
    fc.constantFrom("..", ".", "", "src", "out", "up", "in", "broken", "a.ts", "secret", "~", "new", "project-secrets"),
    fc.constantFrom("project", "outside", "PROJECT", "\0", "…", "\\", "..\\..", "%2e%2e"),
  );
  const start = fc.constantFrom("", "/", "//", `${project}/`, `${added}/`, `${outside}/`, "../", "~/");
  await fc.assert(
    fc.asyncProperty(start, fc.array(part, { maxLength: 8 }), async (head, parts) => {
      const path = head + parts.join("/");
      const place = await resolve(path).catch((error: unknown) => {
        if (error instanceof PathRefusal) return null;
        throw error;
      });
      if (place === null) return;
      expect(roots.some(({ real }) => contains(real, place.real))).toBe(true);
      expect(realpathSync(place.existing)).toBe(place.existing);
      expect(place.real).toBe(join(place.existing, ...place.missing));
    }),
    { numRuns: 1000 },
  );
});
