// Builds everything that runs: `node scripts/build.mjs [OUT]`, into dist unless told otherwise. `scripts/declare.mjs` adds
// what only a package needs.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInspector } from "./build/build-inspector.mjs";
import { bundleCommand } from "./build/bundle-command.mjs";
import { bundleCopilot } from "./build/bundle-copilot.mjs";
import { bundlePackages, writeLicenses } from "./build/bundle-packages.mjs";
import { bundleWorker } from "./build/bundle-worker.mjs";
import { compile } from "./build/compile.mjs";
import { copyWasm } from "./build/copy-wasm.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const out = resolve(process.argv[2] ?? join(ROOT, "dist"));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// Nothing of it goes into a package before somebody has chosen what does.
writeFileSync(join(out, ".npmignore"), "*\n");
try {
  copyWasm("tree-sitter-bash/tree-sitter-bash.wasm", join(out, "grammar"));
  writeLicenses(join(out, "grammar"), ["node_modules/tree-sitter-bash"]);
  const steps = [compile, bundlePackages, bundleCommand, bundleCopilot, bundleWorker, buildInspector];
  await Promise.all(steps.map((step) => step(out)));
} catch (error) {
  // The bundlers have said themselves what is wrong.
  if (!(error instanceof Error && "errors" in error)) console.error(error);
  process.exitCode = 1;
}
