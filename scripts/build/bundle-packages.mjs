// The packages that the sources need, one file each in OUT/packages, so that installing Toolcrib installs one package:
// a twentieth of what they take when npm installs them. Their licenses lie beside them.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { FOR_NODE, PACKAGES, packageFile, REQUIRE, ROOT } from "./places.mjs";

export const STUB = "packages:";

/** @param {string} out */
export async function bundlePackages(out) {
  const folder = join(out, "packages");
  const { metafile } = await build({
    ...FOR_NODE,
    entryPoints: PACKAGES.map((specifier) => ({ in: `${STUB}${specifier}`, out: packageFile(specifier) })),
    outdir: folder,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    banner: REQUIRE,
    plugins: [stubs],
  });
  const parser = createRequire(import.meta.url).resolve("web-tree-sitter/web-tree-sitter.wasm");
  copyFileSync(parser, join(folder, "web-tree-sitter.wasm"));
  writeLicenses(folder, Object.keys(metafile.inputs));
}

/** What a package exports, by name, as Node sees it: a package in the older form has names only for those who run it. */
export const stubs = {
  name: "stubs",
  /** @param {import("esbuild").PluginBuild} bundler */
  setup(bundler) {
    bundler.onResolve({ filter: new RegExp(`^${STUB}`) }, ({ path }) => ({
      path: join(ROOT, `${packageFile(path)}.mjs`),
      namespace: "stub",
      pluginData: path.slice(STUB.length),
    }));
    bundler.onLoad({ filter: /./, namespace: "stub" }, async ({ pluginData: specifier }) => {
      const names = Object.keys(await import(specifier)).filter((name) => name !== "module.exports");
      return { contents: `export { ${names.join(", ")} } from ${JSON.stringify(specifier)};`, resolveDir: ROOT };
    });
  },
};

/**
 * @param {string} folder gets LICENSES.txt
 * @param {readonly string[]} files what was bundled
 */
export function writeLicenses(folder, files) {
  const packages = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const notices = [...packages].sort().map((path) => {
    const place = join(ROOT, path);
    const { name, version } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    const license = readdirSync(place).find((file) => /^licen[cs]e/i.test(file));
    if (license === undefined) throw new Error(`${name} has no license beside it, so it cannot be bundled`);
    return `${name} ${version}\n\n${readFileSync(join(place, license), "utf8").trim()}\n`;
  });
  writeFileSync(join(folder, "LICENSES.txt"), notices.join("\n\n"));
}
