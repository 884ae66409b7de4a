import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempWorkspace } from "../../../../test/support/temp-workspace.ts";
import { storedToken } from "./gateway-token.ts";

const KEY = "0123456789abcdef";

function world() {
  const home = tempWorkspace().base;
  const folder = join(home, ".local", "state", "toolcrib", "tokens");
  return { places: { home, env: {} }, folder, file: join(folder, KEY) };
}

test("a token is made up once, however many start at the same time", async () => {
  const { places, file } = world();
  const tokens = await Promise.all(Array.from({ length: 8 }, () => storedToken(places, KEY)));
  expect(new Set(tokens).size).toBe(1);
  expect(tokens[0]).toMatch(/^[\w-]{43}$/);
  expect(readFileSync(file, "utf8")).toBe(`${tokens[0]}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("one that others could read is kept from them", async () => {
  const { places, file } = world();
  const token = await storedToken(places, KEY);
  chmodSync(file, 0o644);
  expect(await storedToken(places, KEY)).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a file that holds no token is not taken for one, and not replaced either", async () => {
  const { places, folder, file } = world();
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, "short\n");
  await expect(storedToken(places, KEY)).rejects.toMatchObject({ code: "file.not-written" });
  expect(readFileSync(file, "utf8")).toBe("short\n");
});

test("another workspace has another one", async () => {
  const { places } = world();
  expect(await storedToken(places, "a")).not.toBe(await storedToken(places, "b"));
});
