// The thread in which code runs, in OUT/code, with the packages that it needs.
import { join } from "node:path";
import { build } from "esbuild";
import { writeLicenses } from "./bundle-packages.mjs";
import { copyWasm } from "./copy-wasm.mjs";
import { FOR_NODE, REQUIRE, SRC } from "./places.mjs";

/** @param {string} out */
export async function bundleWorker(out) {
  const folder = join(out, "code");
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: [join(SRC, "sources", "code", "worker", "main.ts")],
    outfile: join(folder, "worker.js"),
    minify: true,
    metafile: true,
    banner: REQUIRE,
  });
  copyWasm("@jitl/quickjs-ng-wasmfile-release-sync/wasm", folder, "quickjs.wasm");
  writeLicenses(folder, Object.keys(metafile.inputs));
}
