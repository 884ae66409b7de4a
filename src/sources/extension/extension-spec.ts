import type { Origin } from "../../core/codes/origin.ts";

/** One extension: a process that registers tools and answers calls of them. */
export interface ExtensionSpec {
  readonly name: string;
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** Folder in which it starts; null for the session's folder. */
  readonly cwd: string | null;
  /** Added to the non-secret part of the session's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly origin: Origin;
  /** The script or folder in `.toolcrib/extensions` that it came from, with the hash of what was trusted. */
  readonly file?: { readonly name: string; readonly content: string };
}

/** The version of the protocol in `docs/reference/extensions.md`. */
export const EXTENSION_PROTOCOL = 1;
