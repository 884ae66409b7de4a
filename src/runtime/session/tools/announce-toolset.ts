import { hash } from "node:crypto";
import type { Notice } from "../../../core/codes/reason.ts";
import { noticeRemovals } from "../../../core/toolset/check-filter.ts";
import type { Toolset } from "../../../core/toolset/toolset.ts";
import { noticeHidden } from "../../../core/toolset/trust-notices.ts";
import type { Emitter } from "../../events/emitter.ts";

/** Tells what is new in a toolset. */
export interface Announcer {
  /** From now on somebody listens. */
  begin(first: Toolset): void;
  follow(next: Toolset): void;
}

/**
 * E3 and E5: nothing is said twice, and nothing when all signatures and standings are equal. `troubles` are those of servers,
 * each told once until it is over: a server that is tried again fails again, with another reason each time.
 */
export function createAnnouncer(
  { emit }: Emitter,
  troubles: (toolset: Toolset) => readonly Notice[],
  toldBefore: string | null = null,
): Announcer {
  let told = new Set<string>();
  let announced: Toolset | null = null;
  const announce = (after: Toolset): void => {
    const before = announced;
    announced = after;
    const isNew = before === null ? toolsHash(after) !== toldBefore : !isSame(before, after);
    if (isNew) emit("session.tools_updated", { model: after.scene.model?.id ?? null });
    const keys = new Set<string>();
    const tell = ({ level, ...notice }: Notice, key: string): void => {
      if (!told.has(key) && !keys.has(key)) emit(level === "info" ? "session.info" : "session.warning", notice);
      keys.add(key);
    };
    for (const notice of [...after.notices, ...noticeRemovals(after.scene), ...noticeHidden(after.placements)])
      tell(notice, `${notice.level} ${notice.code} ${notice.text}`);
    for (const notice of troubles(after)) tell(notice, `${notice.code} ${notice.names.join()}`);
    told = keys;
  };
  return {
    begin: announce,
    follow(next) {
      if (announced !== null) announce(next);
    },
  };
}

/** The same for toolsets between which a model could notice no difference. */
export function toolsHash({ scene, placements }: Toolset): string {
  const lines = placements.map(({ entry, standing }) => `${standing} ${entry.wireName} ${entry.signature}`);
  return hash("sha256", [scene.model?.id ?? "", ...lines].join("\n"));
}

/** Whether a model could notice no difference: the same tools in the same standing, with the same definitions. */
function isSame(before: Toolset, after: Toolset): boolean {
  if (before.scene.model?.id !== after.scene.model?.id || before.placements.length !== after.placements.length)
    return false;
  return before.placements.every(({ entry, standing }, at) => {
    const other = after.placements[at];
    return (
      other?.standing === standing &&
      other.entry.wireName === entry.wireName &&
      other.entry.signature === entry.signature
    );
  });
}
