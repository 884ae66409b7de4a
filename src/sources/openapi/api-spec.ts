import type { Deferral } from "../../core/tool/tool.ts";

/** One entry of `openapi`, with variables expanded. `tools` is read by a gate, not here. */
export interface ApiSpec {
  /** The document: an absolute path, or an address. */
  readonly spec: string;
  /** The address of the API; null leaves that to the document. */
  readonly baseUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials, by the name of a security scheme of the document. */
  readonly auth: Readonly<Record<string, string>>;
  /** Where a program gets tokens for itself; by default the document's address, if that is on the API's own host. */
  readonly tokenUrl?: string | null;
  /** Which operations become tools; null is all of them. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** Address prefixes from which referenced documents may be fetched. */
  readonly refs: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds within which the document must be read. */
  readonly startTimeout?: number;
  readonly defer?: Deferral;
  readonly group?: string | null;
  readonly enabled?: boolean;
  /** Where a list switches it off, in words for people. */
  readonly disabledBy?: string;
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
