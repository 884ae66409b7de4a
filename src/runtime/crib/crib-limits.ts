import type { Config } from "../../config/config.ts";
import { toLimitedCaller, type UsageLimit } from "../../core/limits/usage-limit.ts";
import type { Toolset } from "../../core/toolset/toolset.ts";
import type { CallAllowance } from "../executor/ports.ts";
import type { LimitDesk, LimitFigures } from "../limits/limit-desk.ts";
import type { UsedBudget } from "../limits/read-usage.ts";
import type { ModelClient } from "../models/model.ts";
import type { PeoplePlace } from "../people/contract.ts";
import type { Profile } from "./crib.ts";
import { toProfileLimits } from "./join-profiles.ts";

/** Limits of all clients of a Toolcrib. Nothing of it is loaded while none is configured. */
export interface CribLimits {
  /** How much the calls of a client may use; null if nothing limits them. */
  allowanceOf(profile: Profile, config: Config, toolset: () => Toolset): Promise<CallAllowance | null>;
  /** A model for somebody, which is not asked beyond the money that limits allow at that time. */
  limitModel(model: ModelClient, profile: LimitedProfile, config: () => Config): Promise<ModelClient>;
  /** What somebody has used of all limits about them, on all machines. */
  usage(
    profile: Pick<Profile, "caller" | "key" | "principal" | "usageLimits">,
    config: Config,
  ): Promise<readonly UsedBudget[]>;
  /** Every limit of the configuration, with what came of it here. */
  figures(config: Config): readonly LimitFigures[];
  close(): Promise<void>;
}

export type LimitedProfile = Pick<Profile, "caller" | "key" | "principal" | "usageLimits">;

interface CribLimitsOptions {
  /** Counts in memory if absent. */
  readonly place?: PeoplePlace | undefined;
  readonly onError: (text: string, error: unknown) => void;
  readonly onPassed: (text: string, principal: string) => void;
}

export function createCribLimits(options: CribLimitsOptions): CribLimits {
  let opening: Promise<LimitDesk> | null = null;
  let desk: LimitDesk | null = null;
  const open = async (): Promise<LimitDesk> => {
    opening ??= openDesk(options);
    desk = await opening;
    return desk;
  };
  return {
    async allowanceOf(profile, config, toolset) {
      const limits = usageLimitsOf(profile, config);
      if (limits.length === 0) return null;
      const { principal } = profile;
      const caller = toLimitedCaller(profile.caller, profile);
      const onPassed = (text: string): void => options.onPassed(text, principal);
      return (await open()).calls({ caller, limits, toolset, onPassed });
    },
    async limitModel(model, profile, config) {
      const { limitModel } = await import("../models/limited-model.ts");
      return limitModel(model, async () => {
        const limits = usageLimitsOf(profile, config());
        if (!limits.some(({ measure }) => measure === "money")) return null;
        const onPassed = (text: string): void => options.onPassed(text, profile.principal);
        return (await open()).money({ caller: toLimitedCaller(profile.caller, profile), limits, onPassed });
      });
    },
    async usage(profile, config) {
      const limits = usageLimitsOf(profile, config);
      if (limits.length === 0) return [];
      return (await open()).usage(limits, toLimitedCaller(profile.caller, profile));
    },
    figures({ gateway }) {
      const { limits, profiles } = gateway;
      const ofProfiles = [...profiles].flatMap(([name, profile]) => toProfileLimits(name, profile.limits));
      const all = [...limits, ...ofProfiles];
      return desk?.figures(all) ?? all.map((limit) => ({ limit, refused: 0, passed: 0 }));
    },
    async close() {
      await (await opening)?.close();
    },
  };
}

/** All that count for somebody: of the gateway, and of their profiles. */
export function usageLimitsOf(
  { usageLimits }: Pick<Profile, "usageLimits">,
  { gateway }: Pick<Config, "gateway">,
): readonly UsageLimit[] {
  return usageLimits.length === 0 ? gateway.limits : [...gateway.limits, ...usageLimits];
}

async function openDesk({ place, onError }: CribLimitsOptions): Promise<LimitDesk> {
  const { createLimitDesk } = await import("../limits/limit-desk.ts");
  return createLimitDesk({ place: place ?? (await openMemory()), onError });
}

/** Of this process alone: what was used is forgotten when it ends. */
async function openMemory(): Promise<PeoplePlace> {
  const { createStore } = await import("../store/create-store.ts");
  const { createMemoryBackEnd } = await import("../store/memory-back-end.ts");
  return { store: createStore(createMemoryBackEnd()), scope: "" };
}
