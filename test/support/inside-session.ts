import { createSessionIn } from "../../src/runtime/session/create-session.ts";
import type { SessionOptions } from "../../src/runtime/session/options/session-options.ts";
import type { SurfaceSession } from "../../src/runtime/session/program-session.ts";
import type { OpenSession } from "../../src/runtime/session/tools/session.ts";
import { ownSurroundings } from "../../src/system/surroundings.ts";

/** A session of a program, and the one behind it that programs do not see. */
export async function openInside(
  options: SessionOptions,
  around = ownSurroundings(),
): Promise<{ readonly session: SurfaceSession; readonly inside: OpenSession }> {
  const opened: OpenSession[] = [];
  const session = await createSessionIn(around, options, { opened: (one) => void opened.push(one) });
  const [inside] = opened;
  if (inside === undefined) throw new Error("a session is open once it is given out");
  return { session, inside };
}
