import { nearestNames } from "../../../core/codes/nearest-name.ts";
import { ToolcribError } from "../../../core/codes/toolcrib-error.ts";
import type { Narrowing } from "../../../runtime/crib/crib.ts";

const KNOWN = ["agent", "include", "exclude", "code"] as const;
/** The same options by their names in files and in the library. */
const LONGER = /^(?:agent|include|exclude|available|disallow|tools?)/i;

/**
 * What an address asks for: less than its token allows. What looks like one of its parameters and is none is refused,
 * for a person who mistypes `exclude` would have more tools than they meant to; anything else belongs to somebody else.
 */
export function readNarrowing(query: string): Narrowing {
  const given = new URLSearchParams(query);
  for (const key of given.keys()) if (!isKnown(key)) refuseNear(key);
  const [agent = null, other] = given.getAll("agent");
  if (other !== undefined && other !== agent) throw invalid("a client works as one agent; ?agent= is given twice");
  return {
    agent,
    include: given.has("include") ? namesIn(given, "include") : null,
    exclude: namesIn(given, "exclude"),
    code: given.has("code") ? flagIn(given, "code") : null,
  };
}

function flagIn(given: URLSearchParams, key: string): boolean {
  const values = new Set(given.getAll(key));
  const [value] = values;
  if (values.size > 1 || (value !== "1" && value !== "0")) throw invalid(`?${key}= is 1 or 0`);
  return value === "1";
}

function isKnown(key: string): boolean {
  return KNOWN.some((known) => known === key);
}

function refuseNear(key: string): void {
  const [near] = nearestNames(key, KNOWN, 1);
  if (near === undefined && !LONGER.test(key)) return;
  const meant =
    near === undefined ? `it takes ${KNOWN.map((name) => `?${name}=`).join(", ")}` : `did you mean ?${near}=`;
  throw invalid(`${JSON.stringify(key.slice(0, 60))} is not a parameter of this address; ${meant}`);
}

function invalid(text: string): ToolcribError {
  return new ToolcribError("client.invalid", text, { names: [] });
}

function namesIn(given: URLSearchParams, key: string): readonly string[] {
  return given
    .getAll(key)
    .flatMap((list) => list.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
