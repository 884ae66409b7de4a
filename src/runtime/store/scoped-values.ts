import type { KeyValues, Store } from "./store.ts";

/** The key-value entries of one person in one project, in the session's store. */
export interface ScopedValues {
  /** For this project. */
  ofProject(name: string): KeyValues;
  /** For all projects of the person. */
  ofPerson(name: string): KeyValues;
  /** For everybody: values that reveal nobody's words or habits. */
  ofAll(name: string): KeyValues;
  /** Copies what an older version stored elsewhere, once for all processes. */
  takeOverOnce(what: string, work: () => Promise<void>): Promise<void>;
}

export function createScopedValues(
  store: Pick<Store, "keyValues">,
  { person, project }: { readonly person: string; readonly project: string },
): ScopedValues {
  const ofProject = (name: string): KeyValues => store.keyValues({ name, person, project });
  return {
    ofProject,
    ofPerson: (name) => store.keyValues({ name, person, project: "" }),
    ofAll: (name) => store.keyValues({ name, person: "", project: "" }),
    async takeOverOnce(what, work) {
      const taken = ofProject("taken-over");
      if ((await taken.get(what)) !== undefined) return;
      // If two processes do it at once, they write the same values under the same keys.
      await work();
      await taken.change(what, (before) => before ?? { at: Date.now() });
    },
  };
}
