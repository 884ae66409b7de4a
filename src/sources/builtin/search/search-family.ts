import { NODE_DISK } from "../../../system/paths/disk.ts";
import { PathRefusal } from "../../../system/paths/path-refusal.ts";
import type { Place } from "../../../system/paths/resolve-inside.ts";
import type { Roots } from "../../../system/paths/roots.ts";
import { findProgram } from "../../../system/process/find-program.ts";
import type { Host } from "../../host.ts";
import type { RunContext } from "../../source.ts";
import { findPlace } from "../parts/find-place.ts";
import type { BuiltinFamily, BuiltinHandler } from "../parts/handler.ts";
import { loadHostRoots } from "../parts/host-roots.ts";
import { type BuiltinResult, type PlacesOutcome, toResult } from "../parts/outcome.ts";
import { fail, refuse } from "../parts/results.ts";
import { type GlobLimits, glob } from "./glob.ts";
import { toPathMatcher } from "./glob-pattern.ts";
import { type GrepLimits, grep } from "./grep.ts";
import { readGrepQuery } from "./grep-query.ts";
import { toMayRead } from "./may-read.ts";
import { createRipgrepFilter, KEEP_ALL } from "./ripgrep-filter.ts";

export interface SearchOptions {
  /** `auto` (default) uses ripgrep if it is installed. */
  readonly ripgrep?: "auto" | "off";
  readonly limits?: Partial<GlobLimits & GrepLimits>;
}

const LIMITS: GlobLimits & GrepLimits = { time: 30_000, fileSize: 16_000_000, shown: 200, compared: 50_000 };

/** The tools that find files and search in them. They keep no state between calls. */
export function createSearchFamily({ ripgrep = "auto", limits = {} }: SearchOptions = {}): BuiltinFamily {
  const bounds = { ...LIMITS, ...limits };

  const runGlob: BuiltinHandler = (args, run, host) => {
    const { signal } = run;
    const matches = typeof args.pattern === "string" ? toPathMatcher(args.pattern) : null;
    if (matches === null) return Promise.resolve(fail("The pattern is not a valid glob; use one such as src/**/*.ts."));
    return inside(host, args.path, run, (roots, place) => glob(matches, roots, place, toMayRead(run), bounds, signal));
  };

  const runGrep: BuiltinHandler = (args, run, host) => {
    const { signal } = run;
    const query = readGrepQuery(args);
    if (typeof query === "string") return Promise.resolve(fail(query));
    const program = ripgrep === "auto" ? findProgram("rg", host.env.PATH ?? "") : null;
    return inside(host, args.path, run, (roots, place) => {
      const filter = program === null ? KEEP_ALL : createRipgrepFilter(program, host, roots[0].real);
      return grep(query, roots, place, filter, toMayRead(run), bounds, signal);
    });
  };

  return {
    handlers: new Map([
      ["glob", runGlob],
      ["grep", runGrep],
    ]),
    close: async () => {},
  };
}

async function inside(
  host: Host,
  path: unknown,
  run: RunContext,
  search: (roots: Roots, place: Place) => Promise<PlacesOutcome>,
): Promise<BuiltinResult> {
  try {
    const roots = await loadHostRoots(host);
    if (roots === null) return fail("There is no workspace to search.");
    const place = await findPlace(NODE_DISK, roots, typeof path === "string" ? path : ".", run);
    if (place.missing.length > 0) return fail(`${place.shown} does not exist.`);
    return toResult(await search(roots, place));
  } catch (error) {
    if (error instanceof PathRefusal) return refuse(error);
    if (run.signal.aborted) return fail("[stopped before the search was done]");
    throw error;
  }
}
