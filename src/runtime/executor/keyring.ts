import type { Access } from "./access.ts";

/**
 * Which files are in use across the schedulers of one tree of agents. Each agent has its own queue; only calls that
 * name the same file wait for those of another agent.
 */
export interface Keyring {
  /** `onFree` is called when a key that another member held is free. */
  join(onFree: () => void): KeyringMember;
}

interface KeyringMember {
  /** No other member holds one of its keys in a way that excludes this. */
  mayHold(access: Access): boolean;
  hold(access: Access): void;
  release(access: Access): void;
}

interface Holding {
  readonly by: KeyringMember;
  readonly exclusive: boolean;
}

export function createKeyring(): Keyring {
  const held = new Map<string, Holding[]>();
  const members = new Map<KeyringMember, () => void>();
  return {
    join(onFree) {
      const member: KeyringMember = {
        mayHold: ({ keys, exclusive }) =>
          keys?.every((key) => {
            const others = held.get(key)?.filter(({ by }) => by !== member) ?? [];
            return others.every((other) => !other.exclusive && !exclusive);
          }) ?? true,
        hold({ keys, exclusive }) {
          for (const key of keys ?? []) held.set(key, [...(held.get(key) ?? []), { by: member, exclusive }]);
        },
        release({ keys, exclusive }) {
          if (keys === null) return;
          for (const key of keys) {
            const left = held.get(key) ?? [];
            const at = left.findIndex((one) => one.by === member && one.exclusive === exclusive);
            const rest = left.filter((_, index) => index !== at);
            if (rest.length === 0) held.delete(key);
            else held.set(key, rest);
          }
          for (const [other, free] of members) if (other !== member) free();
        },
      };
      members.set(member, onFree);
      return member;
    },
  };
}
