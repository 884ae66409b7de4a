import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "../../../../test/support/builtin-host.ts";
import { deniedBy } from "../../../../test/support/sandbox-harness.ts";
import { createDeniedCovers } from "./denied-covers.ts";

test("a command does not start if its decision relied on covers that cannot be made, and later they are tried again", async () => {
  const folder = makeFolder({ "a.key": "", "src/x": "" });
  let time = 0;
  const covers = createDeniedCovers(deniedBy(["Read(*.key)"], folder), [folder], () => time);
  expect(await covers.missed()).toBe(null);
  expect((await covers.find(folder)).covers).toHaveLength(1);

  symlinkSync("src", join(folder, "b.key"));
  await expect(covers.find(folder)).rejects.toMatchObject({ code: "sandbox.not-covered" });
  expect(await covers.missed()).toMatch(/b\.key is a link to a folder$/);
  // Anyone who was asked and agreed gets the command with what could be covered.
  expect(await covers.find(folder)).toMatchObject({
    missed: expect.stringContaining("b.key"),
    covers: [{ kind: "file" }],
  });

  unlinkSync(join(folder, "b.key"));
  expect(await covers.missed()).toMatch(/b\.key is a link to a folder$/);
  time = 61_000;
  expect(await covers.missed()).toBe(null);
});

test("folders of a command that runs elsewhere are looked through as well", async () => {
  const [folder, skill] = [makeFolder({ x: "" }), makeFolder({ "y/z.key": "" })];
  const covers = createDeniedCovers(deniedBy(["Read(**/*.key)"], folder), [folder]);
  mkdirSync(join(folder, "more"));
  writeFileSync(join(folder, "more/w.key"), "");
  const { covers: found } = await covers.find(skill);
  expect(found.map(({ path }) => path).sort()).toEqual([join(folder, "more/w.key"), join(skill, "y/z.key")].sort());
});
