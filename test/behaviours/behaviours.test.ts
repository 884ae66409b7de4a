import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder } from "../support/temp-folder.ts";
import type { App } from "./behaviour.ts";
import { startModelServer } from "./model-server.ts";
import { ROWS } from "./rows/rows.ts";
import { LIBRARY } from "./ways/library.ts";
import { SDK_WAYS } from "./ways/sdk.ts";

/** The ways that may not be missing, as in CI; elsewhere those run whose package is here. */
const NEEDED = process.env.TOOLCRIB_BEHAVIOURS?.split(" ") ?? [];
const WAYS = [{ id: "library", way: LIBRARY, isHere: true }, ...SDK_WAYS];

let server: Awaited<ReturnType<typeof startModelServer>>;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

for (const { id, way, isHere } of WAYS)
  describe(way.name, () => {
    afterAll(() => way.close());

    it.runIf(NEEDED.includes(id))("has its package", () => expect(isHere).toBe(true));

    for (const row of ROWS)
      it.skipIf(!isHere)(row.name, async () => {
        const { cwd, home } = prepare(row.app);
        const { url, requests } = server.open({ "*": row.replies, ...row.otherReplies });
        const seen = await way.run(row.app, { cwd, home, modelUrl: url });
        row.check({ ...seen, requests }, cwd);
      });
  });

function prepare({ files = {} }: App): { readonly cwd: string; readonly home: string } {
  const [cwd, home] = [makeTempFolder(), makeTempFolder()];
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text.startsWith("base64:") ? Buffer.from(text.slice(7), "base64") : text);
  }
  return { cwd, home };
}
