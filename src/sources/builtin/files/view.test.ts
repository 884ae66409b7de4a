import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileTools } from "../../../../test/support/file-tools.ts";

const numbers = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

describe("a file", () => {
  test("is shown with line numbers", async () => {
    const { ok } = fileTools({ "a.txt": "one\ntwo\n" });
    expect(await ok("view", { path: "a.txt" })).toBe("1\tone\n2\ttwo");
  });

  test.each([
    ["CRLF", Buffer.from("one\r\ntwo\r\n")],
    ["a byte order mark", Buffer.from("\uFEFFone\ntwo")],
    ["UTF-16", Buffer.from("\uFEFFone\ntwo\n", "utf16le")],
  ])("with %s shows its lines alike", async (_, bytes) => {
    const { ok } = fileTools({ "a.txt": bytes });
    expect(await ok("view", { path: "a.txt" })).toBe("1\tone\n2\ttwo");
  });

  test("shows a range, and what there is besides", async () => {
    const { ok } = fileTools({ "a.txt": numbers(9) });
    expect(await ok("view", { path: "a.txt", view_range: [3, 4] })).toBe("3\tline 3\n4\tline 4\n[Lines 3 to 4 of 9.]");
    expect(await ok("view", { path: "a.txt", view_range: [8, -1] })).toBe("8\tline 8\n9\tline 9\n[Lines 8 to 9 of 9.]");
    expect(await ok("view", { path: "a.txt", view_range: [9, 500] })).toContain("[Lines 9 to 9 of 9.]");
  });

  test.each([[[0, 3]], [[4, 2]], [[1.5, 2]], [["a", "b"]]])("refuses the range %j with a reason", async (range) => {
    const { refused } = fileTools({ "a.txt": numbers(9) });
    expect(await refused("view", { path: "a.txt", view_range: range })).toMatch(/^"view_range"/);
  });

  test("says how long it is when the range is past its end", async () => {
    const { refused } = fileTools({ "a.txt": numbers(9) });
    expect(await refused("view", { path: "a.txt", view_range: [10, 12] })).toBe(
      "a.txt has 9 lines; line 10 is past its end.",
    );
  });

  test("that is long is cut under the cap, and following the notes shows every line once", async () => {
    const { ok } = fileTools({ "a.txt": numbers(20_000) });
    const seen: string[] = [];
    let range: unknown;
    for (let pages = 0; pages < 20; pages += 1) {
      const text = await ok("view", { path: "a.txt", ...(range === undefined ? {} : { view_range: range }) });
      expect(text.length).toBeLessThan(50_000);
      seen.push(...text.split("\n").filter((line) => /^\d+\t/.test(line)));
      const next = /Go on with view_range (\[\d+, -1\])/.exec(text)?.[1];
      if (next === undefined) break;
      range = JSON.parse(next);
    }
    expect(seen).toEqual(Array.from({ length: 20_000 }, (_, at) => `${at + 1}\tline ${at + 1}`));
  });

  test("with a line of 5 MB shows its start and what is left", async () => {
    const { ok } = fileTools({ "a.txt": `${"x".repeat(5_000_000)}\nend` });
    const text = await ok("view", { path: "a.txt" });
    expect(text).toBe(`1\t${"x".repeat(2000)} [… 4998000 more characters in this line]\n2\tend`);
  });

  test("keeps characters whole that lie across a read", async () => {
    const { ok } = fileTools({ "a.txt": `${"é".repeat(800)}\n`.repeat(100) });
    expect(await ok("view", { path: "a.txt", view_range: [1, 45] })).not.toContain("\uFFFD");
  });

  test("that is empty, binary or an image says so", async () => {
    const { ok, refused } = fileTools({ empty: "", binary: Buffer.from([1, 2, 0, 3]), image: PNG });
    expect(await ok("view", { path: "empty" })).toBe("empty is empty.");
    expect(await refused("view", { path: "binary" })).toBe(
      "binary is a binary file (4 bytes) and has no text to show.",
    );
    expect(await refused("view", { path: "image" })).toContain("see it with view_image");
  });

  test("that does not exist names what is near it", async () => {
    const { refused } = fileTools({ "src/session.ts": "", "src/other.ts": "" });
    expect(await refused("view", { path: "src/sesion.ts" })).toBe(
      "src/sesion.ts does not exist. Near it: src/session.ts.",
    );
  });
});

describe("a folder", () => {
  test("is listed two levels deep, with sizes, links unfollowed and made content closed", async () => {
    const { ok, project, outside } = fileTools({
      "a.txt": "12345",
      "src/one.ts": "x".repeat(2048),
      "src/deep/two.ts": "",
      "node_modules/p/i.js": "",
    });
    writeFileSync(join(outside, "secret"), "");
    symlinkSync(outside, join(project, "out"));
    expect(await ok("view", { path: "." })).toBe(
      "The workspace, 2 levels deep:\na.txt  5 B\nnode_modules/\nout ->\nsrc/\nsrc/deep/\nsrc/one.ts  2.0 KB",
    );
  });

  test("with very many entries is cut with a count", async () => {
    const { ok, project } = fileTools();
    mkdirSync(join(project, "many"));
    for (let at = 0; at < 520; at += 1) writeFileSync(join(project, "many", String(at)), "");
    expect(await ok("view", { path: "many" })).toContain("[20 more entries;");
  });

  test("that is empty says so", async () => {
    const { ok, project } = fileTools();
    mkdirSync(join(project, "none"));
    expect(await ok("view", { path: "none/" })).toBe("none is an empty folder.");
  });
});

describe("view_image", () => {
  test.each([
    ["image/png", PNG],
    ["image/jpeg", Buffer.from("ffd8ffe000104a46494600", "hex")],
    ["image/gif", Buffer.from("GIF89a....")],
    ["image/webp", Buffer.from("RIFF\x00\x00\x00\x00WEBPVP8 ")],
  ])("shows %s by its bytes, whatever its name", async (mimeType, bytes) => {
    const { call } = fileTools({ "picture.txt": bytes });
    expect(await call("view_image", { path: "picture.txt" })).toMatchObject({
      resultType: "success",
      binaryResultsForLlm: [{ type: "image", mimeType, data: bytes.toString("base64") }],
    });
  });

  test("refuses what is no image, and what is too large, with a reason", async () => {
    const { refused } = fileTools({ "a.png": "<svg/>", "big.png": Buffer.concat([PNG, Buffer.alloc(6_000_000)]) });
    expect(await refused("view_image", { path: "a.png" })).toBe("a.png is not a PNG, JPEG, GIF or WebP image.");
    expect(await refused("view_image", { path: "big.png" })).toContain("Scale it down");
  });
});

describe("every file tool", () => {
  const CALLS = [
    ["view", {}],
    ["view_image", {}],
    ["create", { content: "x", overwrite: true }],
    ["edit", { old_str: "SECRET", new_str: "x" }],
  ] as const;

  test.each(CALLS)("%s refuses what is outside, and names no path but the one it was given", async (tool, args) => {
    const { refused, project, outside, base } = fileTools();
    const secret = join(outside, "secret");
    writeFileSync(secret, "SECRET");
    symlinkSync(outside, join(project, "door"));
    for (const path of ["../outside/secret", "door/secret", "/etc/passwd", "~/x", "a\0b", ""]) {
      const text = await refused(tool, { ...args, path });
      expect(text).not.toContain("SECRET");
      expect(text).not.toContain(base);
    }
    expect(await refused(tool, { ...args, path: secret })).toMatch(/is outside the workspace/);
    expect(await refused(tool, { ...args, path: 7 })).toBe('"path" must be text.');
  });

  test("apply_patch refuses what is outside in each of its sections", async () => {
    const { refused, ok, project, outside } = fileTools({ a: "a\n" });
    writeFileSync(join(outside, "secret"), "SECRET\n");
    symlinkSync(outside, join(project, "door"));
    for (const section of [
      "*** Add File: door/new\n+x",
      "*** Delete File: ../outside/secret",
      "*** Update File: door/secret\n-SECRET\n+x",
      "*** Update File: a\n*** Move to: ../outside/a\n-a\n+b",
    ]) {
      const text = await refused("apply_patch", { input: `*** Begin Patch\n${section}\n*** End Patch` });
      expect(text).toMatch(/is outside the workspace/);
    }
    expect(await ok("view", { path: "a" })).toBe("1\ta");
  });

  test("a pipe is refused instead of waited for", async () => {
    const { refused, project } = fileTools();
    execFileSync("sh", ["-c", `mkfifo "${join(project, "pipe")}"`]);
    expect(await refused("view", { path: "pipe" })).toBe("pipe is not an ordinary file.");
  });
});
