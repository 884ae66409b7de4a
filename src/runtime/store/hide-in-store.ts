import type { HiddenValues } from "../../system/text/hidden-values.ts";
import type { Store } from "./store.ts";

/** A store that keeps no such value of what does not go through events: answers, and what lies on shelves. */
export function hideInStore(store: Store, hidden: HiddenValues): Store {
  return {
    ...store,
    answer: (id, answer, by) => store.answer(id, hidden.data(answer), by),
    shelf(place) {
      const shelf = store.shelf(place);
      return { ...shelf, change: (key, change) => shelf.change(key, (now) => hidden.data(change(now))) };
    },
  };
}
