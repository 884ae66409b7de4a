import type { Entry } from "../catalog/entry.ts";
import type { Origin } from "../codes/origin.ts";
import type { Reason } from "../codes/reason.ts";
import type { ResolvedScene } from "../scene/resolved-scene.ts";
import type { Pin } from "../scene/scene.ts";
import { isAsPinned } from "../tool/pinned-signature.ts";
import { isUntrusted } from "../tool/tool.ts";
import { scanWording, toHiddenSignal } from "../trust/scan-entry.ts";
import { SIGNALS, type Signal } from "../trust/signal.ts";
import { type AnyGate, hideFor, pass } from "./gate.ts";

/** Hides definitions that are malformed, misleading or not the approved ones (G13). */
export const trustGate = {
  name: "trust",
  judge(entry, scene) {
    const wording = scanWording(entry);
    if (entry.flaws.length === 0 && entry.lookAlikeOf === null && scene.pins === null && wording.length === 0)
      return pass;
    const pin = findPin(entry, scene);
    const approved = pin?.approved === true && isAsPinned(pin.signature, entry.tool);
    const accepted: ReadonlySet<string> = new Set(approved ? pin.signals : []);
    const fix = toReview(entry);
    const origin: Origin = { kind: "definition", of: entry.id };
    const reasons: Reason[] = entry.flaws
      .filter((flaw) => flaw.code !== "trust.hidden-text" || !accepted.has(toHiddenSignal(flaw.text)))
      .map(({ code, text }) => {
        const isAccepted = code === "trust.hidden-text" && isUntrusted(entry.tool);
        return {
          code,
          text,
          origin,
          fix: isAccepted ? fix : "have the definition corrected where the tool comes from",
        };
      });
    if (entry.lookAlikeOf !== null && !approved) {
      reasons.push({
        code: "tool.lookalike",
        text: `its name ${JSON.stringify(entry.tool.name)} looks like ${JSON.stringify(entry.lookAlikeOf)}`,
        origin,
        fix: isUntrusted(entry.tool) ? `rename one of the two, or ${fix}` : "rename it where it is defined",
      });
    }
    const signals = wording.filter(({ name }) => !accepted.has(name));
    reasons.push(...judgeWording(signals, origin, fix), ...judgePin(entry, scene, pin));
    return hideFor(reasons);
  },
} as const satisfies AnyGate;

/** Findings that a person can approve form one reason together; the others cannot be approved. */
function judgeWording(signals: readonly Signal[], origin: Origin, fix: string): readonly Reason[] {
  const unsafe = signals.filter(({ name }) => SIGNALS[name] === "block");
  const quarantined = signals.filter(({ name }) => SIGNALS[name] === "quarantine");
  const correct = "have the definition corrected where the tool comes from";
  return [
    ...unsafe.map(
      ({ text, where }): Reason => ({
        code: "trust.unsafe-schema",
        text: `its ${where} ${text}`,
        origin,
        fix: correct,
      }),
    ),
    ...(quarantined.length === 0
      ? []
      : [{ code: "trust.quarantined", text: describeSignals(quarantined), origin, fix } as const]),
  ];
}

function describeSignals(signals: readonly Signal[]): string {
  const shown = signals.slice(0, 3).map(({ name, text, where }) => `its ${where} ${text} (${name})`);
  return `${shown.join("; ")}${signals.length > 3 ? `; and ${signals.length - 3} more` : ""}`;
}

function toReview({ identity }: Entry): string {
  return `review it and accept it with \`toolcrib pin --approve ${identity}\``;
}

function findPin({ identity, id }: Entry, { pins }: ResolvedScene): Pin | undefined {
  return pins?.value.get(identity) ?? pins?.value.get(id);
}

/** An approval is bound to one signature: a pin with another signature approves nothing. */
function judgePin(entry: Entry, { pins, servers }: ResolvedScene, pin: Pin | undefined): readonly Reason[] {
  if (pins === null) return [];
  const origin = pin?.origin ?? pins.origin;
  const fix = toReview(entry);
  if (pin === undefined) {
    return isUntrusted(entry.tool) ? [{ code: "trust.unpinned", text: "not in toolcrib.lock", origin, fix }] : [];
  }
  if (!isAsPinned(pin.signature, entry.tool))
    return [{ code: "trust.changed", text: "its definition changed since it was pinned", origin, fix }];
  const launch = servers.get(entry.tool.server ?? "")?.launch ?? null;
  if (pin.launch !== null && launch !== null && pin.launch !== launch) {
    return [
      {
        code: "trust.changed",
        text: `server "${entry.tool.server}" is started differently than when it was pinned`,
        origin,
        fix: `review how it is started and accept it with \`toolcrib pin --approve ${entry.tool.server}\``,
      },
    ];
  }
  return pin.approved
    ? []
    : [{ code: "trust.unapproved", text: "its pinned definition was never approved", origin, fix }];
}
