import { isRecord } from "../../../core/shape/is-record.ts";
import type { SharedStore } from "../../../runtime/store/late-store.ts";
import type { Incoming } from "../wire/json-rpc.ts";

/** A message from one machine to another. */
export type MachineMessage =
  /** The client sent something for the machine that works for it. */
  | { readonly kind: "said"; readonly session: string; readonly message: Told }
  | { readonly kind: "changed"; readonly session: string }
  | { readonly kind: "ended"; readonly session: string }
  /** For the client, on whatever stream it listens to there. */
  | { readonly kind: "send"; readonly session: string; readonly text: string };

type Told = Extract<Incoming, { kind: "notification" }>;

/** The machines that serve the same clients. */
export interface Machines {
  /** This one. */
  readonly self: string;
  tell(machine: string, message: MachineMessage): Promise<void>;
  /** Sends to all others. What cannot be sent now is lost; a machine that needs it looks for itself. */
  tellOthers(message: MachineMessage): void;
  lives(machine: string): Promise<boolean>;
  /** Living machines, by id. */
  names(): Promise<ReadonlyMap<string, string>>;
  listen(heard: (message: MachineMessage) => void): () => void;
}

export function createMachines(
  store: SharedStore,
  scope: string,
  onError: (text: string, error: unknown) => void,
): Machines {
  const boxOf = (machine: string): string => `gateway:${scope}:${machine}`;
  const tell = async (machine: string, message: MachineMessage): Promise<void> =>
    void (await store.post(boxOf(machine), message));
  return {
    self: store.machine,
    tell,
    tellOthers(message) {
      const work = async (): Promise<void> => {
        for (const { id } of await store.machines()) if (id !== store.machine) await tell(id, message);
      };
      work().catch((error: unknown) => onError("other machines could not be told", error));
    },
    lives: async (machine) => machine === store.machine || (await store.machines()).some(({ id }) => id === machine),
    names: async () => new Map((await store.machines()).map(({ id, name }) => [id, name])),
    listen: (heard) =>
      store.follow(boxOf(store.machine), 0, ({ message }) => {
        // Machines of different versions may be running: unknown messages are for others.
        if (isRecord(message) && typeof message.kind === "string") heard(message as unknown as MachineMessage);
      }),
  };
}
