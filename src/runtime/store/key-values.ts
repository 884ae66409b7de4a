import type { BackEnd } from "./back-end.ts";
import type { KeyValues, KeyValuesPlace } from "./store.ts";

export function createKeyValues(backEnd: BackEnd, place: KeyValuesPlace): KeyValues {
  const find = async (key: string) => (await backEnd.keyValueRows(place, key))[0];
  return {
    async get(key) {
      const row = await find(key);
      return row && JSON.parse(row.text);
    },
    async entries() {
      const rows = await backEnd.keyValueRows(place, null);
      return new Map(rows.map(({ key, text }) => [key, JSON.parse(text)]));
    },
    async change(key, change) {
      for (;;) {
        const row = await find(key);
        const text: string | null = JSON.stringify(change(row && JSON.parse(row.text))) ?? null;
        if (text === null && row === undefined) return;
        // If several processes change the same value at once, all but one read it again.
        if (await backEnd.put(place, { key, text, version: row?.version ?? null })) return;
      }
    },
  };
}
