import { RE2JS } from "re2js";
import { buildChildEnv } from "../../../system/process/child-env.ts";
import { spawnProcess } from "../../../system/process/spawn-process.ts";
import type { Host } from "../../host.ts";
import type { GrepQuery } from "./grep-query.ts";
import { toRustPattern } from "./rust-pattern.ts";
import type { WalkedFile } from "./walk-files.ts";

/** The files of a batch that may match. It may keep too many, but never drops a match. */
export type FileFilter = (
  files: readonly WalkedFile[],
  query: GrepQuery,
  signal: AbortSignal,
) => Promise<readonly WalkedFile[]>;

/** Keeps every file. */
export const KEEP_ALL: FileFilter = async (files) => files;

/**
 * Lets ripgrep drop the files that do not match, which is most of the work. Files that match are read again by our own
 * engine, so both ways give the same answer, and only files that were opened safely are ever shown.
 */
export function createRipgrepFilter(program: string, host: Host, cwd: string): FileFilter {
  return async (files, query, signal) => {
    const pattern = mayMatchNothing(query) ? null : toRustPattern(query.pattern);
    if (pattern === null) return files;
    const argv = [program, ...FLAGS, ...toFlags(query), `--regexp=${pattern}`, "--", ...files.map(({ real }) => real)];
    const chunks: Buffer[] = [];
    let complained = false;
    try {
      const launch = await host.wrapLaunch({ argv, cwd, env: buildChildEnv(host.env) });
      const onStdout = (chunk: Buffer) => void chunks.push(chunk);
      const onStderr = () => {
        complained = true;
      };
      const handle = await spawnProcess({ ...launch, onStdout, onStderr, grace: 0, signal });
      const { code } = await handle.exited;
      await handle.ended;
      signal.throwIfAborted();
      // A pattern or file that ripgrep rejects must not hide matches, nor must a sandbox that does not start: only a
      // clean "nothing found" counts.
      if (code === 1 && !complained) return [];
      if (code !== 0) return files;
    } catch {
      signal.throwIfAborted();
      return files;
    }
    const matching = new Set(Buffer.concat(chunks).toString().split("\0"));
    return files.filter(({ real }) => matching.has(real));
  };
}

/** Whether a match may be empty, as for `^` or `\b` alone: ripgrep has its own rules for those. */
function mayMatchNothing({ pattern }: GrepQuery): boolean {
  const consuming = pattern.replace(/\\(.)|[$^]/gsu, (piece, escaped) =>
    escaped === "b" || piece.length === 1 ? "" : piece,
  );
  try {
    return RE2JS.compile(consuming).test("");
  } catch {
    return true;
  }
}

const FLAGS = ["--no-config", "--files-with-matches", "--null", "--text", "--no-messages", "--no-ignore", "--hidden"];

function toFlags({ ignoreCase, multiline }: GrepQuery): readonly string[] {
  const flags = [ignoreCase ? "--ignore-case" : "--case-sensitive"];
  return multiline ? [...flags, "--multiline", "--multiline-dotall"] : flags;
}
