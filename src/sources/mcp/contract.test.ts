import { describe, test } from "vitest";
import { listen, sessionAnswer, statelessAnswer } from "../../../test/support/loopback-mcp.ts";
import { call, misbehaving, openSource, packagedServer } from "../../../test/support/mcp-sources.ts";
import { tempWorkspace } from "../../../test/support/temp-workspace.ts";
import { type SourceContract, sourceContract } from "../contract-suite/source-contract.ts";

function holds(name: string, contract: SourceContract): void {
  describe(`${name} keeps the contract of sources`, () => {
    for (const { name: what, check } of sourceContract({ patience: 20_000, ...contract })) {
      test(what, { timeout: 30_000 }, check);
    }
  });
}

for (const [name, orders] of [
  ["a local server", []],
  ["a local server of 2026-07-28", ["modern"]],
] as const) {
  holds(name, {
    calls: {
      works: { tool: "echo", args: { text: "hello" } },
      fails: { tool: "fails", args: {} },
      misfits: { tool: "refuses", args: {} },
      hangs: { tool: "hang", args: {} },
    },
    changes: true,
    make: () => {
      const source = openSource(misbehaving(...orders), { limits: { grace: 50 } });
      return {
        source,
        change: async () => void (await call(source, "change", { times: 1 })),
        repeat: async () => void (await call(source, "announce-nothing")),
      };
    },
  });
}

for (const [name, answer] of [
  ["a remote server with sessions", () => sessionAnswer()],
  ["a remote server of 2026-07-28", () => statelessAnswer().answer],
] as const) {
  holds(name, {
    calls: {
      works: { tool: "echo", args: { text: "hello" } },
      fails: { tool: "echo", args: {} },
      hangs: { tool: "hang", args: {} },
    },
    make: async () => {
      const { url, stop } = await listen(answer());
      return { source: openSource({ url }), dispose: stop };
    },
  });
}

holds("the reference server", {
  calls: { works: { tool: "echo", args: { message: "hello" } }, fails: { tool: "echo", args: {} } },
  make: () => ({ source: openSource({ command: process.execPath, args: [packagedServer("everything")] }) }),
});

holds("the file system server", {
  calls: {
    works: { tool: "list_allowed_directories", args: {} },
    fails: { tool: "read_text_file", args: { path: "/" } },
  },
  make: () => {
    const { project } = tempWorkspace();
    return { source: openSource({ command: process.execPath, args: [packagedServer("filesystem"), project] }) };
  },
});

holds("the memory server", {
  calls: { works: { tool: "read_graph", args: {} }, fails: { tool: "open_nodes", args: { names: 5 } } },
  make: () => {
    const env = { MEMORY_FILE_PATH: `${tempWorkspace().base}/memory.jsonl` };
    return { source: openSource({ command: process.execPath, args: [packagedServer("memory")], env }) };
  },
});
