import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SOURCE = join(ROOT, "src/");
const BUILD = join(ROOT, "dist/");

/** Modules of the build, which Node loads by itself. */
export const BUILT = new RegExp(`^${BUILD.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`);

/**
 * Takes what tests import from `src` out of the build, module by module: a worker that had to compile the sources
 * again would spend a sixth of a whole run on it. Only for runs that begin with a build.
 */
export function useBuild() {
  return {
    name: "use-build",
    enforce: "pre" as const,
    resolveId(source: string, importer: string | undefined): string | null {
      if (importer === undefined || !MODULE.test(source)) return null;
      const path = resolve(dirname(importer), source);
      if (!path.startsWith(SOURCE)) return null;
      const built = join(BUILD, path.slice(SOURCE.length).replace(/\.ts$/, ".js"));
      return existsSync(built) ? built : null;
    },
  };
}

const MODULE = /^\.{1,2}\/.*(?<!\.test)\.ts$/;
