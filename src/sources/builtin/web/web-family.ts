import { PUBLIC_REACH, type Reach } from "../../../system/addresses/resolve-public.ts";
import type { BuiltinFamily } from "../parts/handler.ts";
import { createWebFetch, type FetchLimits } from "./web-fetch.ts";

const LIMITS: FetchLimits = { time: 30_000, bytes: 5 * 1024 * 1024 };

/** The tools that access the web. They keep no state between calls. */
export function createWebFamily(reach: Reach = PUBLIC_REACH, limits: FetchLimits = LIMITS): BuiltinFamily {
  return { handlers: new Map([["web_fetch", createWebFetch(reach, limits)]]), close: async () => {} };
}
