import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openWith } from "../claude-settings/settings-session.ts";
import { needs } from "../support/machine.ts";

const SERVER = { command: "node", args: ["--import", "./boot.mjs", "server files/server.mjs"], enabled: true };

test(
  "commands cannot change what runs outside: hooks, servers, extensions, modules",
  needs("bwrap", "bash"),
  async () => {
    const { session, cwd, read } = await openWith(
      {
        "toolcrib.json": {
          builtins: "all",
          hooks: {
            preToolUse: [
              { matcher: "view", command: "sh ./check.sh" },
              { matcher: "view", command: '"$CLAUDE_PROJECT_DIR"/scripts/log.sh --quiet' },
              { matcher: "view", command: "./bin/linked" },
            ],
          },
          mcpServers: { mine: SERVER, off: { ...SERVER, args: ["other.mjs"], enabled: false } },
          extensions: [{ name: "ext", command: "node", args: ["ext.mjs"] }],
          tools: [{ name: "weather", use: "./weather.mjs:weather" }],
        },
        ...Object.fromEntries(
          [
            "check.sh",
            "scripts/log.sh",
            "scripts/free.sh",
            "boot.mjs",
            "server files/server.mjs",
            "other.mjs",
            "ext.mjs",
          ].map((name) => [name, "first\n"]),
        ),
        "weather.mjs": "export const weather = null;\n",
        "real/linked.sh": "first\n",
      },
      { answer: () => ({ decision: "allow" }) },
    );
    mkdirSync(join(cwd, "bin"));
    symlinkSync("../real/linked.sh", join(cwd, "bin/linked"));
    writeFileSync(join(cwd, "evil"), "");
    execFileSync("chmod", ["-R", "a+rwX", cwd]);
    const held = [
      "check.sh",
      "scripts/log.sh",
      "boot.mjs",
      "server files/server.mjs",
      "ext.mjs",
      "weather.mjs",
      "real/linked.sh",
    ];
    const free = ["scripts/free.sh", "other.mjs"];
    const names = [...held, ...free].map((name) => `"${name}"`).join(" ");
    const command = `for f in ${names}; do echo second > "$f" || rm -f "$f" || mv "$f" x; done 2>/dev/null; ln -sf ../evil bin/linked; mv scripts s; echo ran`;
    expect(await session.call("bash", { command })).toMatchObject({ textResultForLlm: expect.stringContaining("ran") });
    expect(held.filter((name) => read(name).includes("second"))).toEqual([]);
    expect(free.map(read)).toEqual(["second\n", "second\n"]);
    expect(read("bin/linked")).toBe("first\n");
  },
);
