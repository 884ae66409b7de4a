// Bundles the thread in which code runs: `node scripts/build-code-worker.mjs [DIST]`, from what the compiler wrote into DIST to
// DIST/code, with the packages that it needs, so that whoever installs Toolcrib need not install those.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL("../dist", import.meta.url)));
const out = join(dist, "code");
const packages = createRequire(import.meta.url);
const ENGINE = "@jitl/quickjs-wasmfile-release-sync";

await build({
  entryPoints: [join(dist, "sources", "code", "worker", "main.js")],
  outfile: join(out, "worker.js"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  minify: true,
  // Some of what is bundled asks for Node's modules in the older way.
  banner: { js: 'import{createRequire as q}from"node:module";const require=q(import.meta.url);' },
  logLevel: "warning",
  nodePaths: [fileURLToPath(new URL("../node_modules", import.meta.url))],
});
mkdirSync(out, { recursive: true });
writeFileSync(join(out, "quickjs.wasm.br"), brotliCompressSync(readFileSync(packages.resolve(`${ENGINE}/wasm`))));
const notices = [ENGINE, "quickjs-emscripten-core", "sucrase"].map((name) => {
  const folder = join(fileURLToPath(new URL("../node_modules", import.meta.url)), name);
  return `${name}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}\n`;
});
writeFileSync(join(out, "LICENSES.txt"), notices.join("\n\n"));
