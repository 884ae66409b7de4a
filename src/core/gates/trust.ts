import type { Entry } from "../catalog/entry.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import type { Pin } from "../scene/scene.ts";
import { isUntrusted } from "../tool/tool.ts";
import { type Gate, hide, pass } from "./gate.ts";

/** A definition that is malformed, misleading or not the one that was approved is not shown (G13). */
export const trustGate: Gate = {
  name: "trust",
  judge(entry, scene) {
    if (entry.flaws.length === 0 && entry.lookAlikeOf === null && scene.pins === null) return pass;
    const reasons: Reason[] = entry.flaws.map(({ code, text }) => ({
      code,
      text,
      origin: { kind: "definition", of: entry.id },
      fix: "have the definition corrected where the tool comes from",
    }));
    const pin = findPin(entry, scene);
    const approved = pin?.approved === true && pin.signature === entry.signature;
    if (entry.lookAlikeOf !== null && !approved) {
      reasons.push({
        code: "tool.lookalike",
        text: `its name ${JSON.stringify(entry.tool.name)} looks like ${JSON.stringify(entry.lookAlikeOf)}`,
        origin: { kind: "definition", of: entry.id },
        fix: "rename one of the two, or approve the tool in toolcrib.lock",
      });
    }
    reasons.push(...judgePin(entry, scene, pin));
    return reasons.length === 0 ? pass : hide(...reasons);
  },
};

function findPin({ identity, id }: Entry, { pins }: ResolvedScene): Pin | undefined {
  return pins?.value.get(identity) ?? pins?.value.get(id);
}

/** Approval is bound to one signature: a pin whose signature no longer fits approves nothing. */
function judgePin(entry: Entry, { pins, servers }: ResolvedScene, pin: Pin | undefined): readonly Reason[] {
  if (pins === null) return [];
  const { origin } = pins;
  const fix = `review ${entry.identity} and approve it in toolcrib.lock`;
  if (pin === undefined) {
    return isUntrusted(entry.tool) ? [{ code: "trust.unpinned", text: "not in toolcrib.lock", origin, fix }] : [];
  }
  if (pin.signature !== entry.signature)
    return [{ code: "trust.changed", text: "its definition changed since it was pinned", origin, fix }];
  const launch = servers.get(entry.tool.server ?? "")?.launch ?? null;
  if (pin.launch !== null && launch !== null && pin.launch !== launch) {
    return [
      {
        code: "trust.changed",
        text: `server "${entry.tool.server}" is started differently than when it was pinned`,
        origin,
        fix,
      },
    ];
  }
  return pin.approved
    ? []
    : [{ code: "trust.unapproved", text: "its pinned definition was never approved", origin, fix }];
}
