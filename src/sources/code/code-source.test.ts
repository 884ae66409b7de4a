import { describe, expect, test } from "vitest";
import { CODE_TOOL } from "../../core/catalog/code-tool.ts";
import type { CodePort } from "../code-port.ts";
import { sourceContract } from "../contract-suite/source-contract.ts";
import { createCodeSource } from "./code-source.ts";

const NEVER = new Promise<never>(() => {});
const port: CodePort = {
  open: () => ({
    servers: ["clock"],
    search: async () => ({ functions: [], computed: 0 }),
    describe: () => null,
    call: () => NEVER,
  }),
};
const make = () => createCodeSource({ port, owner: { client: "c", session: "s" }, today: () => 0 });

describe("as any source, it", () => {
  const run = (code: string) => ({ tool: CODE_TOOL.name, args: { code } });
  const calls = {
    works: run("return 1"),
    fails: run("throw new Error('no')"),
    misfits: { tool: CODE_TOOL.name, args: { code: 5 } },
    hangs: run("await clock.tick()"),
  };
  // It belongs to no list: the catalog adds its tool.
  const listed = () => ({ source: { ...make(), list: async () => [CODE_TOOL] } });
  const contract = sourceContract({ make: listed, calls, patience: 30_000 });
  for (const { name, check } of contract) test(name, check);
});

test("several runs at once each have a sandbox of their own", async () => {
  const source = make();
  const context = { sessionId: "s", toolCallId: "c", signal: new AbortController().signal };
  const runs = [1, 2, 3].map((one) =>
    source.run(CODE_TOOL, { code: `globalThis.own ??= ${one}; return own` }, context),
  );
  expect((await Promise.all(runs)).map(({ textResultForLlm }) => textResultForLlm)).toEqual(["1", "2", "3"]);
  await source.close();
});
