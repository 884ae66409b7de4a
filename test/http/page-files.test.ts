import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempWorkspace } from "../support/temp-workspace.ts";
import { openDoor } from "./door.ts";

async function openPage() {
  const place = tempWorkspace({
    "inspector/index.html": "<!doctype html><title>Toolcrib</title>",
    "inspector/assets/page-Ab12.js": "export {};",
    "inspector/assets/page-Ab12.css": "body{}",
    "inspector/notes.txt": "canary: of no type that is served",
    "secret.html": "canary",
  });
  const folder = join(place.project, "inspector");
  symlinkSync(join(place.project, "secret.html"), join(folder, "link.html"));
  mkdirSync(join(place.project, "inspector-more"));
  writeFileSync(join(place.project, "inspector-more", "a.html"), "canary");
  return openDoor({ page: folder });
}

describe("the inspector's page", () => {
  test("needs no token, because it holds no data", async () => {
    const door = await openPage();
    for (const path of ["/", "/index.html", "/?anything=1"]) {
      const answer = await door.ask(path, { token: null });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(await answer.text()).toContain("Toolcrib");
    }
  });

  test("may load and be framed by nothing foreign, run nothing inline, and tells nobody where it was", async () => {
    const door = await openPage();
    const { headers } = await door.ask("/", { token: null });
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe|\*|data:|http/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("is asked for again each time, and its hashed parts only once", async () => {
    const door = await openPage();
    const page = await door.ask("/", { token: null });
    expect(page.headers.get("cache-control")).toBe("no-cache");
    const again = await door.ask("/", { token: null, headers: { "if-none-match": page.headers.get("etag") ?? "" } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    const script = await door.ask("/assets/page-Ab12.js", { token: null });
    expect(script.headers.get("cache-control")).toContain("immutable");
    expect(script.headers.get("content-type")).toContain("javascript");
  });

  test("HEAD has no body, POST is not taken", async () => {
    const door = await openPage();
    const only = await door.ask("/", { method: "HEAD", token: null });
    expect([only.status, only.headers.get("content-length"), await only.text()]).toEqual([200, "38", ""]);
    expect((await door.ask("/", { method: "POST", token: null })).status).toBe(405);
  });

  test.each([
    "/../secret.html",
    "/assets/../../secret.html",
    "/%2e%2e/secret.html",
    "/%2e%2e%2fsecret.html",
    "/%252e%252e%252fsecret.html",
    "/..%5csecret.html",
    "/..\\secret.html",
    "/assets\\..\\..\\secret.html",
    "/%00/../secret.html",
    "/index.html%00.js",
    "/..%c0%afsecret.html",
    "/....//secret.html",
    "//secret.html",
    "/./index.html",
    "/link.html",
    "/notes.txt",
    "/../inspector-more/a.html",
    "/assets",
    "/assets/",
    "/__proto__",
    "/constructor",
    "/toString",
  ])("%s leads nowhere", async (path) => {
    const door = await openPage();
    const answer = await door.raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect([400, 404]).toContain(answer.status);
    expect(answer.text).not.toContain("canary");
  });

  test("a page that was not built is not there, and all else is", async () => {
    const door = await openDoor({ page: join(tempWorkspace().project, "nothing") });
    expect((await door.ask("/", { token: null })).status).toBe(404);
    expect((await door.ask("/healthz", { token: null })).status).toBe(200);
  });
});
