import type { FlattenedJWSInput, JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { SYSTEM_CLOCK } from "../../../system/time/clock.ts";
import { askIssuer } from "./ask-issuer.ts";
import { IssuerProblem } from "./issuer-problem.ts";

/** Milliseconds for which keys are used without asking again; a removed key counts no longer than that. */
const FRESH = 600_000;
/** Milliseconds for which they go on being used while nobody answers. */
const STALE = 3_600_000;
/** Milliseconds between two questions about unknown keys: anybody can make up names of keys. */
const AGAIN = 30_000;
/** The same after a question that failed. */
const AGAIN_SOON = 5_000;
const MOST_KEYS = 100;

interface Loaded {
  readonly at: number;
  readonly get: JWTVerifyGetKey;
}

/**
 * The keys of one issuer. They come from its own address alone, whatever a token says about where its key is. Loaded on
 * first use, and once for all who wait.
 */
export function createKeySet(address: () => Promise<string>, now: () => number = SYSTEM_CLOCK.now): JWTVerifyGetKey {
  /** Newest first: servers behind one address may not have new keys all at once. */
  let loaded: readonly Loaded[] = [];
  let loading: Promise<void> | null = null;
  let next = Number.NEGATIVE_INFINITY;
  let failure: unknown = null;
  const load = async (quiet: number): Promise<void> => {
    try {
      const get = await toKeys(await address());
      loaded = [{ at: now(), get }, ...loaded].slice(0, 3);
      next = now() + quiet;
    } catch (error) {
      failure = error;
      next = now() + AGAIN_SOON;
      throw error;
    } finally {
      loading = null;
    }
  };
  /** Asks, unless that was done a moment ago; `quiet` is the time until it may be done again. */
  const reload = async (quiet: number): Promise<void> => {
    if (loading === null && now() < next) return;
    loading ??= load(quiet);
    await loading;
  };
  const isOlder = (than: number): boolean => loaded[0] === undefined || now() - loaded[0].at >= than;
  const find = async (header: Parameters<JWTVerifyGetKey>[0], token: FlattenedJWSInput) => {
    const { errors } = await import("jose");
    for (const [at, { get, at: since }] of loaded.entries()) {
      if (at > 0 && now() - since >= FRESH) continue;
      try {
        return await get(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
    }
    return null;
  };
  return async (header, token) => {
    const [before] = loaded;
    if (isOlder(FRESH)) await reload(0).catch(() => {}); // What was loaded before may still do.
    if (isOlder(STALE)) throw failure ?? new IssuerProblem("away", "the issuer's keys could not be had");
    const known = await find(header, token);
    if (known !== null) return known;
    // It may be a new one, unless the keys were loaded for this very question.
    if (loaded[0] === before) await reload(AGAIN);
    const found = await find(header, token);
    if (found !== null) return found;
    throw new IssuerProblem("wrong", "a token is signed with a key that its issuer does not have");
  };
}

async function toKeys(address: string): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import("jose");
  const { status, value } = await askIssuer(address);
  if (status !== 200 || !Array.isArray(value.keys) || value.keys.length > MOST_KEYS)
    throw new IssuerProblem("wrong", `${address} has no set of keys that can be used (status ${status})`);
  // Symmetric keys have no place in a public set, and jose would refuse the whole set for one that is no object.
  const keys = value.keys.filter((key) => typeof key === "object" && key !== null && key.kty !== "oct");
  return createLocalJWKSet({ keys } as JSONWebKeySet);
}
