import { randomBytes } from "node:crypto";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createSealer } from "../../src/runtime/people/sealer.ts";
import { checkSealingKeys, loadSealer, settleSealingKeys } from "../../src/runtime/people/sealing-keys.ts";
import { makeStore } from "../support/people-stores.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const ABOUT = ["provider session", "https://idp.example.com", "alice"];
const ORIGIN = { kind: "file", file: "toolcrib.yaml", line: 7 } as const;

test("what is sealed opens with its key and what it is about, and with nothing else (O11)", () => {
  const sealer = createSealer([one]);
  const sealed = sealer.seal("refresh-token-canary", ABOUT);
  expect(sealer.open(sealed, ABOUT)).toBe("refresh-token-canary");
  expect(sealed).not.toContain("canary");
  expect(sealer.seal("refresh-token-canary", ABOUT)).not.toBe(sealed);
  expect(createSealer([two]).open(sealed, ABOUT)).toBeNull();
  expect(sealer.open(sealed, ["provider session", "https://idp.example.com", "bob"])).toBeNull();
  // The same letters, cut elsewhere.
  expect(sealer.open(sealed, ["provider session", "https://idp.example.comalice"])).toBeNull();
  expect(sealer.open(sealed, ["provider session", "https://idp.example.coma", "lice"])).toBeNull();
});

test("any change of a sealed text is seen (O11)", () => {
  const sealer = createSealer([one]);
  const sealed = sealer.seal("secret", ABOUT);
  const at = sealed.lastIndexOf(".") + 1;
  fc.assert(
    fc.property(
      fc.nat(Buffer.from(sealed.slice(at), "base64url").length - 1),
      fc.integer({ min: 1, max: 255 }),
      (index, bits) => {
        const bytes = Buffer.from(sealed.slice(at), "base64url");
        bytes.writeUInt8(bytes.readUInt8(index) ^ bits, index);
        expect(sealer.open(sealed.slice(0, at) + bytes.toString("base64url"), ABOUT)).toBeNull();
      },
    ),
  );
  for (const odd of ["", "s1", "s1..", `${sealed.slice(0, at)}AAAA`, sealed.replace("s1.", "s2."), "a.b.c"])
    expect(sealer.open(odd, ABOUT)).toBeNull();
});

test("an earlier key still opens while another one seals (O11)", () => {
  const earlier = createSealer([one]).seal("secret", ABOUT);
  const both = createSealer([two, one]);
  expect(both.open(earlier, ABOUT)).toBe("secret");
  expect(createSealer([two]).open(both.seal("secret", ABOUT), ABOUT)).toBe("secret");
});

test.each(["base64", "base64url", "hex"] as const)("a key of the configuration is read in %s", async (encoding) => {
  const key = Buffer.concat([Buffer.from([0xfb, 0xff]), randomBytes(30)]);
  const sealer = await loadSealer({ keys: [key.toString(encoding)], origin: ORIGIN, folder: "/nowhere" });
  expect(createSealer([key]).open(sealer.seal("secret", ABOUT), ABOUT)).toBe("secret");
});

test("what is no key is refused with its place, and is not shown", async () => {
  const load = (key: string | null) => loadSealer({ keys: [key], origin: ORIGIN, folder: "/nowhere" });
  const refused = expect(load("my-secret-canary")).rejects;
  await refused.toThrow(/^toolcrib\.yaml:7: gateway\.auth\.keys\[0\] is not a key of 32 bytes/);
  await expect(load("my-secret-canary")).rejects.not.toThrow(/canary/);
  await expect(load(null)).rejects.toThrow(/its variable is not set/);
});

test("without a configured key one is made once, for its owner alone (O11)", async () => {
  const folder = join(makeTempFolder(), "state");
  const load = () => loadSealer({ keys: [], origin: ORIGIN, folder });
  const [first, second] = await Promise.all([load(), load()]);
  const path = join(folder, "sealing.key");
  expect(second?.keys).toEqual(first?.keys);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  expect((await load()).keys).toEqual(first?.keys);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, `${readFileSync(path, "utf8").slice(0, 10)}\n`);
  await expect(load()).rejects.toThrow(/sealing\.key:1: the key in it is not a key/);
});

test("a wrong key says so at the start, and a replaced one can go once nothing is sealed with it (O11)", async () => {
  const place = { store: await (await makeStore("memory")).open(), scope: "here" };
  const check = (...keys: [Buffer, ...Buffer[]]) => checkSealingKeys(place, createSealer(keys));
  await check(one);
  await check(one);
  const [id] = createSealer([one]).keys;
  await expect(check(two)).rejects.toThrow(`sealed with a key that is not here (${id};`);
  await expect(check(two)).rejects.toMatchObject({ code: "people.wrong-key", names: [id] });
  await check(two, one);
  await expect(check(two)).rejects.toThrow(id);
  await settleSealingKeys(place, createSealer([two, one]));
  await check(two);
  await expect(check(one)).rejects.toThrow(/not here/);
  await checkSealingKeys({ ...place, scope: "another" }, createSealer([three]));
});
