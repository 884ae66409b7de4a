import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { toModule } from "./scripts/build/program-tables.mjs";
import { EvenLoad } from "./test/support/even-load.ts";
import { RunReport } from "./test/support/run-report.ts";
import { BUILT, useBuild } from "./test/support/use-build.ts";

/** Tests of the checkout itself: a clone that is set up, packed and installed, and the pages for contributors. `npm test -- --all` adds these. */
const CHECKOUT = ["test/checkout/**/*.test.ts"];
const NEVER = ["**/node_modules/**", "dist/**", "test/fixtures/**"];

/** Tables of programs are modules here as they are in a build. */
const programTables = {
  name: "program-tables",
  transform: (text: string, path: string) => (path.endsWith(".programs") ? toModule(path, text) : null),
};

/** `npm test -- --shuffle`: what only passes in one order hides something. */
const SEED = process.env.TOOLCRIB_TEST_SHUFFLE;
/** `npm test -- --isolate`: the same for what only passes beside other files. */
const ISOLATES = process.env.TOOLCRIB_TEST_ISOLATE === "1";

/** One of eleven thousand may be unlucky on a busy machine. `.ci/run` tries it again, and the report names it all the same. */
const TRIES_AGAIN = process.env.TOOLCRIB_TEST_AGAIN === "1";

export default defineConfig({
  plugins: [programTables, ...(process.env.TOOLCRIB_TEST_BUILT === "1" ? [useBuild()] : [])],
  test: {
    server: { deps: { external: [BUILT] } },
    environment: "node",
    reporters: ["default", new RunReport()],
    setupFiles: ["test/setup/seed.ts"],
    passWithNoTests: true,
    retry: TRIES_AGAIN ? 1 : 0,
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    sequence:
      SEED === undefined ? { sequencer: EvenLoad } : { shuffle: { files: true, tests: true }, seed: Number(SEED) },
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          globalSetup: ["test/setup/postgres.ts", "test/setup/temp-folder.ts"],
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...NEVER, ...CHECKOUT],
          // Each file in a process of its own would load everything again, for a fifth of the whole time.
          isolate: ISOLATES,
          // Nothing here leaves this machine, and Node 20 reads such certificates at each start: three starts' time.
          env: { NODE_EXTRA_CA_CERTS: "" },
          // Many tests wait for processes that they started: as many workers as cores would leave half of the machine idle.
          maxWorkers: availableParallelism() + 4,
          execArgv: [
            // Most of what a test makes is garbage at its end: with room for it, a tenth less time goes into collecting.
            ...["--min-semi-space-size=32", "--max-semi-space-size=64", "--single-threaded-gc"],
            // Files use the same code with pauses between: to forget it and compile it again takes a fortieth of the time.
            "--no-flush-bytecode",
            // Hardly any code here runs often enough to pay for being optimized, which took a sixth of the time.
            Number.parseInt(process.versions.node, 10) < 22
              ? "--interrupt-budget=400000"
              : "--invocation-count-for-turbofan=20000",
            // The same holds for WebAssembly, which the shell's grammar and the engine for code are.
            "--liftoff-only",
          ],
        },
      },
      {
        extends: true,
        test: {
          ...{ name: "checkout", include: CHECKOUT, exclude: NEVER, isolate: false, maxWorkers: 2 },
          globalSetup: "test/setup/temp-folder.ts",
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
