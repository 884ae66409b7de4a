import type { HiddenValues } from "../../system/text/hidden-values.ts";
import type { Store } from "./store.ts";

/** Hides secrets in what does not pass through events: answers, and key-value entries. */
export function hideInStore(store: Store, hidden: HiddenValues): Store {
  return {
    ...store,
    answer: (id, answer, by) => store.answer(id, hidden.data(answer), by),
    keyValues(place) {
      const values = store.keyValues(place);
      return { ...values, change: (key, change) => values.change(key, (now) => hidden.data(change(now))) };
    },
  };
}
