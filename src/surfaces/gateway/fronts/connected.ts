import type { Profile } from "../../../runtime/crib/crib.ts";
import type { LegacySession } from "./legacy-session.ts";
import type { ModernFront } from "./modern-front.ts";

/** A client and what is known about it. */
export interface Connected<F> {
  readonly front: F;
  /** Its key; for a session this is as good as a credential, so it is never shown. */
  readonly id: string;
  readonly shownAs: string;
  readonly profile: Profile;
  readonly label: string;
  /** Its name, if it is one of those that Toolcrib knows something about. */
  readonly clientName: string | null;
  /** Gives up its slot. */
  readonly leave: () => void;
  readonly since: number;
  /** When it was last active. */
  seen: number;
  /** When the store was last told so. */
  noted: number;
  /** Open streams and requests. */
  uses: number;
}

export type LegacyClient = Connected<LegacySession>;
export type ModernClient = Connected<ModernFront>;
