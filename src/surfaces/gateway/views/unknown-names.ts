import type { Notice } from "../../../core/codes/reason.ts";
import type { Profile } from "../../../runtime/crib/crib.ts";
import type { OpenSession } from "../../../runtime/session/tools/session.ts";

/** Names without a tool in the addresses that clients use: nothing in the protocol would report them (I3, I7). */
export interface UnknownNames {
  /** Checks what a client asked for once its servers have been listed, unless it is gone by then. */
  watch(session: OpenSession, profile: Profile, isGone: () => boolean): Promise<void>;
}

const MOST_TOLD = 1_000;

/** Each one is reported once for everybody with the same token: clients come again and again. */
export function createUnknownNames(tell: (notices: readonly Notice[]) => void): UnknownNames {
  const told = new Set<string>();
  const take = ({ principal }: Profile, notice: Notice): readonly Notice[] => {
    const text = `${principal}: ${notice.text}`;
    if (told.has(text) || told.size >= MOST_TOLD) return [];
    told.add(text);
    return [{ ...notice, text }];
  };
  return {
    async watch(session, profile, isGone) {
      const { include, exclude } = profile.asked;
      if (include === null && exclude.length === 0) return;
      await session.settled();
      if (isGone()) return;
      const unknown = session.toolset.notices.filter(isOfAddress).flatMap((notice) => take(profile, notice));
      if (unknown.length > 0) tell(unknown);
    },
  };
}

function isOfAddress({ code, origin }: Notice): boolean {
  return code === "filter.unknown-name" && origin.kind === "call" && origin.call.startsWith("?");
}
