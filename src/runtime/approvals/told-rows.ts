import { isRecord } from "../../core/shape/is-record.ts";
import type { PeoplePlace } from "../people/contract.ts";
import { peopleValues } from "../people/people-values.ts";
import type { SlackPlace } from "./slack-api.ts";

/** Where a question was told, so that no machine tells it twice and any of them says how it ended. */
interface ToldRow {
  /** In one line. */
  readonly title: string;
  /** By the key of the place. */
  readonly told: Readonly<Record<string, { readonly at: number; readonly slack: SlackPlace | null }>>;
}

export interface ToldRows {
  find(question: string): Promise<ToldRow | null>;
  note(question: string, title: string, place: string, told: ToldRow["told"][string]): Promise<void>;
  /** Takes the row away; null if somebody else has. */
  take(question: string): Promise<ToldRow | null>;
  list(): Promise<readonly string[]>;
}

export function createToldRows(place: PeoplePlace): ToldRows {
  const values = peopleValues(place, "approvals.told");
  return {
    find: async (question) => fromStored(await values.get(question)),
    note: (question, title, key, told) =>
      values.change(question, (value): ToldRow => ({ title, told: { ...fromStored(value)?.told, [key]: told } })),
    async take(question) {
      let taken: ToldRow | null = null;
      await values.change(question, (value) => {
        taken = fromStored(value);
        return undefined;
      });
      return taken;
    },
    list: async () => [...(await values.entries()).keys()],
  };
}

function fromStored(value: unknown): ToldRow | null {
  if (!isRecord(value) || typeof value.title !== "string" || !isRecord(value.told)) return null;
  return value as unknown as ToldRow; // As `note` writes it.
}
