import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { RunReport } from "./test/support/run-report.ts";
import { SlowFirst } from "./test/support/slow-first.ts";

/** Tests that need no process of their own: they share workers and what those have loaded. `npm test -- --fast` runs these alone. */
const FAST = [
  "src/{core,config,doors,runtime}/**/*.test.ts",
  "src/sources/{contract-suite,external,module}/**/*.test.ts",
  "src/surfaces/{gateway,http,inspector}/**/*.test.ts",
  "src/system/text/**/*.test.ts",
  "src/system/*.test.ts",
  "test/seeds/**/*.test.ts",
];
/** Tests of the checkout itself: a clone that is set up, packed and installed, and the pages for contributors. `npm test -- --all` adds these. */
const CHECKOUT = ["test/checkout/**/*.test.ts"];
const NEVER = ["**/node_modules/**", "dist/**", "test/fixtures/**"];

export default defineConfig({
  test: {
    environment: "node",
    reporters: ["default", new RunReport()],
    setupFiles: ["test/setup/seed.ts"],
    passWithNoTests: true,
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: {
          name: "fast",
          include: FAST,
          exclude: NEVER,
          pool: "threads",
          isolate: false,
          maxWorkers: availableParallelism(),
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          globalSetup: "test/setup/postgres.ts",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...NEVER, ...FAST, ...CHECKOUT],
          // Each file in a process of its own would load everything again, for a fifth of the whole time.
          isolate: false,
          // Many tests wait for processes that they started: as many workers as cores would leave a third of the machine idle, two more a fifth.
          maxWorkers: availableParallelism() + 3,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "checkout", include: CHECKOUT, exclude: NEVER, isolate: false, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["src/**/*.test-d.ts", "test/**/*.test-d.ts"],
            tsconfig: "./tsconfig.types.json",
          },
        },
      },
    ],
  },
});
