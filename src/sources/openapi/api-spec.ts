import type { Deferral } from "../../core/tool/tool.ts";

/** One entry of `openapi`, with variables expanded. `tools` is a gate's affair and not read here. */
export interface ApiSpec {
  /** The document: an absolute path, or an address. */
  readonly spec: string;
  /** Where the API is; null leaves that to the document. */
  readonly baseUrl: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** What proves who asks, by the name of a security scheme of the document. */
  readonly auth: Readonly<Record<string, string>>;
  /** Where a program gets tokens for itself; by default where the document says, if that is the API's own host. */
  readonly tokenUrl?: string | null;
  /** Which operations become tools; null is all of them. */
  readonly include: readonly string[] | null;
  readonly exclude: readonly string[];
  /** Addresses below which other documents may be fetched that this one refers to. */
  readonly refs: readonly string[];
  /** Milliseconds a call may take. */
  readonly timeout?: number;
  /** Milliseconds until the document is read. */
  readonly startTimeout?: number;
  readonly defer?: Deferral;
  readonly group?: string | null;
  readonly enabled?: boolean;
  /** Where a list switches it off, as people read it. */
  readonly disabledBy?: string;
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}
