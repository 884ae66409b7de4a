import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**", "test/fixtures/**"],
    environment: "node",
    // Many tests wait for processes that they started; alone, a small machine would be idle half of the time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    setupFiles: ["test/setup/seed.ts"],
    passWithNoTests: true,
    restoreMocks: true,
    unstubEnvs: true,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    typecheck: {
      enabled: true,
      include: ["src/**/*.test-d.ts", "test/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
  },
});
