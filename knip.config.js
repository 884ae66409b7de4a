import { readFileSync } from "node:fs";

// Whether all of these are used is what test/checkout/tools.test.ts looks at: to knip they belong to another package.
const { devDependencies: tools } = JSON.parse(readFileSync(new URL("tools/package.json", import.meta.url), "utf8"));

/** @type {import("knip").KnipConfig} */
export default {
  ignoreWorkspaces: ["tools"],
  workspaces: {
    ".": {
      vitest: { config: ["vitest.config.ts"] },
      entry: [
        "src/index.ts!",
        "src/doors/*.ts!",
        "src/testing.ts!",
        "src/surfaces/cli/main.ts!",
        "src/surfaces/sample/sample-server.ts!",
        "src/surfaces/inspector/main.tsx!",
        "src/sources/code/worker/main.ts",
        "src/surfaces/cli/kept-parts.ts",
        "src/surfaces/cli/guard/kept-code.ts",
        "src/surfaces/cli/guard/judge-alone.ts",
        "src/surfaces/cli/clients/kept-runtime.ts",
        "src/surfaces/copilot/copilot-server.ts",
        "test/types/*.test-d.ts",
        "scripts/*.mjs",
        "bench/*.{mjs,ts}",
        "bench/curves/*.mjs",
        "bench/how-it-grows/crowd.mjs",
        "bench/how-it-grows/measure-point.mjs",
        "bench/first-second/bare-client.mjs",
        "bench/how-it-grows/stub-servers.mjs",
      ],
      project: [
        "src/**/*.{ts,tsx}!",
        "test/**/*.ts",
        "test/support/*.mjs",
        "!test/fixtures/**",
        "bench/**/*.{mjs,ts}",
        "scripts/**/*.mjs",
        "bin/*.js",
      ],
    },
  },
  ignoreDependencies: ["tree-sitter-bash", ...Object.keys(tools)],
  ignoreBinaries: ["biome", "java", "knip", "mvn", "publint", "script", "setpriv", "unshare", "vitest"],
};
